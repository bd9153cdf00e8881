"""Writing, superseding, verifying and deleting over HTTP: spec/facts.md §5 to §8."""

import hashlib
from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import StoreUnavailableError, WriteConflictError
from palimpsest.domain.people import Person, PersonKind

from tests.builders import OTHER_TENANT, TENANT, build_caller
from tests.service import FakeService

FACTS = "/v1/memory/facts"


@pytest.fixture
def service() -> FakeService:
    service = FakeService()
    service.callers |= {
        "ana": build_caller("ana", reads=("read-only",), writes=("apollo",)),
        "ben": build_caller("ben"),
        "bot": build_caller("bot", kind=CallerKind.AGENT, writes=("apollo",)),
        "limited": build_caller("ana", writes=("apollo", "gemini"), project_limit="apollo"),
    }
    return service


def test_a_written_fact_comes_back_whole(service):
    body = {
        "type": "note",
        "scope": {"tenantId": TENANT, "projectId": "apollo", "colour": ["red", 1]},
        "content": {"text": "Ana plays chess.", "count": 2},
        "contentHash": "sha256:a hint that is not believed",
        "retention": {"keepDays": 30, "legalHold": False},
        "subjects": [{"kind": "external", "id": "ext-7"}],
        "validFrom": "2026-01-01T00:00:00Z",
        "validUntil": "2027-01-01T02:00:00+02:00",
        "observedAt": "2026-04-30T23:59:59.9999Z",
        "source": {
            "kind": "http-api",
            "uri": "a:b",
            "freshness": {"ttlSeconds": 60.0, "lastVerifiedAt": "2026-01-01T00:00:00Z"},
            "refresh": {"strategy": "on-read", "priority": 1},
        },
        "contentRef": "blob://s3/b/k",
        "causedByLogId": ["l-1"],
    }

    answer = service.ask("POST", FACTS, body)

    canonical = b'{"count":2,"text":"Ana plays chess."}'
    assert answer.status == 201
    assert answer.body == {
        "id": service.ids.made[0],
        "type": "note",
        "scope": {"tenantId": TENANT, "projectId": "apollo", "colour": ["red", 1]},
        "version": 1,
        "createdAt": "2026-05-01T12:00:00.000Z",
        "content": {"text": "Ana plays chess.", "count": 2},
        "contentRef": "blob://s3/b/k",
        "contentHash": "sha256:" + hashlib.sha256(canonical).hexdigest(),
        "size": len(canonical),
        "retention": {"keepDays": 30, "legalHold": False},
        "source": {
            "kind": "http-api",
            "uri": "a:b",
            "freshness": {"ttlSeconds": 60, "lastVerifiedAt": "2026-01-01T00:00:00.000Z"},
            "refresh": {"strategy": "on-read", "priority": 1},
        },
        "causedByLogId": ["l-1"],
        "trust": "asserted",
        "attributedTo": {"kind": "user", "id": "root"},
        "subjects": [{"kind": "external", "id": "ext-7"}],
        "validFrom": "2026-01-01T00:00:00.000Z",
        "validUntil": "2027-01-01T00:00:00.000Z",
        "observedAt": "2026-04-30T23:59:59.999Z",
        "expiresAt": "2026-05-31T12:00:00.000Z",
    }
    assert service.ask("GET", f"{FACTS}/{answer.body['id']}").text == answer.text


@pytest.mark.parametrize(
    "text",
    [
        "null",
        '""',
        "[]",
        '{"":{"":0}}',
        "1234567890123456789012345678901234567890",
        "0.1",
        "1e300",
        '"\\u0000\\u202e"',
        '"' + "\U0001f600" * 256 + '"',
        "[" * 63 + "]" * 63,
    ],
)
def test_any_content_comes_back_equal(service, text):
    body = f'{{"type":"t","scope":{{"tenantId":"{TENANT}"}},"content":{text}}}'.encode()

    written = service.ask("POST", FACTS, body)
    found = service.ask("GET", f"{FACTS}/{written.body['id']}")

    assert written.status == 201
    assert found.body["content"] == service.ask("POST", FACTS, body).body["content"]
    assert f'"content":{_compact(text)}' in found.text


def _compact(text: str) -> str:
    return {"1e300": "1e+300", '"\\u0000\\u202e"': '"\\u0000\u202e"'}.get(text, text)


