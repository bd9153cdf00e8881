"""Doors: how a token is found and how a refusal looks (spec/read-memory.md §1, spec/facts.md §2)."""

import json

import pytest
from palimpsest.api.doors import FACTS_DOOR, MEMORY_DOOR, door_at
from palimpsest.api.problems import CRASH, PROBLEMS, Refusal, refusal_of
from palimpsest.api.requests import Request
from palimpsest.domain.errors import (
    BadInputError,
    FactNotFoundError,
    IdempotencyInFlightError,
    InvalidCursorError,
    NotAuthenticatedError,
    Place,
    StoreUnavailableError,
    TokenExpiredError,
    TokenMissingError,
    TokenRevokedError,
    TooLargeError,
    UnprocessableError,
)
from palimpsest.domain.token_faults import TokenFault

from tests.service import REQUEST_ID, FakeService


def build_request(**headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method="GET", path="/", route_key="GET /", headers=named, request_id="r-1")


def told(error):
    return json.loads(MEMORY_DOOR.refuse(refusal_of(error), "r-1").body)


@pytest.mark.parametrize("path", ["/api/v1", "/api/v1/", "/api/v1/memory/read", "/api/v1/nowhere"])
def test_everything_below_api_v1_is_the_memory_door(path):
    assert door_at(path) is MEMORY_DOOR


@pytest.mark.parametrize("path", ["/", "/v1/memory/facts", "/api", "/api/v1x/memory", "//api/v1/x"])
def test_everything_else_is_the_facts_door(path):
    assert door_at(path) is FACTS_DOOR


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer pal_1"},
        {"authorization": "bearer  pal_1 "},
        {"x_api_key": "pal_1"},
        {"x_api_key": " pal_1 "},
        {"x_api_key": "pal_1", "authorization": "Bearer pal_1"},
        # Some proxies of companies ask for a password of their own.
        {"x_api_key": "pal_1", "authorization": "Basic abc"},
        {"x_api_key": " ", "authorization": "Bearer pal_1"},
    ],
)
def test_the_memory_door_finds_a_token_in_either_header(headers):
    assert MEMORY_DOOR.find_token(build_request(**headers)) == "pal_1"


@pytest.mark.parametrize(
    ("headers", "fault"),
    [
        ({}, TokenFault.MISSING),
        ({"x_api_key": "  "}, TokenFault.MISSING),
        ({"authorization": " "}, TokenFault.MISSING),
        ({"authorization": "Basic abc"}, TokenFault.MALFORMED),
        ({"authorization": "Bearer "}, TokenFault.MALFORMED),
        ({"x_api_key": "pal_1", "authorization": "Bearer pal_2"}, TokenFault.MALFORMED),
    ],
)
def test_without_one_token_nobody_is_known(headers, fault):
    with pytest.raises(TokenMissingError) as refused:
        MEMORY_DOOR.find_token(build_request(**headers))

    assert refused.value.fault is fault


def test_the_facts_door_knows_no_x_api_key():
    with pytest.raises(TokenMissingError):
        FACTS_DOOR.find_token(build_request(x_api_key="pal_1"))


def test_a_refusal_of_the_memory_door_is_flat():
    answer = MEMORY_DOOR.refuse(refusal_of(FactNotFoundError("f-1")), "r-1")

    assert answer.status == 404
    assert json.loads(answer.body) == {
        "code": "fact-not-found",
        "message": "No such fact.",
        "requestId": "r-1",
        "retryable": False,
        "details": {"factId": "f-1"},
    }


@pytest.mark.parametrize("status", sorted({status for status, _ in PROBLEMS.values()} | {405, 429}))
def test_only_what_a_later_try_may_cure_is_retryable(status):
    refusal = Refusal(status=status, code="c", message="m")

    answer = json.loads(MEMORY_DOOR.refuse(refusal, "r-1").body)

    # A 500 says false: without the word, the clients would send a 5xx again.
    assert answer["retryable"] is (status in {429, 503})


def test_a_store_that_is_busy_says_when_to_come_again():
    answer = MEMORY_DOOR.refuse(refusal_of(StoreUnavailableError("x")), "r-1")

    assert answer.headers == {"Retry-After": "2"}
    assert json.loads(answer.body)["retryable"] is True


def test_a_conflict_is_not_retryable_even_while_the_first_request_is_at_work():
    assert told(IdempotencyInFlightError("x"))["retryable"] is False


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TokenMissingError("x", fault=TokenFault.MISSING), "missing_key"),
        (TokenMissingError("x", fault=TokenFault.MALFORMED), "malformed_key"),
        (TokenMissingError("x"), "invalid_key"),
        (TokenRevokedError("x"), "revoked_key"),
        (TokenExpiredError("x"), "expired_key"),
        (NotAuthenticatedError("x"), "invalid_key"),
    ],
)
def test_a_401_of_the_memory_door_says_what_is_wrong_with_the_key(error, reason):
    answer = told(error)

    assert answer["details"] == {"reason": reason}
    # The npm client looks for these words, to say that the key has to be replaced.
    assert "API key" in answer["message"]


def test_a_401_of_the_facts_door_does_not_say_it():
    answer = json.loads(FACTS_DOOR.refuse(refusal_of(TokenRevokedError("Revoked.")), "r-1").body)

    assert answer == {
        "error": {"code": "auth-revoked", "message": "Revoked.", "requestId": "r-1"},
    }


@pytest.mark.parametrize(
    ("error", "status", "field_error"),
    [
        (
            BadInputError("top_k: must be at most 500.", field="top_k"),
            400,
            {"loc": ["body", "top_k"], "msg": "must be at most 500"},
        ),
        (
            UnprocessableError("until must not be before since.", field="until"),
            422,
            {"loc": ["body", "until"], "msg": "until must not be before since"},
        ),
        (
            InvalidCursorError(
                "cursor: is not one of this list.", field="cursor", place=Place.QUERY
            ),
            400,
            {"loc": ["query", "cursor"], "msg": "is not one of this list"},
        ),
        (
            BadInputError("The body is not valid JSON."),
            400,
            {"loc": ["body"], "msg": "The body is not valid JSON"},
        ),
    ],
)
def test_a_bad_field_is_named_where_the_clients_look_for_it(error, status, field_error):
    assert refusal_of(error).status == status
    assert told(error)["details"] == {"errors": [field_error]}


def test_other_refusals_keep_their_details():
    assert told(TooLargeError(7))["details"] == {"maxBytes": 7}


def test_what_was_not_said_is_left_out():
    assert json.loads(MEMORY_DOOR.refuse(CRASH, "r-1").body) == {
        "code": "internal-server-error",
        "message": "Something broke; this was logged.",
        "requestId": "r-1",
        "retryable": False,
    }


def test_what_is_not_there_is_refused_in_the_manner_of_its_door():
    answer = FakeService().ask("PUT", "/api/v1/nowhere", token=None)

    assert answer.status == 404
    assert answer.body == {
        "code": "not-found",
        "message": "There is nothing at this path.",
        "requestId": REQUEST_ID,
        "retryable": False,
    }


def test_a_request_that_cannot_be_read_is_refused_in_the_manner_of_its_door():
    answer = FakeService().ask("GET", "/api/v1/nowhere", query="a=%ff")

    assert (answer.status, answer.code) == (400, "bad-input")
    assert answer.body["details"] == {
        "errors": [{"loc": ["query"], "msg": "The query string is not valid UTF-8"}]
    }
