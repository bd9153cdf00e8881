"""API keys of this service: how a token is written, and what is kept of it.

A token is shown once. What is kept is a hash of its secret, so that whoever reads the table cannot ask in its name. The
tenant and the key's id stand in the token, so that finding it is one read by key, with the tenant in the key.

    pal_<base64url of tenant (16 bytes), key id (16 bytes), secret (32 bytes)>
"""

import base64
import binascii
import hashlib
import hmac
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import (
    TokenExpiredError,
    TokenMissingError,
    TokenRevokedError,
)
from palimpsest.domain.token_faults import TokenFault

# Lets secret scanners find a token that leaked into a repository.
TOKEN_PREFIX = "pal_"  # noqa: S105 - a prefix, not a secret

SECRET_BYTES = 32
_UUID_BYTES = 16
_TOKEN_BYTES = 2 * _UUID_BYTES + SECRET_BYTES

# A revoked or expired key is kept this long, so that its code stays right (spec/facts.md §3).
KEPT_AFTER_END = timedelta(days=365)

_LAST_INSTANT = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """The parts of a token. Its ``secret`` never leaves memory but once, when the key is made."""

    tenant_id: str
    key_id: str
    secret: bytes = field(repr=False)

    def to_text(self) -> str:
        """Return the token as its holder sends it."""
        parts = uuid.UUID(self.tenant_id).bytes + uuid.UUID(self.key_id).bytes + self.secret
        return TOKEN_PREFIX + base64.urlsafe_b64encode(parts).rstrip(b"=").decode()

    @property
    def secret_hash(self) -> str:
        """SHA-256 of the secret, hex. A plain hash will do: the secret is 256 random bits, not a password."""
        return hashlib.sha256(self.secret).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """What is kept of a key.

    Attributes:
        id: A UUIDv7; no secret.
        name: For people, such as ``nightly import``.
        secret_hash: See ``Token``.
        caller: Whoever sends the token is this caller.
        created_at: When it was made.
        expires_at: From then on it opens nothing; None for never.
        revoked_at: Since when it opens nothing; None while it does.
    """

    id: str
    name: str
    secret_hash: str
    caller: Caller
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def kept_until(self) -> datetime | None:
        """When the record itself may go; None for never: the key has no end, or one at the end of the calendar."""
        end = self.revoked_at or self.expires_at
        if end is None or end > _LAST_INSTANT - KEPT_AFTER_END:
            return None
        return end + KEPT_AFTER_END


def token_from_text(text: str) -> Token:
    """Read a token.

    Raises:
        TokenMissingError: If it is no token of this service.
    """
    encoded = text.removeprefix(TOKEN_PREFIX)
    try:
        parts = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise _unknown_token(TokenFault.MALFORMED) from error
    if len(parts) != _TOKEN_BYTES:
        raise _unknown_token(TokenFault.MALFORMED)
    token = Token(
        tenant_id=str(uuid.UUID(bytes=parts[:_UUID_BYTES])),
        key_id=str(uuid.UUID(bytes=parts[_UUID_BYTES : 2 * _UUID_BYTES])),
        secret=parts[2 * _UUID_BYTES :],
    )
    # One token, one spelling: base64 readers also take `+/` for `-_`, padding, and anything in the last character's spare bits.
    if token.to_text() != text:
        raise _unknown_token(TokenFault.MALFORMED)
    return token


def caller_of(key: ApiKey | None, token: Token, *, now: datetime) -> Caller:
    """Return whom a token speaks for.

    Args:
        key: What is kept under the token's tenant and key id; None when nothing is.
        token: As it was sent.
        now: The clock.

    Raises:
        TokenMissingError: If there is no such key, or the secret is wrong: the two are told alike.
        TokenRevokedError: If it was revoked; this is said before expiry.
        TokenExpiredError: If its time is over.
    """
    if key is None or not hmac.compare_digest(key.secret_hash, token.secret_hash):
        raise _unknown_token(TokenFault.INVALID)
    if key.revoked_at is not None:
        raise TokenRevokedError("This token was revoked.")
    if key.expires_at is not None and key.expires_at <= now:
        raise TokenExpiredError("This token has expired.")
    return replace(key.caller, token_name=key.name or None)


def _unknown_token(fault: TokenFault) -> TokenMissingError:
    return TokenMissingError(
        "No valid token: send one as 'Authorization: Bearer <token>'.", fault=fault
    )