MIRRORED = {"kind": "http-api", "refresh": {"strategy": "manual"}}


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        (b"", "bad-input", None),
        (b"[]", "bad-input", None),
        (b"7", "bad-input", None),
        (b"{", "bad-input", None),
        (b'{"type":"a","type":"b"}', "bad-input", None),
        (b"\xff\xfe", "bad-input", None),
        (b"[" * 1000 + b"]" * 1000, "bad-input", None),
        (b'{"content":1e400}', "bad-input", None),
        (b'{"content":NaN}', "bad-input", None),
        (b'{"content":"\\ud800"}', "bad-input", None),
        ({"type": ""}, "bad-input", "type"),
        ({"type": 1}, "bad-input", "type"),
        ({"type": "x" * 257}, "bad-input", "type"),
        ({"type": "\U0001f600" * 129}, "bad-input", "type"),
        ({"colour": "red"}, "bad-input", "colour"),
        ({"retention": None}, "bad-input", None),
        ({"retention": {"keepDays": 0}}, "bad-input", "retention.keepDays"),
        ({"retention": {"keepDays": True}}, "bad-input", "retention.keepDays"),
        ({"retention": {"keepDays": 10**30}}, "bad-input", "retention.keepDays"),
        ({"retention": {"keepUntil": "2026-05-01T12:00:00Z"}}, "bad-input", "retention"),
        ({"retention": {"keepUntil": "tomorrow"}}, "bad-input", "retention.keepUntil"),
        ({"retention": {"legalHold": "yes"}}, "bad-input", "retention.legalHold"),
        ({"subjects": [{"kind": "cat", "id": "tom"}]}, "bad-input", "subjects.0.kind"),
        ({"subjects": [{"kind": "user", "id": ""}]}, "bad-input", "subjects.0.id"),
        ({"subjects": [{"kind": "user"}]}, "bad-input", "subjects.0.id"),
        ({"subjects": [{"kind": "user", "id": "u"}] * 21}, "bad-input", "subjects"),
        ({"observedAt": "2026-05-01"}, "bad-input", "observedAt"),
        ({"observedAt": ""}, "bad-input", "observedAt"),
        ({"observedAt": "2026-05-01T12:00:00"}, "bad-input", "observedAt"),
        (
            {"validFrom": "2026-05-02T00:00:00Z", "validUntil": "2026-05-01T00:00:00Z"},
            "bad-input",
            "validFrom",
        ),
        ({"source": {"kind": "http-api"}}, "bad-input", "source.freshness"),
        (
            {"source": {**MIRRORED, "freshness": {"ttlSeconds": -1}}},
            "bad-input",
            "source.freshness.ttlSeconds",
        ),
        ({"causedByLogId": "l"}, "bad-input", "causedByLogId"),
        ({"scope": "tenant"}, "bad-input", "scope"),
        ({"scope": {}}, "bad-input", "scope.tenantId"),
        ({"scope": {"tenantId": TENANT, "userId": ""}}, "bad-input", "scope.userId"),
        ({"scope": {"tenantId": TENANT, "userId": None}}, "bad-input", "scope"),
        ({"scope": {"tenantId": TENANT, "participantId": "p"}}, "bad-input", "scope"),
        ({"scope": {"tenantId": OTHER_TENANT}}, "scope-mismatch", "scope.tenantId"),
    ],
)
def test_a_body_that_is_not_fit_is_refused_by_its_field(service, body, code, field):
    fit = {"type": "t", "scope": {"tenantId": TENANT}, "content": "x"}
    sent = body if isinstance(body, bytes) else {**fit, **body}

    answer = service.ask("POST", FACTS, sent)

    assert (answer.status, answer.code) == (400, code)
    assert answer.body["error"].get("details", {}).get("field") == field
    assert service.ask("GET", FACTS).body == {"data": [], "hasMore": False}


def test_a_scope_key_of_the_senders_own_is_kept_and_names_no_container(service):
    scope = {"tenantId": TENANT, "user_id": "ana", "project_id": None, "region": {"": [None]}}

    written = service.ask("POST", FACTS, {"type": "t", "scope": scope, "content": "x"})
    found = service.ask("GET", f"{FACTS}/{written.body['id']}")

    assert written.status == 201
    assert written.body["scope"] == scope
    assert found.body["scope"] == scope


def test_absent_content_is_refused_and_null_is_kept(service):
    absent = {"type": "t", "scope": {"tenantId": TENANT}}

    refused = service.ask("POST", FACTS, absent)
    kept = service.ask("POST", FACTS, {**absent, "content": None})

    assert refused.body["error"]["message"] == "content: is required."
    assert kept.status == 201
    assert kept.body["content"] is None


