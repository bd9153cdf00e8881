"""Everything that can go wrong in the domain's own words.

The edge gives each its status and code (``palimpsest.api.problems``). No message holds fact text, a query or a token.

    PalimpsestError
    ├── BadInputError                     the request itself is wrong
    │   ├── ScopeInvalidError             a scopeKind/scopeId/inherit triplet that means nothing
    │   ├── ScopeMismatchError            another tenant's id
    │   ├── InvalidCursorError            a cursor that does not open here
    │   └── UnprocessableError            well formed, and yet no request that could be done
    ├── TooLargeError                     a body, or a fact as stored, over its budget
    ├── NotAuthenticatedError
    │   ├── TokenMissingError             none, malformed or unknown
    │   ├── TokenRevokedError
    │   └── TokenExpiredError
    ├── PermissionDeniedError             may see it, may not do it
    │   ├── KeyProjectMismatchError       the key is limited to another project
    │   └── RoomsNotOfferedError          shared rooms, which this service has none of
    ├── NotFoundError                     no such thing for this caller
    │   ├── FactNotFoundError
    │   ├── AtomNotFoundError
    │   └── EntityNotFoundError           nothing is remembered under that name
    ├── ConflictError
    │   ├── FactChangedError              another revision came first
    │   ├── DuplicateFactError            the very same stands already
    │   ├── AtomReplacedError             another atom replaced it already
    │   ├── LegalHoldError                held: neither replaced nor deleted
    │   ├── IdempotencyMismatchError      one key, two bodies
    │   ├── IdempotencyInFlightError      the first request with the key is still at work
    │   ├── ReplayWithheldError           the kept answer may not be given again
    │   └── ErasureInProgressError        nothing new is stored for a person who is being erased
    ├── SearchUnsupportedError            this deployment has no index
    ├── SemanticUnavailableError          asked by meaning, and this deployment cannot now
    ├── EmbeddingUnavailableError         the embedding model does not answer in time
    ├── SearchUnavailableError            the index does not answer in time
    └── StoreError
        ├── WriteConflictError            a lost race; read again and retry
        ├── StoreUnavailableError         throttled, or no answer in time
        └── StoreFailedError              refused for a reason that a retry does not cure
"""

from collections.abc import Mapping
from enum import StrEnum

from palimpsest.domain.token_faults import TokenFault


class Place(StrEnum):
    """Where in a request a field stands."""

    BODY = "body"
    QUERY = "query"
    HEADER = "header"


class PalimpsestError(Exception):
    """The root: whatever this service says no with.

    Args:
        message: A sentence.
        details: Machine-readable extras for the answer.
    """

    def __init__(self, message: str = "", **details: object) -> None:
        super().__init__(message)
        self.details: Mapping[str, object] = details


class BadInputError(PalimpsestError):
    """The request is wrong in a way that its sender can mend.

    Args:
        message: A sentence that names the field and what it takes; never the value that came.
        field: Path of the field, such as ``scope.userId``; empty when it is the request as a whole.
    """

    def __init__(self, message: str, *, field: str = "", place: Place = Place.BODY) -> None:
        super().__init__(message, **({"field": field} if field else {}))
        self.field = field
        self.place = place


class ScopeInvalidError(BadInputError):
    """A ``scopeKind``, ``scopeId``, ``inherit`` combination that means nothing."""


class ScopeMismatchError(BadInputError):
    """The request names another tenant than its token's."""


class InvalidCursorError(BadInputError):
    """A cursor that cannot be continued from; the list has to start again without it."""


class UnprocessableError(BadInputError):
    """The request can be read, and asks for what cannot be: its fields contradict each other, or a name means nothing."""


class TooLargeError(PalimpsestError):
    """A body, or a fact with all its fields, is over its budget.

    Args:
        max_bytes: The budget, in bytes.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__(
            f"The request is too large: at most {max_bytes} bytes.", maxBytes=max_bytes
        )
        self.max_bytes = max_bytes


class NotAuthenticatedError(PalimpsestError):
    """It is not known who asks.

    Attributes:
        fault: What is wrong with the token, for doors that tell.
    """

    fault = TokenFault.INVALID


class TokenMissingError(NotAuthenticatedError):
    """No token, or one that this service never gave out.

    Args:
        message: A sentence; never the token.
        fault: Which of the two, and whether it is written as a token is.
    """

    def __init__(self, message: str, *, fault: TokenFault = TokenFault.INVALID) -> None:
        super().__init__(message)
        self.fault = fault


class TokenRevokedError(NotAuthenticatedError):
    """The token was taken back."""

    fault = TokenFault.REVOKED


class TokenExpiredError(NotAuthenticatedError):
    """The token's time is over."""

    fault = TokenFault.EXPIRED


