"""Where DynamoDB's errors become the domain's: one table, one context manager.

A test walks the errors that botocore's model declares for the operations that we call, and finds each here.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    IncompleteReadError,
)
from botocore.exceptions import (
    ConnectionError as BotoConnectionError,
)

from palimpsest.domain.errors import (
    StoreError,
    StoreFailedError,
    StoreUnavailableError,
    WriteConflictError,
)

CANCELED = "TransactionCanceledException"
IN_PROGRESS = "TransactionInProgressException"
_SERVER_FAULT = 500
# Of a reason of a transaction, and of a single write.
_CONDITION_FAILED = frozenset({"ConditionalCheckFailed", "ConditionalCheckFailedException"})

# Error codes, and the reasons' codes of a transaction that was cancelled.
STORE_ERRORS: Mapping[str, type[StoreError]] = {
    "ConditionalCheckFailed": WriteConflictError,
    "ConditionalCheckFailedException": WriteConflictError,
    "TransactionConflict": WriteConflictError,
    "TransactionConflictException": WriteConflictError,
    "ReplicatedWriteConflictException": WriteConflictError,
    # Our own attempt of before, still under way: whether it lands is not known yet.
    IN_PROGRESS: StoreUnavailableError,
    "ProvisionedThroughputExceeded": StoreUnavailableError,
    "ProvisionedThroughputExceededException": StoreUnavailableError,
    "RequestLimitExceeded": StoreUnavailableError,
    "ThrottlingError": StoreUnavailableError,
    "ThrottlingException": StoreUnavailableError,
    "InternalServerError": StoreUnavailableError,
    "ServiceUnavailable": StoreUnavailableError,
    "ResourceNotFoundException": StoreFailedError,
    "AccessDeniedException": StoreFailedError,
    "ValidationException": StoreFailedError,
    "ValidationError": StoreFailedError,
    "InvalidEndpointException": StoreFailedError,
    "ItemCollectionSizeLimitExceeded": StoreFailedError,
    "ItemCollectionSizeLimitExceededException": StoreFailedError,
    "IdempotentParameterMismatchException": StoreFailedError,
}

_MESSAGES: Mapping[type[StoreError], str] = {
    WriteConflictError: "Another writer was there first, or at the same time.",
    StoreUnavailableError: "The store is busy or did not answer in time.",
    StoreFailedError: "The store refused.",
}


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn every error of the vendor's library into one of the domain's; the cause keeps what the vendor said.

    Raises:
        WriteConflictError: If a condition failed, or another transaction was in the way: nothing was written.
        StoreUnavailableError: If the store is throttled, faulty or silent.
        StoreFailedError: If it refused for good.
    """
    try:
        yield
    except ClientError as error:
        raise _built(_kind_of(error)) from error
    except (BotoConnectionError, HTTPClientError, IncompleteReadError) as error:
        raise _built(StoreUnavailableError) from error
    except BotoCoreError as error:
        raise _built(StoreFailedError) from error


def failed_conditions(error: StoreError) -> Mapping[int, Mapping[str, Any]]:
    """Return the conditions that failed, by position in the transaction (0 for a single write), with the item that stood there.

    An item is empty where none stood.

    Needs ``ReturnValuesOnConditionCheckFailure=ALL_OLD`` on each request.
    """
    cause = error.__cause__
    if not isinstance(cause, ClientError):
        return {}
    response = cast("Mapping[str, Any]", cause.response)
    reasons: Sequence[Mapping[str, Any]] = response.get("CancellationReasons", ())
    if response["Error"]["Code"] != CANCELED:
        reasons = [{**response, "Code": response["Error"]["Code"]}]
    return {
        position: reason.get("Item") or {}
        for position, reason in enumerate(reasons)
        if reason.get("Code") in _CONDITION_FAILED
    }


def may_have_landed(error: StoreError) -> bool:
    """Tell whether a write that failed so may have happened all the same: its answer was lost, not refused."""
    cause = error.__cause__
    if not isinstance(error, StoreUnavailableError) or not isinstance(cause, ClientError):
        return isinstance(error, StoreUnavailableError)
    response = cast("Mapping[str, Any]", cause.response)
    status: int = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status >= _SERVER_FAULT or response["Error"]["Code"] == IN_PROGRESS


def _kind_of(error: ClientError) -> type[StoreError]:
    response = cast("Mapping[str, Any]", error.response)
    code = response.get("Error", {}).get("Code", "")
    if code == CANCELED:
        return _kind_of_reasons(response.get("CancellationReasons", ()))
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return STORE_ERRORS.get(
        code, StoreUnavailableError if status >= _SERVER_FAULT else StoreFailedError
    )


def _kind_of_reasons(reasons: Sequence[Mapping[str, Any]]) -> type[StoreError]:
    """Return what the first reason that is one means; they stand in the order of the transaction's items."""
    codes = [reason.get("Code", "None") for reason in reasons]
    first = next((code for code in codes if code != "None"), "")
    return STORE_ERRORS.get(first, StoreFailedError)


def _built(kind: type[StoreError]) -> StoreError:
    return kind(_MESSAGES[kind])
