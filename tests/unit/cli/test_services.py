import json

import click
import httpx
import pytest
from palimpsest_cli.failures import ServiceSilentError, TargetMissingError
from palimpsest_cli.services import ATTEMPTS, Address, Service, find_address

BUSY = httpx.Response(503, json={"error": {"code": "x"}}, headers={"Retry-After": "3"})
IN_FLIGHT = httpx.Response(
    409, json={"error": {"code": "idempotency-key-in-flight"}}, headers={"Retry-After": "5"}
)
GOOD = httpx.Response(201, json={"id": "f"}, headers={"X-Idempotent-Replay": "true"})


class Scripted:
    """Answers one after the other, the last one for ever; an exception is raised."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        client = httpx.Client(base_url="http://here", transport=httpx.MockTransport(self._answer))
        self.service = Service(client=client, pause=self.waits.append)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_busy_service_is_asked_again_when_it_says():
    world = Scripted(BUSY, IN_FLIGHT, httpx.ReadTimeout("late"), GOOD)

    answer = world.service.ask("POST", "/p", body="{}", key="k")

    assert (answer.status, answer.body, answer.is_replay) == (201, {"id": "f"}, True)
    assert world.waits == [3, 5, 2.0]
    assert {request.headers["idempotency-key"] for request in world.requests} == {"k"}


@pytest.mark.parametrize("answer", [BUSY, httpx.ConnectError("nobody")])
def test_patience_ends(answer):
    world = Scripted(answer)

    with pytest.raises(ServiceSilentError, match="http://here"):
        world.service.ask("GET", "/p")

    assert (len(world.requests), len(world.waits)) == (ATTEMPTS, ATTEMPTS - 1)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 500])
def test_a_refusal_is_not_asked_for_again(status):
    world = Scripted(httpx.Response(status, json={"error": {"code": "c", "message": "m"}}))

    answer = world.service.ask("GET", "/p")

    assert (answer.is_good, answer.code, answer.message) == (False, "c", "m")
    assert world.waits == []


@pytest.mark.parametrize("text", ["<html>", "[]", '{"message": "Forbidden"}'])
def test_a_gateways_own_answer_is_told_by_its_status(text):
    world = Scripted(httpx.Response(403, text=text))

    answer = world.service.ask("GET", "/p")

    assert (answer.code, answer.is_good) == ("403", False)
    assert answer.message


def test_an_address_is_given_or_found_in_the_data_folder(tmp_path):
    run = {"url": "http://127.0.0.1:1", "token": "t", "tenantId": "x"}
    (tmp_path / "run.json").write_text(json.dumps(run))

    given = find_address("https://far/", "secret", tmp_path / "nothing")
    found = find_address(None, None, tmp_path)
    mixed = find_address(None, "other", tmp_path)

    assert given == Address(url="https://far", token="secret")
    assert found == Address(url="http://127.0.0.1:1", token="t")
    assert mixed == Address(url="http://127.0.0.1:1", token="other")
    assert "secret" not in repr(given)


@pytest.mark.parametrize("kept", [None, "", "[]", "{}"])
def test_no_address_is_told_in_a_sentence(tmp_path, kept):
    if kept is not None:
        (tmp_path / "run.json").write_text(kept)

    with pytest.raises(TargetMissingError, match="make run"):
        find_address(None, None, tmp_path)


def test_a_url_that_is_none_is_told(tmp_path):
    with pytest.raises(click.UsageError, match="http://"):
        find_address("localhost:1", "t", tmp_path)