class PermissionDeniedError(PalimpsestError):
    """The caller may see the thing, but not do this to it."""


class KeyProjectMismatchError(PermissionDeniedError):
    """The key is limited to one project and the request names another."""


class RoomsNotOfferedError(PermissionDeniedError):
    """Something was asked of shared rooms, which clients of ``/api/v1`` know and this service does not offer to anybody."""

    def __init__(self) -> None:
        super().__init__(
            "Shared rooms are not offered here. What a project's members write is shared among them already."
        )


class NotFoundError(PalimpsestError):
    """No such thing, or none that this caller may know of: the two are told alike."""


class FactNotFoundError(NotFoundError):
    """No such fact for this caller.

    Args:
        fact_id: The id as it was asked for.
    """

    def __init__(self, fact_id: str) -> None:
        super().__init__("No such fact.", factId=fact_id)
        self.fact_id = fact_id


class EntityNotFoundError(NotFoundError):
    """No entity of that name stands in the scope, or nothing of it may be shown to this caller."""

    def __init__(self) -> None:
        super().__init__("No such entity.")


class AtomNotFoundError(NotFoundError):
    """No such atom for this caller; what has this id may be a fact of another type.

    Args:
        message: A sentence.
        atom_id: As the request names it, where it names several.
    """

    def __init__(self, message: str, *, atom_id: str | None = None) -> None:
        super().__init__(message, **({} if atom_id is None else {"atomId": atom_id}))


class ConflictError(PalimpsestError):
    """The request was right, but not for the state of things."""


class FactChangedError(ConflictError):
    """The current revision is not the expected one.

    Args:
        current_version: The version that stands now.
    """

    def __init__(self, current_version: int) -> None:
        message = f"The fact has changed: its current version is {current_version}."
        super().__init__(message, currentVersion=current_version)
        self.current_version = current_version


class DuplicateFactError(ConflictError):
    """The very same stands already in that scope, of a type that stands once; nothing was written.

    Args:
        fact_id: Of the fact that stands; to be looked at before it is told, for it may have ended since.
    """

    def __init__(self, fact_id: str) -> None:
        super().__init__("The very same content stands already.", factId=fact_id)
        self.fact_id = fact_id


class AtomReplacedError(ConflictError):
    """The atom that is to be replaced was replaced already; whoever did so may be replaced instead.

    Args:
        atom_id: As the request names it.
    """

    def __init__(self, atom_id: str) -> None:
        super().__init__("Another atom has replaced this one already.", atomId=atom_id)


class LegalHoldError(ConflictError):
    """The fact is held: it can neither be replaced nor deleted until a tenant admin lifts the hold."""


class IdempotencyMismatchError(ConflictError):
    """An ``Idempotency-Key`` came back with another body."""


class IdempotencyInFlightError(ConflictError):
    """The first request with this ``Idempotency-Key`` is still at work."""


class ReplayWithheldError(ConflictError):
    """The answer that was kept for an ``Idempotency-Key`` may not, or cannot, be given again.

    Args:
        status: Of the first answer.
        at: When it was given, as it is shown.
    """

    def __init__(self, status: int, at: str) -> None:
        message = "The first answer to this Idempotency-Key cannot be given again."
        super().__init__(message, status=status, at=at)


class ErasureInProgressError(ConflictError):
    """A person, conversation or fact that the request names is being erased."""


class SearchUnsupportedError(PalimpsestError):
    """A search was asked for, and this deployment has no index to search."""


class SemanticUnavailableError(PalimpsestError):
    """A search by meaning was asked for, and there are no embeddings here, or their provider does not answer."""


class EmbeddingUnavailableError(PalimpsestError):
    """The embedding model does not answer in time, or refuses for now. Becomes one of the others at a use case's edge."""


class SearchUnavailableError(PalimpsestError):
    """The index does not answer in time. Never an empty answer instead."""


class StoreError(PalimpsestError):
    """The store did not do what was asked."""


class WriteConflictError(StoreError):
    """Another writer was there first, or at the same time. Nothing was written; read again and retry."""


class StoreUnavailableError(StoreError):
    """The store is throttled or does not answer in time. Whether a write happened is not known."""


class StoreFailedError(StoreError):
    """The store refused for a reason that trying again does not cure."""
