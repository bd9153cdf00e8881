"""Errors as refusals: the one table from a domain error to its status and code.

How a refusal looks is the door's matter (``palimpsest.api.doors``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.domain.errors import (
    AtomNotFoundError,
    AtomReplacedError,
    BadInputError,
    DuplicateFactError,
    EmbeddingUnavailableError,
    EntityNotFoundError,
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
    RoomsNotOfferedError,
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
    UnprocessableError,
    WriteConflictError,
)

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
    RoomsNotOfferedError: (403, "rooms-not-offered"),
    NotFoundError: (404, "not-found"),
    FactNotFoundError: (404, "fact-not-found"),
    EntityNotFoundError: (404, "entity-not-found"),
    AtomNotFoundError: (404, "atom-not-found"),
    FactChangedError: (409, "fact-changed"),
    DuplicateFactError: (409, "duplicate-fact"),
    AtomReplacedError: (409, "atom-replaced"),
    LegalHoldError: (409, "legal-hold"),
    ErasureInProgressError: (409, "erasure-in-progress"),
    IdempotencyMismatchError: (409, "idempotency-key-body-mismatch"),
    IdempotencyInFlightError: (409, "idempotency-key-in-flight"),
    ReplayWithheldError: (409, "idempotency-key-replay-withheld"),
    TooLargeError: (413, "request-too-large"),
    UnprocessableError: (422, "unprocessable"),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why there is no good answer.

    Attributes:
        status: The HTTP status.
        code: Stable, for machines.
        message: A sentence, for people.
        details: Machine-readable extras.
        headers: Beyond those that every answer has.
        error: What was raised, where something was.
    """

    status: int
    code: str
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    error: PalimpsestError | None = None


CRASH = Refusal(
    status=500, code="internal-server-error", message="Something broke; this was logged."
)


def refusal_of(error: PalimpsestError) -> Refusal:
    """Return the refusal that an error is told as: its code, a sentence, machine-readable extras."""
    status, code = problem_of(error)
    headers: dict[str, str] = {}
    if status == 401:  # noqa: PLR2004 - RFC 9110 §15.5.2 asks for the header with this very status
        headers["WWW-Authenticate"] = "Bearer"
    if status == 503:  # noqa: PLR2004 - spec/facts.md §2: both 503 codes carry it
        headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    if isinstance(error, IdempotencyInFlightError):
        headers["Retry-After"] = str(IN_FLIGHT_RETRY_AFTER_SECONDS)
    return Refusal(
        status=status,
        code=code,
        # What a store says may quote what it was given, so its own words stay inside.
        message=_STORE_MESSAGES.get(status, str(error)),
        details=error.details,
        headers=headers,
        error=error,
    )
