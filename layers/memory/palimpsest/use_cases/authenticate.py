"""Find out who asks."""

from dataclasses import dataclass

from palimpsest.domain.api_keys import caller_of, token_from_text
from palimpsest.domain.callers import Caller
from palimpsest.domain.claims import caller_from_claims
from palimpsest.domain.errors import TokenMissingError
from palimpsest.ports.api_keys import ApiKeyRepository
from palimpsest.ports.clock import Clock
from palimpsest.ports.identity_tokens import IdentityTokens

# RFC 7515 §3.1: three parts. A token of ours has none, so the two are never taken for each other.
_DOTS_OF_A_JWT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Authenticate:
    """Turns a token into the caller whom it speaks for.

    Attributes:
        api_keys: Keys of this service.
        clock: The time of day.
        identity_tokens: Verifies JSON Web Tokens; None where no issuer is configured.
    """

    api_keys: ApiKeyRepository
    clock: Clock
    identity_tokens: IdentityTokens | None = None

    def __call__(self, token_text: str) -> Caller:
        """Return the caller.

        Args:
            token_text: As it was sent, without ``Bearer``; empty when none was.

        Raises:
            TokenMissingError: If it is no token of this service, or one that it does not know.
            TokenRevokedError: If it was revoked.
            TokenExpiredError: If its time is over.
            StoreUnavailableError: If the store of keys does not answer in time.
        """
        if self.identity_tokens is not None and token_text.count(".") == _DOTS_OF_A_JWT:
            return caller_from_claims(self.identity_tokens.verify(token_text))
        token = token_from_text(token_text)
        key = self.api_keys.find(token.tenant_id, token.key_id)
        caller = caller_of(key, token, now=self.clock.now())
        if caller.project_limit is not None and not caller.project_limit.strip():
            # Failing open would make a key that was to be narrow the widest of all (spec/facts.md §3).
            raise TokenMissingError("This token is limited to a project without a name.")
        return caller