def test_a_fact_over_its_budget_is_413_and_leaves_nothing(service):
    answer = service.ask(
        "POST", FACTS, {"type": "t", "scope": {"tenantId": TENANT}, "content": "x" * 300_000}
    )

    assert (answer.status, answer.code) == (413, "request-too-large")
    assert answer.body["error"]["details"]["maxBytes"] > 200_000
    assert service.ask("GET", FACTS).body["data"] == []


def test_a_body_over_the_limit_is_413(service):
    answer = service.ask("POST", FACTS, b" " * (1024 * 1024 + 1))

    assert (answer.status, answer.code) == (413, "request-too-large")
    assert answer.body["error"]["details"] == {"maxBytes": 1024 * 1024}


@pytest.mark.parametrize(
    ("token", "scope", "status", "code"),
    [
        ("admin", {}, 201, None),
        ("ana", {}, 403, "permission-denied"),
        ("ana", {"userId": "ana"}, 201, None),
        ("ben", {"userId": "ana"}, 403, "permission-denied"),
        ("bot", {"userId": "bot"}, 403, "permission-denied"),
        ("ana", {"projectId": "apollo"}, 201, None),
        ("ana", {"projectId": "read-only"}, 403, "permission-denied"),
        ("ana", {"projectId": "apollo", "userId": "ben"}, 403, "permission-denied"),
        ("ana", {"projectId": "apollo", "colour": "red"}, 403, "permission-denied"),
        ("limited", {"projectId": "apollo"}, 201, None),
        ("limited", {"projectId": "gemini"}, 403, "key-project-mismatch"),
        ("limited", {"userId": "ana"}, 403, "permission-denied"),
    ],
)
def test_who_may_write_where(service, token, scope, status, code):
    body = {"type": "t", "scope": {"tenantId": TENANT, **scope}, "content": 1}

    answer = service.ask("POST", FACTS, body, token=token)

    assert answer.status == status
    assert code is None or answer.code == code


def test_only_a_tenant_admin_sets_and_lifts_a_hold(service):
    held = {"legalHold": True}
    mine = {"type": "t", "scope": {"tenantId": TENANT, "userId": "ana"}, "content": 1}

    by_ana = service.ask("POST", FACTS, {**mine, "retention": held}, token="ana")
    fact = service.write(content=1, retention=held, scope={"projectId": "apollo"})
    path = f"{FACTS}/{fact['id']}"
    lifted_by_ana = service.ask(
        "POST", f"{path}/supersede", {"content": 1, "retention": {}}, token="ana"
    )
    changed = service.ask("POST", f"{path}/supersede", {"content": 2})
    deleted = service.ask("DELETE", path)
    verified = service.ask("POST", f"{path}/verify")
    lifted = service.ask(
        "POST", f"{path}/supersede", {"content": 1, "retention": {"legalHold": False}}
    )
    deleted_then = service.ask("DELETE", path)

    assert (by_ana.status, by_ana.code) == (403, "permission-denied")
    assert (lifted_by_ana.status, lifted_by_ana.code) == (403, "permission-denied")
    assert [a.code for a in (changed, deleted, verified)] == ["legal-hold"] * 3
    assert lifted.body["version"] == 2
    assert deleted_then.status == 200


def test_an_agents_fact_is_unverified_and_names_its_run(service):
    headers = {"x-run-id": "run-1", "x-step-id": "s-2", "x-tool-call-id": "c-3"}
    body = {"type": "t", "scope": {"tenantId": TENANT, "projectId": "apollo"}, "content": 1}

    by_agent = service.ask("POST", FACTS, body, token="bot", headers=headers).body
    without_run = service.ask("POST", FACTS, body, token="bot", headers={"x-step-id": "s"}).body
    by_user = service.ask("POST", FACTS, body, token="ana", headers=headers).body

    assert by_agent["trust"] == "unverified"
    assert by_agent["attributedTo"] == {"kind": "agent", "id": "bot"}
    assert by_agent["generatedBy"] == {"runId": "run-1", "stepId": "s-2", "toolCallId": "c-3"}
    assert "generatedBy" not in without_run
    assert by_user["trust"] == "asserted"
    assert "generatedBy" not in by_user


