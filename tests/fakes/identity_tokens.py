"""Tokens of an issuer that a test plays."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.domain.errors import TokenExpiredError, TokenMissingError

from tests.fakes.faults import Faults


@dataclass
class FakeIdentityTokens:
    """See ``palimpsest.ports.identity_tokens.IdentityTokens``. It knows the tokens that it has issued."""

    faults: Faults = field(default_factory=Faults)
    _issued: dict[str, tuple[Mapping[str, object], bool]] = field(default_factory=dict)

    def issue(self, claims: Mapping[str, object], *, is_expired: bool = False) -> str:
        """Return a token with these claims."""
        payload = base64.urlsafe_b64encode(json.dumps(dict(claims)).encode()).decode()
        token = f"h.{payload.rstrip('=')}.{len(self._issued)}"
        self._issued[token] = (claims, is_expired)
        return token

    def verify(self, token: str) -> Mapping[str, object]:
        with self.faults.strike():
            if token not in self._issued:
                raise TokenMissingError("No valid token.")
            claims, is_expired = self._issued[token]
            if is_expired:
                raise TokenExpiredError("This token has expired.")
            return claims
