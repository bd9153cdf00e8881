"""What can be wrong with a token."""

from enum import StrEnum


class TokenFault(StrEnum):
    """In the words of ``/api/v1``, which tells (spec/read-memory.md §1); other doors keep it to themselves."""

    MISSING = "missing_key"
    MALFORMED = "malformed_key"
    INVALID = "invalid_key"
    REVOKED = "revoked_key"
    EXPIRED = "expired_key"
