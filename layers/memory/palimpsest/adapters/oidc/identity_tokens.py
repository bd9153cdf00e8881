"""Tokens of an OpenID Connect issuer, verified with PyJWT."""

from collections.abc import Mapping
from dataclasses import dataclass

import jwt

from palimpsest.adapters.oidc.key_set import KeySet
from palimpsest.domain.errors import TokenExpiredError, TokenMissingError

# Signatures by a private key that only the issuer has. HMAC would make whoever can verify able to sign, and "none" is none.
ALLOWED_ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "ES256", "ES384", "ES512"})

# spec/facts.md §3. The tenant claim is asked for with the others, in `palimpsest.domain.claims`.
_REQUIRED = ["iss", "aud", "exp", "sub"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcIdentityTokens:
    """See ``palimpsest.ports.identity_tokens.IdentityTokens``.

    Attributes:
        issuer: As it stands in ``iss``, to the letter.
        audience: This service, as the issuer names it in ``aud``.
        algorithms: Those that are taken; a token's own word never decides.
        key_set: The issuer's public keys.
    """

    issuer: str
    audience: str
    algorithms: tuple[str, ...]
    key_set: KeySet

    def __post_init__(self) -> None:
        """Refuse an algorithm that is not of ``ALLOWED_ALGORITHMS``."""
        if not self.algorithms or not ALLOWED_ALGORITHMS.issuperset(self.algorithms):
            raise ValueError(f"Algorithms must be of {', '.join(sorted(ALLOWED_ALGORITHMS))}.")

    def verify(self, token: str) -> Mapping[str, object]:
        """See ``IdentityTokens.verify``."""
        try:
            header = jwt.get_unverified_header(token)
            key = self.key_set.find(header.get("kid"))
            if key is None:
                raise _refused()
            claims: Mapping[str, object] = jwt.decode(
                token,
                key,
                algorithms=list(self.algorithms),
                audience=self.audience,
                issuer=self.issuer,
                options={"require": _REQUIRED},
            )
        except jwt.ExpiredSignatureError as error:
            raise TokenExpiredError("This token has expired.") from error
        except (jwt.InvalidTokenError, jwt.PyJWKError) as error:
            raise _refused() from error
        return claims


def _refused() -> TokenMissingError:
    return TokenMissingError("No valid token: this one is not of the configured issuer.")