def test_an_unverified_fact_leaves_its_window_unless_it_is_verified(service):
    service.unverified_window = timedelta(days=2)
    scope = {"projectId": "apollo"}
    left, kept = (service.write(n, token="bot", scope=scope) for n in range(2))

    by_agent = service.ask("POST", f"{FACTS}/{kept['id']}/verify", token="bot")
    verified = service.ask("POST", f"{FACTS}/{kept['id']}/verify", token="ana").body
    service.clock.advance(timedelta(days=2))

    assert left["expiresAt"] == "2026-05-03T12:00:00.000Z"
    assert (by_agent.status, by_agent.code) == (403, "permission-denied")
    assert "expiresAt" not in verified
    assert service.ask("GET", f"{FACTS}/{left['id']}").code == "fact-not-found"
    assert service.ask("GET", f"{FACTS}/{kept['id']}").status == 200


def test_supersede_opens_the_next_revision(service):
    first = service.write("old", subjects=[{"kind": "external", "id": "ext-7"}])
    service.clock.advance(timedelta(seconds=1))

    second = service.ask(
        "POST", f"{FACTS}/{first['id']}/supersede", {"content": "new", "expectVersion": 1}
    ).body
    third = service.ask("POST", f"{FACTS}/{first['id']}/supersede", {"content": "newer"}).body

    assert (second["id"], second["version"]) == (first["id"], 2)
    assert second["supersedes"] == first["id"]
    assert second["subjects"] == first["subjects"]
    assert third["supersedes"] == second["revisionId"]
    history = service.ask("GET", f"{FACTS}/{first['id']}/revisions").body["data"]
    assert [r["content"] for r in history] == ["newer", "new", "old"]
    assert history[2]["invalidatedAt"] == history[1]["createdAt"]
    assert history[2]["invalidationReason"] == "superseded"
    assert history[2]["invalidatedBy"] == "user:root"


@pytest.mark.parametrize("field", ["type", "scope", "tenantId"])
def test_a_supersede_never_moves_a_fact(service, field):
    fact = service.write("old")

    answer = service.ask("POST", f"{FACTS}/{fact['id']}/supersede", {"content": 1, field: "other"})

    assert (answer.status, answer.body["error"]["details"]) == (400, {"field": field})


def test_verify_keeps_the_content_and_a_supersede_drops_the_verification(service):
    fact = service.write("kept")

    verified = service.ask("POST", f"{FACTS}/{fact['id']}/verify", {"expectVersion": 1}).body
    stale = service.ask("POST", f"{FACTS}/{fact['id']}/verify", {"expectVersion": 1})
    again = service.ask("POST", f"{FACTS}/{fact['id']}/supersede", {"content": "other"}).body

    assert (verified["content"], verified["version"]) == ("kept", 2)
    assert (verified["trust"], verified["verifiedBy"]) == ("verified", "user:root")
    assert verified["verifiedAt"] == verified["createdAt"]
    assert (stale.status, stale.code) == (409, "fact-changed")
    assert stale.body["error"]["details"] == {"currentVersion": 2}
    assert again["trust"] == "asserted"
    assert "verifiedBy" not in again


def test_delete_answers_the_closed_revision_once(service):
    fact = service.write("gone")
    path = f"{FACTS}/{fact['id']}"

    stale = service.ask("DELETE", path, query={"expectVersion": "2"})
    deleted = service.ask("DELETE", path, query={"expectVersion": "1"})
    again = service.ask("DELETE", path)

    assert stale.code == "fact-changed"
    assert deleted.body["invalidationReason"] == "deleted"
    assert deleted.body["invalidatedBy"] == "user:root"
    assert (again.status, again.code) == (404, "fact-not-found")
    assert service.ask("GET", path).status == 404
    assert service.ask("GET", path, query={"version": "1"}).body == deleted.body
    assert service.ask("GET", f"{path}/revisions").body == {"data": [deleted.body]}


def test_an_expected_version_of_many_digits_is_a_version_that_is_not_there(service):
    fact = service.write("kept")

    answer = service.ask("DELETE", f"{FACTS}/{fact['id']}", query={"expectVersion": "9" * 30})

    assert (answer.status, answer.code) == (409, "fact-changed")


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "abc", "", "١"])
def test_an_expected_version_that_is_no_version_is_400(service, value):
    fact = service.write("kept")

    answer = service.ask("DELETE", f"{FACTS}/{fact['id']}", query={"expectVersion": value})

    assert (answer.status, answer.code) == (400, "bad-input")
    assert service.ask("GET", f"{FACTS}/{fact['id']}").status == 200


