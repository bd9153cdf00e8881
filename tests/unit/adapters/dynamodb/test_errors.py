from typing import Any

import botocore.session
import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)
from palimpsest.adapters.dynamodb.errors import (
    CANCELED,
    STORE_ERRORS,
    failed_conditions,
    store_errors,
)
from palimpsest.domain.errors import (
    StoreError,
    StoreFailedError,
    StoreUnavailableError,
    WriteConflictError,
)

OPERATIONS = [
    "GetItem",
    "BatchGetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "TransactWriteItems",
]


def client_error(code, *, status=400, reasons=None, item=None) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    if reasons is not None:
        response["CancellationReasons"] = reasons
    if item is not None:
        response["Item"] = item
    return ClientError(response, "Operation")


def kind_of(error: Exception) -> type[StoreError]:
    with pytest.raises(StoreError) as caught, store_errors():
        raise error
    assert caught.value.__cause__ is error
    return type(caught.value)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_error_that_the_service_declares_has_a_meaning(operation):
    model = botocore.session.get_session().get_service_model("dynamodb").operation_model(operation)

    declared = {shape.name for shape in model.error_shapes}

    assert declared - STORE_ERRORS.keys() - {CANCELED} == set()


@pytest.mark.parametrize(("code", "expected"), STORE_ERRORS.items())
def test_a_known_code_is_one_of_ours(code, expected):
    assert kind_of(client_error(code)) is expected


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (["ConditionalCheckFailed", "None"], WriteConflictError),
        (["None", "TransactionConflict"], WriteConflictError),
        (["None", "ThrottlingError", "ConditionalCheckFailed"], StoreUnavailableError),
        (["ProvisionedThroughputExceeded"], StoreUnavailableError),
        (["None", "ValidationError"], StoreFailedError),
        (["ItemCollectionSizeLimitExceeded"], StoreFailedError),
        (["AReasonOfTomorrow"], StoreFailedError),
        ([], StoreFailedError),
    ],
)
def test_a_cancelled_transaction_is_told_by_its_first_reason(reasons, expected):
    error = client_error(CANCELED, reasons=[{"Code": code} for code in reasons])

    assert kind_of(error) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ReadTimeoutError(endpoint_url="x"), StoreUnavailableError),
        (ConnectTimeoutError(endpoint_url="x"), StoreUnavailableError),
        (EndpointConnectionError(endpoint_url="x"), StoreUnavailableError),
        (client_error("NoSuchCodeYet", status=503), StoreUnavailableError),
        (client_error("NoSuchCodeYet"), StoreFailedError),
        (client_error("ExpiredTokenException"), StoreFailedError),
        (NoCredentialsError(), StoreFailedError),
        (ParamValidationError(report="x"), StoreFailedError),
    ],
)
def test_what_no_table_can_list_is_told_apart_by_whether_a_retry_may_help(error, expected):
    assert kind_of(error) is expected


def test_an_error_of_our_own_passes_as_it_is():
    with pytest.raises(ZeroDivisionError), store_errors():
        raise ZeroDivisionError


def test_no_message_repeats_what_the_vendor_said():
    error = client_error("ValidationException")
    error.response["Error"]["Message"] = "secret content"

    with pytest.raises(StoreError) as caught, store_errors():
        raise error

    assert "secret" not in str(caught.value)


def conflict_of(error: ClientError) -> WriteConflictError:
    conflict = WriteConflictError("x")
    conflict.__cause__ = error
    return conflict


def test_the_condition_of_a_single_write_failed_at_its_item():
    error = client_error("ConditionalCheckFailedException", item={"a": 1})

    assert failed_conditions(conflict_of(error)) == {0: {"a": 1}}


def test_the_conditions_that_failed_in_a_transaction_are_told_by_position():
    reasons = [
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Item": {"a": 1}},
        {"Code": "TransactionConflict"},
        {"Code": "ConditionalCheckFailed"},
    ]

    failed = failed_conditions(conflict_of(client_error(CANCELED, reasons=reasons)))

    assert failed == {1: {"a": 1}, 3: {}}


def test_no_condition_failed_where_something_else_did():
    busy = client_error(CANCELED, reasons=[{"Code": "TransactionConflict"}])

    assert failed_conditions(conflict_of(busy)) == {}
    assert failed_conditions(conflict_of(client_error("ThrottlingException"))) == {}
    assert failed_conditions(WriteConflictError("x")) == {}
