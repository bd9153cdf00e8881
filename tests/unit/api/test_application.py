"""The envelope, identity and what is not there: spec/facts.md §2 and §3."""

import gc
import json

import pytest
from palimpsest.api.problems import PROBLEMS, problem_of
from palimpsest.domain import errors
from palimpsest.domain.callers import OrgAccess, OrgGrant
from palimpsest.domain.errors import StoreFailedError

from tests.builders import TENANT, build_caller
from tests.service import REQUEST_ID, FakeService


@pytest.fixture
def service() -> FakeService:
    return FakeService()


def test_every_error_that_can_be_raised_has_a_status_and_a_code():
    def leaves(error: type[Exception]) -> set[type[Exception]]:
        return {error}.union(*map(leaves, error.__subclasses__()))

    bases = {
        errors.PalimpsestError,
        errors.NotAuthenticatedError,
        errors.ConflictError,
        errors.StoreError,
    }

    # An adapter may have finer ones of its own, which no use case lets out.
    ours = {e for e in leaves(errors.PalimpsestError) if e.__module__ == errors.__name__}
    assert ours - bases == set(PROBLEMS)


def test_an_error_without_a_row_is_answered_as_what_it_is_one_of():
    class NewError(errors.NotFoundError):
        """Somebody will forget its row."""

    answered = problem_of(NewError("x")), problem_of(errors.PalimpsestError("x"))
    del NewError
    gc.collect()

    assert answered == ((404, "not-found"), (500, "internal-server-error"))


@pytest.mark.parametrize("header", [None, "", "x", "Bearer", "Bearer  ", "Basic abc", "Bearer no"])
def test_without_a_valid_token_there_is_one_answer(service, header):
    headers = {} if header is None else {"authorization": header}

    answer = service.ask("GET", "/v1/memory/facts", token=None, headers=headers)

    assert (answer.status, answer.code) == (401, "auth-missing")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_every_answer_carries_the_requests_id(service):
    good = service.ask("GET", "/health", token=None)
    bad = service.ask("GET", "/nowhere", token=None)

    assert good.headers["X-Request-Id"] == bad.headers["X-Request-Id"] == REQUEST_ID
    assert bad.body["error"]["requestId"] == REQUEST_ID
    assert good.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/memory/facts", "GET, POST"),
        ("PATCH", "/v1/memory/facts/x", "DELETE, GET"),
        ("GET", "/v1/memory/facts/x/supersede", "POST"),
        ("HEAD", "/health", "GET"),
    ],
)
def test_a_wrong_method_is_405_and_says_what_is_allowed(service, method, path, allow):
    answer = service.ask(method, path)

    assert (answer.status, answer.headers["Allow"]) == (405, allow)


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/memory", "/v1/memory/facts/", "/v1/memory/facts/x/y", "//health"]
)
def test_an_unknown_path_is_404_in_the_envelope(service, path):
    answer = service.ask("GET", path)

    assert (answer.status, answer.code) == (404, "not-found")


def test_whoami_tells_a_caller_what_they_are(service):
    service.callers["ana"] = build_caller(
        "ana",
        reads=("gemini",),
        writes=("apollo",),
        orgs=(OrgGrant(org_id="nasa", access=OrgAccess.ADMIN),),
        conversations=frozenset({"t1"}),
        project_limit="apollo",
        token_id="k1",
        tools=frozenset({"destructive"}),
    )

    answer = service.ask("GET", "/v1/identity/whoami", token="ana")

    assert answer.body == {
        "tenantId": TENANT,
        "scopes": [
            "conversation:t1:write",
            "org:nasa:admin",
            "project:apollo:write",
            "project:gemini:read",
            "tool:destructive",
        ],
        "role": "member",
        "tenantAdmin": False,
        "userId": "ana",
        "tokenId": "k1",
        "projectId": "apollo",
    }


def test_a_crash_is_a_500_that_tells_nothing_and_logs_no_content(service):
    secret = "Ana's diary"
    del service.facts.write_faults

    body = {"type": "t", "scope": {"tenantId": TENANT}, "content": secret}
    answer = service.ask("POST", "/v1/memory/facts", body)

    assert (answer.status, answer.code) == (500, "internal-server-error")
    assert answer.body["error"].keys() == {"code", "message", "requestId"}
    crashed = json.loads(service.log.getvalue().splitlines()[0])
    assert (crashed["message"], crashed["error"]) == ("request_crashed", "AttributeError")
    assert secret not in service.log.getvalue()


def test_a_store_that_refuses_does_not_speak_to_callers(service):
    service.facts.read_faults.fail_next(StoreFailedError("ValidationException: item Ana"))

    answer = service.ask("GET", "/v1/memory/facts/x")

    assert (answer.status, answer.code) == (500, "persistence-error")
    assert "Ana" not in answer.text


def test_a_request_leaves_one_line_of_numbers_in_the_log(service):
    service.ask("GET", "/v1/memory/facts", query={"type": "private"})

    line = json.loads(service.log.getvalue())

    assert line["message"] == "request_answered"
    assert (line["route"], line["status"]) == ("GET /v1/memory/facts", 200)
    assert line["request_id"] == REQUEST_ID
    assert "private" not in service.log.getvalue()
    assert "admin" not in service.log.getvalue()
