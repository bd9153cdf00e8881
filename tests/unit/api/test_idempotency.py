"""One key, one effect: spec/facts.md §12."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.api.idempotency import answer_repeatable
from palimpsest.api.requests import Answer, Request
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import ReplayWithheldError, StoreUnavailableError
from palimpsest.domain.idempotency import HELD_FOR, KEPT_FOR, MAX_KEPT_BYTES
from palimpsest.domain.people import Person, PersonKind

from tests.builders import TENANT, build_caller
from tests.service import FakeService, Response

FACTS = "/v1/memory/facts"
KEY = {"idempotency-key": "k-1"}


@pytest.fixture
def service() -> FakeService:
    service = FakeService()
    service.callers["ana"] = build_caller("ana", writes=("apollo",))
    return service


def _write(
    service: FakeService,
    content: object = "once",
    *,
    fields: Mapping[str, object] | None = None,
    token: str = "admin",
) -> Response:
    body = {"type": "t", "scope": {"tenantId": TENANT}, "content": content, **(fields or {})}
    return service.ask("POST", FACTS, body, headers=KEY, token=token)


def _count(service: FakeService) -> int:
    return len(service.ask("GET", FACTS).body["data"])


def test_a_request_sent_again_has_the_same_answer_and_no_second_effect(service):
    first = _write(service)
    service.clock.advance(timedelta(hours=23))
    second = _write(service)

    assert second.text == first.text
    assert second.status == 201
    assert second.headers["X-Idempotent-Replay"] == "true"
    assert "X-Idempotent-Replay" not in first.headers
    assert _count(service) == 1


@pytest.mark.parametrize("verb", ["supersede", "verify", "delete"])
def test_every_change_of_a_fact_can_be_sent_again(service, verb):
    fact = service.write("old")
    path = f"{FACTS}/{fact['id']}"
    ask: Callable[[], Response] = {
        "supersede": lambda: service.ask(
            "POST", f"{path}/supersede", {"content": "new"}, headers=KEY
        ),
        "verify": lambda: service.ask("POST", f"{path}/verify", headers=KEY),
        "delete": lambda: service.ask("DELETE", path, headers=KEY),
    }[verb]

    first, second = ask(), ask()

    assert (second.status, second.text) == (200, first.text)
    history = service.ask("GET", f"{path}/revisions").body["data"]
    assert len(history) == (1 if verb == "delete" else 2)


def test_another_body_under_the_same_key_is_refused(service):
    _write(service, "once")

    answer = _write(service, "twice")

    assert (answer.status, answer.code) == (409, "idempotency-key-body-mismatch")
    assert _count(service) == 1


def test_a_key_is_its_callers_own_and_its_operations(service):
    fact = _write(service).body
    other = service.ask(
        "POST",
        FACTS,
        {"type": "t", "scope": {"tenantId": TENANT, "projectId": "apollo"}, "content": "mine"},
        token="ana",
        headers=KEY,
    )
    verified = service.ask("POST", f"{FACTS}/{fact['id']}/verify", headers=KEY)

    assert (other.status, other.body["content"]) == (201, "mine")
    assert verified.body["version"] == 2


def test_only_good_answers_are_kept(service):
    refused = _write(service, "x" * 300_000)
    accepted = _write(service, "x")

    assert refused.status == 413
    assert accepted.status == 201


def test_while_the_first_is_at_work_the_second_is_told_to_wait(service):
    waiting: list[Response] = []
    inner = service.facts.add

    def add_slowly(fact):
        if not waiting:
            waiting.append(_write(service))
            waiting.append(_write(service, "other"))
        inner(fact)

    service.facts.add = add_slowly

    first = _write(service)

    assert first.status == 201
    assert (waiting[0].status, waiting[0].code) == (409, "idempotency-key-in-flight")
    assert waiting[0].headers["Retry-After"] == "5"
    assert waiting[1].code == "idempotency-key-body-mismatch"


def test_a_crash_after_the_store_makes_no_second_fact(service):
    inner = service.facts.add

    def add_and_die(fact):
        inner(fact)
        raise SystemExit

    service.facts.add = add_and_die
    with pytest.raises(SystemExit):
        _write(service)
    service.facts.add = inner
    early = _write(service)
    service.clock.advance(HELD_FOR)
    again = _write(service)

    assert early.code == "idempotency-key-in-flight"
    assert again.status == 201
    assert _count(service) == 1
    assert again.body == service.ask("GET", f"{FACTS}/{again.body['id']}").body
    assert _write(service).text == again.text


def test_a_crash_after_a_supersede_makes_no_second_revision_though_others_went_on(service):
    fact = service.write("old")
    path = f"{FACTS}/{fact['id']}"
    inner = service.facts.replace

    def replace_and_die(*step):
        inner(*step)
        raise SystemExit

    def ask() -> Response:
        return service.ask("POST", f"{path}/supersede", {"content": "mine"}, headers=KEY)

    service.facts.replace = replace_and_die
    with pytest.raises(SystemExit):
        ask()
    service.facts.replace = inner
    for n in range(3):
        service.ask("POST", f"{path}/supersede", {"content": n})
    service.clock.advance(HELD_FOR)
    again = ask()

    assert (again.body["version"], again.body["content"]) == (2, "mine")
    assert "invalidatedAt" not in again.body
    assert service.ask("GET", path).body["version"] == 5


@pytest.mark.parametrize("reason", ["erased", "grant gone", "expired"])
def test_what_a_dead_owner_did_is_not_told_to_whom_could_not_get_it(service, reason):
    fields = {
        "scope": {"tenantId": TENANT, "projectId": "apollo"},
        "subjects": [{"kind": "external", "id": "ext-7"}],
        "retention": {"keepUntil": "2026-05-01T13:00:00Z"},
    }
    path = f"{FACTS}/{service.write('old', token='ana', **fields)['id']}"
    inner = service.facts.close

    def close_and_die(*step):
        inner(*step)
        raise SystemExit

    service.facts.close = close_and_die
    with pytest.raises(SystemExit):
        service.ask("DELETE", path, headers=KEY, token="ana")
    if reason == "erased":
        names = service.pseudonyms.all(TENANT, Person(PersonKind.EXTERNAL, "ext-7"))
        service.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=names),)
    elif reason == "grant gone":
        service.callers["ana"] = build_caller("ana", writes=("gemini",))
    service.clock.advance(timedelta(hours=1) if reason == "expired" else HELD_FOR)
    again = service.ask("DELETE", path, headers=KEY, token="ana")

    assert (again.status, again.code) == (409, "idempotency-key-replay-withheld")
    assert again.body["error"]["details"]["status"] == 200


def test_an_unknown_outcome_can_be_tried_again_at_once(service):
    service.facts.write_faults.fail_next(StoreUnavailableError("busy"), times=5)

    busy = _write(service)
    again = _write(service)

    assert busy.status == 503
    assert again.status == 201
    assert _count(service) == 1


def test_after_a_day_a_key_is_new(service):
    first = _write(service)
    service.clock.advance(KEPT_FOR)
    second = _write(service)

    assert second.body["id"] != first.body["id"]
    assert _count(service) == 2


@pytest.mark.parametrize("reason", ["erased", "grant gone"])
def test_what_could_not_be_got_any_more_is_not_given_again(service, reason):
    fields = {
        "scope": {"tenantId": TENANT, "projectId": "apollo"},
        "subjects": [{"kind": "external", "id": "ext-7"}],
    }
    first = _write(service, fields=fields, token="ana")

    if reason == "erased":
        names = service.pseudonyms.all(TENANT, Person(PersonKind.EXTERNAL, "ext-7"))
        service.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=names),)
    else:
        service.callers["ana"] = build_caller("ana", writes=("gemini",))
    again = _write(service, fields=fields, token="ana")

    assert first.status == 201
    assert (again.status, again.code) == (409, "idempotency-key-replay-withheld")
    assert again.body["error"]["details"] == {"status": 201, "at": "2026-05-01T12:00:00.000Z"}


def test_an_expired_fact_is_not_given_again(service):
    ends = {"retention": {"keepUntil": "2026-05-01T13:00:00Z"}}
    _write(service, fields=ends)
    service.clock.advance(timedelta(hours=1))

    again = _write(service, fields=ends)

    assert again.code == "idempotency-key-replay-withheld"


def test_a_deleted_facts_answer_is_given_again_since_its_version_can_be_read(service):
    first = _write(service)
    service.ask("DELETE", f"{FACTS}/{first.body['id']}")

    assert _write(service).text == first.text


def test_an_answer_that_was_too_large_to_keep_is_withheld(service):
    request = Request(method="POST", path="/", route_key="POST /", request_id="r", headers=KEY)
    caller = service.callers["admin"]
    answer_once = service.application.answer_once

    def ask(size: int, key: str) -> Answer:
        keyed = replace(request, headers={"idempotency-key": key})
        body = "x" * size
        return answer_repeatable(
            keyed, caller, lambda *_: Answer(status=200, body=body), answer_once
        )

    kept = [ask(MAX_KEPT_BYTES, "small").body for _ in range(2)]
    large = ask(MAX_KEPT_BYTES + 1, "large")

    assert kept[0] == kept[1]
    assert large.status == 200
    with pytest.raises(ReplayWithheldError):
        ask(MAX_KEPT_BYTES + 1, "large")


@pytest.mark.parametrize("key", ["", " ", "x" * 257])
def test_a_key_that_is_none_is_refused(service, key):
    answer = service.ask("POST", FACTS, {}, headers={"idempotency-key": key})

    assert (answer.status, answer.code) == (400, "bad-input")
    assert answer.body["error"]["details"] == {"field": "Idempotency-Key"}


def test_a_read_takes_no_notice_of_a_key(service):
    service.ask("GET", FACTS, headers=KEY)
    service.write("new")

    assert len(service.ask("GET", FACTS, headers=KEY).body["data"]) == 1


def test_no_record_holds_the_key_or_names_the_caller(service):
    _write(service)

    assert "k-1" not in json.dumps([list(key) for key in service.records.records])
