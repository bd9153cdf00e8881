"""What can be wrong with a token: spec/read-memory.md §1."""

from palimpsest.domain.errors import (
    NotAuthenticatedError,
    TokenExpiredError,
    TokenMissingError,
    TokenRevokedError,
)
from palimpsest.domain.token_faults import TokenFault


def test_the_words_are_those_that_the_clients_know():
    assert [str(fault) for fault in TokenFault] == [
        "missing_key",
        "malformed_key",
        "invalid_key",
        "revoked_key",
        "expired_key",
    ]


def test_an_error_says_its_fault_by_itself_where_it_has_only_one():
    errors = (NotAuthenticatedError, TokenMissingError, TokenRevokedError, TokenExpiredError)

    assert [error("x").fault for error in errors] == [
        TokenFault.INVALID,
        TokenFault.INVALID,
        TokenFault.REVOKED,
        TokenFault.EXPIRED,
    ]
