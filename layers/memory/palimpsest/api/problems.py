"""Errors as answers: the one table from a domain error to its status and code."""

from collections.abc import Mapping

from palimpsest.api.requests import Answer
from palimpsest.domain.errors import (
    BadInputError,
    EmbeddingUnavailableError,
    ErasureInProgressError,
    FactChangedError,
    FactNotFoundError,
    IdempotencyInFlightError,
    IdempotencyMismatchError,
    InvalidCursorError,
    KeyProjectMismatchError,
    LegalHoldError,
    NotFoundError,
    PalimpsestError,
    PermissionDeniedError,
    ReplayWithheldError,
    ScopeInvalidError,
    ScopeMismatchError,
    SearchUnavailableError,
    SearchUnsupportedError,
    SemanticUnavailableError,
    StoreFailedError,
    StoreUnavailableError,
    TokenExpiredError,
    TokenMissingError,
    TokenRevokedError,
    TooLargeError,
    WriteConflictError,
)
from palimpsest.domain.json_text import write_json

# Every error that a use case may raise, by its own class: a subclass without a row is a hole that a test finds.
PROBLEMS: Mapping[type[PalimpsestError], tuple[int, str]] = {
    BadInputError: (400, "bad-input"),
    InvalidCursorError: (400, "bad-input"),
    ScopeInvalidError: (400, "scope-invalid"),
    ScopeMismatchError: (400, "scope-mismatch"),
    TokenMissingError: (401, "auth-missing"),
    TokenExpiredError: (401, "auth-expired"),
    TokenRevokedError: (401, "auth-revoked"),
    PermissionDeniedError: (403, "permission-denied"),
    KeyProjectMismatchError: (403, "key-project-mismatch"),
    NotFoundError: (404, "not-found"),
    FactNotFoundError: (404, "fact-not-found"),
    FactChangedError: (409, "fact-changed"),
    LegalHoldError: (409, "legal-hold"),
    ErasureInProgressError: (409, "erasure-in-progress"),
    IdempotencyMismatchError: (409, "idempotency-key-body-mismatch"),
    IdempotencyInFlightError: (409, "idempotency-key-in-flight"),
    ReplayWithheldError: (409, "idempotency-key-replay-withheld"),
    TooLargeError: (413, "request-too-large"),
    SemanticUnavailableError: (422, "semantic-unavailable"),
    EmbeddingUnavailableError: (503, "search-unavailable"),
    SearchUnavailableError: (503, "search-unavailable"),
    SearchUnsupportedError: (501, "memory-operation-unsupported"),
    StoreFailedError: (500, "persistence-error"),
    StoreUnavailableError: (503, "persistence-unavailable"),
    # A new fact that loses every race for its own id's partition: nothing was written, and a retry is right.
    WriteConflictError: (503, "persistence-unavailable"),
}

# Seconds. DynamoDB's throttles are over within one or two; a shorter wait would only bring the caller back into them.
RETRY_AFTER_SECONDS = 2

# spec/facts.md §12.
IN_FLIGHT_RETRY_AFTER_SECONDS = 5

_STORE_MESSAGES = {
    500: "The store refused; this was logged.",
    503: "The store does not answer in time; try again.",
}


def problem_of(error: PalimpsestError) -> tuple[int, str]:
    """Return the status and code of an error: its own, or those of the nearest kind of error that it is one of."""
    known = (PROBLEMS[kind] for kind in type(error).__mro__ if kind in PROBLEMS)
    return next(known, (500, "internal-server-error"))


def answer_for(error: PalimpsestError, request_id: str) -> Answer:
    """Return the answer that tells a caller of an error: its code, a sentence, machine-readable extras."""
    status, code = problem_of(error)
    headers: dict[str, str] = {}
    if status == 401:  # noqa: PLR2004 - RFC 9110 §15.5.2 asks for the header with this very status
        headers["WWW-Authenticate"] = "Bearer"
    if status == 503:  # noqa: PLR2004 - spec/facts.md §2: both 503 codes carry it
        headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    if isinstance(error, IdempotencyInFlightError):
        headers["Retry-After"] = str(IN_FLIGHT_RETRY_AFTER_SECONDS)
    # What a store says may quote what it was given, so its own words stay inside.
    message = _STORE_MESSAGES.get(status, str(error))
    return envelope(status, code, message, request_id, details=error.details, headers=headers)


def envelope(
    status: int,
    code: str,
    message: str,
    request_id: str,
    *,
    details: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Return an answer in the shape of every error (spec/facts.md §2)."""
    error: dict[str, object] = {"code": code, "message": message}
    if details:
        error["details"] = dict(details)
    error["requestId"] = request_id
    return Answer(status=status, body=write_json({"error": error}), headers=headers or {})
