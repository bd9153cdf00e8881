"""Tokens of an identity provider."""

from collections.abc import Mapping
from typing import Protocol


class IdentityTokens(Protocol):
    """Verifies JSON Web Tokens of one OpenID Connect issuer."""

    def verify(self, token: str) -> Mapping[str, object]:
        """Return the claims of a token that the issuer signed for this service and that is in force.

        Args:
            token: The compact form: three parts with dots between.

        Raises:
            TokenMissingError: If it is malformed, signed by somebody else or with an algorithm that is not allowed, for
                another audience or of another issuer, or without ``iss``, ``aud``, ``exp`` or ``sub``.
            TokenExpiredError: If its signature holds and its time is over.
            StoreUnavailableError: If the issuer's keys cannot be read now.
        """
        ...