def test_what_may_not_be_seen_is_not_found_before_it_is_forbidden(service):
    fact = service.write("of Ana", token="ana", scope={"userId": "ana"})
    path = f"{FACTS}/{fact['id']}"
    unknown = f"{FACTS}/01890a5d-ac96-774b-bcce-b302099a8057"

    for method, suffix, body in [
        ("GET", "", None),
        ("GET", "/revisions", None),
        ("POST", "/supersede", {"content": 1}),
        ("POST", "/verify", None),
        ("DELETE", "", None),
    ]:
        hidden = service.ask(method, path + suffix, body, token="ben")
        absent = service.ask(method, unknown + suffix, body, token="ben")
        assert hidden.status == absent.status == 404
        assert hidden.text.replace(fact["id"], "") == absent.text.replace(unknown[-36:], "")


def test_a_person_who_is_being_erased_is_neither_read_nor_written(service):
    ana = Person(PersonKind.EXTERNAL, "ext-7")
    subjects = [{"kind": "external", "id": "ext-7"}]
    about_ana, about_ben = service.write("a", subjects=subjects), service.write("b")
    names = service.pseudonyms.all(TENANT, ana)
    service.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=names),)

    path = f"{FACTS}/{about_ana['id']}"
    writes = [
        service.ask(
            "POST",
            FACTS,
            {"type": "t", "scope": {"tenantId": TENANT}, "content": 1, "subjects": subjects},
        ),
        service.ask("POST", f"{path}/supersede", {"content": 1}),
        service.ask("POST", f"{path}/verify"),
        service.ask("DELETE", path),
        service.ask(
            "POST",
            f"{FACTS}/{about_ben['id']}/supersede",
            {"content": 1, "subjects": subjects},
        ),
    ]

    assert [(w.status, w.code) for w in writes] == [(409, "erasure-in-progress")] * 5
    assert service.ask("GET", path).status == 404
    assert service.ask("GET", f"{path}/revisions").status == 404
    assert [f["id"] for f in service.ask("GET", FACTS).body["data"]] == [about_ben["id"]]


def test_permission_is_asked_before_erasure_and_version(service):
    fact = service.write("x", scope={"projectId": "apollo"}, retention={"legalHold": True})
    names = service.pseudonyms.all(TENANT, Person(PersonKind.EXTERNAL, "ext-7"))
    service.facts.open_erasures[TENANT] = (
        OpenErasure(erasure_id="e", fact_id=fact["id"], pseudonyms=names),
    )
    path = f"{FACTS}/{fact['id']}"

    by_agent = service.ask("POST", f"{path}/verify", {"expectVersion": 7}, token="bot")
    lifting = {"content": 1, "retention": {}, "expectVersion": 7}
    by_member = service.ask("POST", f"{path}/supersede", lifting, token="ana")
    by_admin = service.ask("POST", f"{path}/supersede", lifting)

    assert [a.code for a in (by_agent, by_member)] == ["permission-denied"] * 2
    assert by_admin.code == "erasure-in-progress"


def test_a_lost_answer_of_the_store_is_no_second_revision(service):
    fact = service.write("old")
    path = f"{FACTS}/{fact['id']}"

    service.facts.write_faults.drop_answers()
    written = service.write("once")
    service.facts.write_faults.drop_answers()
    superseded = service.ask("POST", f"{path}/supersede", {"content": "new"})
    service.facts.write_faults.drop_answers()
    deleted = service.ask("DELETE", path)

    assert superseded.body["version"] == 2
    assert deleted.body["invalidationReason"] == "deleted"
    assert [f["id"] for f in service.ask("GET", FACTS).body["data"]] == [written["id"]]
    assert len(service.ask("GET", f"{path}/revisions").body["data"]) == 2


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (WriteConflictError("lost"), 409, "fact-changed"),
        (StoreUnavailableError("busy"), 503, "persistence-unavailable"),
    ],
)
def test_a_store_that_stays_busy_ends_as_the_spec_says(service, error, status, code):
    fact = service.write("old")
    path = f"{FACTS}/{fact['id']}"

    service.facts.write_faults.fail_next(error, times=4)
    lucky = service.ask("POST", f"{path}/supersede", {"content": "new"})
    service.facts.write_faults.fail_next(error, times=5)
    answer = service.ask("POST", f"{path}/supersede", {"content": "newer"})

    assert lucky.status == 200
    assert (answer.status, answer.code) == (status, code)
    assert ("Retry-After" in answer.headers) == (status == 503)
    assert service.pauses.attempts == [1, 2, 3, 4] * 2
    assert service.ask("GET", path).body["content"] == "new"
