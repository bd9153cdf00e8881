"""Getting and listing over HTTP: spec/facts.md §2, §4, §9 and §10."""

import json
from datetime import timedelta
from typing import Any

import pytest

from tests.builders import OTHER_TENANT, TENANT, build_caller
from tests.service import FakeService

FACTS = "/v1/memory/facts"


@pytest.fixture
def service() -> FakeService:
    service = FakeService()
    service.callers |= {
        "ana": build_caller("ana", reads=("read-only",), writes=("apollo",)),
        "ben": build_caller("ben"),
        "limited": build_caller("root", is_tenant_admin=True, project_limit="apollo"),
        "stranger": build_caller("root", is_tenant_admin=True, tenant_id=OTHER_TENANT),
    }
    return service


def test_each_instant_has_exactly_one_revision(service):
    fact = service.write("old")
    service.clock.advance(timedelta(seconds=1))
    service.ask("POST", f"{FACTS}/{fact['id']}/supersede", {"content": "new"})

    def content_at(time: str) -> str:
        return str(
            service.ask("GET", f"{FACTS}/{fact['id']}", query={"asOf": time}).body["content"]
        )

    assert content_at("2026-05-01T12:00:00.999Z") == "old"
    assert content_at("2026-05-01T12:00:01.000Z") == "new"
    assert content_at("2026-05-01T17:30:01.001+05:30") == "new"
    before = service.ask("GET", f"{FACTS}/{fact['id']}", query={"asOf": "2026-05-01T11:59:59Z"})
    assert before.code == "fact-not-found"


def test_a_version_wins_over_an_instant(service):
    fact = service.write("old")
    service.ask("POST", f"{FACTS}/{fact['id']}/supersede", {"content": "new"})

    answer = service.ask(
        "GET", f"{FACTS}/{fact['id']}", query={"version": "1", "asOf": "2030-01-01T00:00:00Z"}
    )

    assert answer.body["content"] == "old"


@pytest.mark.parametrize("version", ["2", "9" * 18, "1" + "0" * 5000])
def test_a_version_that_a_fact_never_had_is_not_found_however_long(service, version):
    fact = service.write()

    answer = service.ask("GET", f"{FACTS}/{fact['id']}", query={"version": version})

    assert (answer.status, answer.code) == (404, "fact-not-found")


@pytest.mark.parametrize(
    "query", ["version=", "version=0", "version=x", "asOf=", "asOf=2026-05-01"]
)
@pytest.mark.parametrize("extra", ["", "&asOf=yesterday", "&version=1.0"])
def test_a_version_or_instant_that_is_none_is_400(service, query, extra):
    fact = service.write("kept")

    answer = service.ask("GET", f"{FACTS}/{fact['id']}", query=query + extra)

    assert (answer.status, answer.code) == (400, "bad-input")


@pytest.mark.parametrize(
    "text",
    ["2026-05-01T12:00:00+05:30", "2026-05-01T12:00:00 05:30", "2026-05-01 12:00:00+05:30"],
)
def test_a_zone_is_understood_with_and_without_its_percent_sign(service, text):
    answer = service.ask("GET", FACTS, query=f"asOf={text}")

    assert answer.status == 200


@pytest.mark.parametrize("identifier", ["x", "%00", "%F0%9F%92%A5", "%23", "0" * 5000, "HEAD"])
def test_an_id_that_nothing_has_is_not_found(service, identifier):
    answer = service.ask("GET", f"{FACTS}/{identifier}")

    assert (answer.status, answer.code) == (404, "fact-not-found")


def test_a_list_is_newest_first_and_a_supersede_moves_nothing(service):
    facts = [service.write(n) for n in range(3)]
    service.ask("POST", f"{FACTS}/{facts[0]['id']}/supersede", {"content": "new"})

    data = service.ask("GET", FACTS).body["data"]

    assert [f["id"] for f in data] == [f["id"] for f in reversed(facts)]
    assert data[2]["content"] == "new"


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_pages_meet_every_visible_fact_once_whatever_the_limit(service, limit):
    for n in range(100):
        service.write(n, scope={"userId": "ana" if n % 5 in (0, 2) else "ben"})

    seen = _all_pages(service, token="ben", limit=limit)

    assert [f["content"] for f in seen] == [n for n in reversed(range(100)) if n % 5 not in (0, 2)]


def test_a_walk_that_spends_its_budget_goes_on_where_it_stopped(service):
    service.facts.walk_budget = 10
    target = service.write("found", type="rare")
    for n in range(50):
        service.write(n)

    first = service.ask("GET", FACTS, query={"type": "rare", "limit": "10"}).body
    seen = _all_pages(service, limit=10, type="rare")

    assert first["data"] == []
    assert first["hasMore"] is True
    assert [f["id"] for f in seen] == [target["id"]]


def test_a_page_over_the_answers_budget_is_short_and_goes_on(service):
    for n in range(30):
        service.write(f"{n}" + "\U0001f600" * 30_000)

    first = service.ask("GET", FACTS, query={"limit": "100"})
    seen = _all_pages(service, limit=100)

    assert 0 < len(first.body["data"]) < 30
    assert len(json.dumps(first.text)) < 5.5 * 1024 * 1024
    assert len(seen) == 30


@pytest.mark.parametrize("limit", ["", "0", "-1", "abc", "1.5", "000", "٣", " 5", "1e2"])
def test_a_limit_that_is_none_is_the_default(service, limit):
    for n in range(30):
        service.write(n)

    assert len(service.ask("GET", FACTS, query={"limit": limit}).body["data"]) == 25


@pytest.mark.parametrize("limit", ["100", "101", "1000000000", "9" * 5000])
def test_a_limit_over_the_greatest_is_the_greatest(service, limit):
    for n in range(101):
        service.write(n)

    assert len(service.ask("GET", FACTS, query={"limit": limit}).body["data"]) == 100


def test_a_limit_given_twice_is_the_default(service):
    for n in range(30):
        service.write(n)

    assert len(service.ask("GET", FACTS, query="limit=2&limit=3").body["data"]) == 25


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"type": "a"}, ["a1", "a2"]),
        ({"type": ""}, ["a1", "a2", "b1", "b2"]),
        ({"scope": '{"projectId":"apollo"}'}, ["a1", "b1"]),
        ({"scope": '{"projectId":"apollo","userId":"ana"}'}, ["b1"]),
        ({"scope": '{"projectId":"apoll"}'}, []),
        ({"scope": '{"colour":1}'}, ["b2"]),
        ({"scope": '{"colour":true}'}, []),
        ({"scope": "{}"}, ["a1", "a2", "b1", "b2"]),
        ({"scope": ""}, ["a1", "a2", "b1", "b2"]),
        ({"scope": json.dumps({"tenantId": TENANT})}, ["a1", "a2", "b1", "b2"]),
        ({"scopeKind": "project", "scopeId": "apollo"}, ["a1", "b1"]),
        ({"scopeKind": "org", "scopeId": "nasa"}, ["a2"]),
        ({"scopeKind": "tenant"}, ["a1", "a2", "b1", "b2"]),
        ({"scopeKind": "project", "scopeId": "apollo", "scope": '{"projectId":"x"}'}, []),
        ({"scopeKind": "", "scopeId": "", "inherit": "", "cursor": ""}, ["a1", "a2", "b1", "b2"]),
        ({"inherit": "false"}, ["a1", "a2", "b1", "b2"]),
    ],
)
def test_a_filter_narrows_to_what_it_names(service, query, wanted):
    service.write("a1", type="a", scope={"projectId": "apollo"})
    service.write("a2", type="a", scope={"orgId": "nasa"})
    service.write("b1", type="b", scope={"projectId": "apollo", "userId": "ana"})
    service.write("b2", type="b", scope={"colour": 1})

    data = service.ask("GET", FACTS, query=query).body["data"]

    assert sorted(f["content"] for f in data) == wanted


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"scope": "[]"}, "bad-input"),
        ({"scope": "x"}, "bad-input"),
        ({"scope": '"text"'}, "bad-input"),
        ({"scope": '{"userId":""}'}, "bad-input"),
        ({"scope": '{"userId":7}'}, "bad-input"),
        ({"scope": '{"userId":null}'}, "bad-input"),
        ({"scope": '{"colour":""}'}, "bad-input"),
        ({"scope": '{"userId":"a","userId":"b"}'}, "bad-input"),
        ({"scope": json.dumps({"tenantId": OTHER_TENANT})}, "scope-mismatch"),
        ({"scopeKind": "galaxy"}, "scope-invalid"),
        ({"scopeKind": "tenant", "scopeId": "t"}, "scope-invalid"),
        ({"scopeKind": "org"}, "scope-invalid"),
        ({"scopeKind": "project"}, "scope-invalid"),
        ({"scopeId": "p"}, "scope-invalid"),
        ({"inherit": "maybe"}, "scope-invalid"),
        ({"asOf": ""}, "bad-input"),
        ({"asOf": "yesterday"}, "bad-input"),
        ({"asOf": "2026-05-01"}, "bad-input"),
        ({"asOf": "2026-05-01T12:00:00"}, "bad-input"),
        ({"cursor": "x"}, "bad-input"),
        ({"tpye": "note"}, "bad-input"),
        ("type=a&type=b", "bad-input"),
        ("type=%FF", "bad-input"),
    ],
)
def test_a_filter_that_is_not_fit_is_refused(service, query, code):
    answer = service.ask("GET", FACTS, query=query)

    assert (answer.status, answer.code) == (400, code)


def test_a_cursor_is_good_for_its_own_list_and_caller_only(service):
    for n in range(3):
        service.write(n)
    cursor = service.ask("GET", FACTS, query={"limit": "1"}).body["nextCursor"]

    other_limit = service.ask("GET", FACTS, query={"limit": "2", "cursor": cursor})
    other_filter = service.ask("GET", FACTS, query={"type": "note", "cursor": cursor})
    other_caller = service.ask("GET", FACTS, query={"cursor": cursor}, token="ben")
    altered = service.ask("GET", FACTS, query={"cursor": cursor[:-1] + "x"})

    assert [f["content"] for f in other_limit.body["data"]] == [1, 0]
    assert [a.status for a in (other_filter, other_caller, altered)] == [400] * 3


def test_memory_as_it_stood_lists_what_was_deleted_and_changed_since(service):
    changed, deleted, kept = (service.write(c) for c in ("changed", "deleted", "kept"))
    service.clock.advance(timedelta(hours=1))
    service.ask("POST", f"{FACTS}/{changed['id']}/supersede", {"content": "changed since"})
    service.ask("DELETE", f"{FACTS}/{deleted['id']}")
    service.clock.advance(timedelta(hours=1))
    service.write("later")

    then = service.ask("GET", FACTS, query={"asOf": "2026-05-01T12:30:00Z"}).body["data"]
    now = service.ask("GET", FACTS).body["data"]

    assert [f["content"] for f in then] == ["kept", "deleted", "changed"]
    assert [f["content"] for f in now] == ["later", "kept", "changed since"]
    assert kept["id"] == now[1]["id"]


def test_an_expired_fact_is_gone_from_every_read_by_rule(service):
    fact = service.write("gone", retention={"keepDays": 1})
    path = f"{FACTS}/{fact['id']}"
    service.clock.advance(timedelta(days=1))

    reads = [
        service.ask("GET", path),
        service.ask("GET", path, query={"version": "1"}),
        service.ask("GET", path, query={"asOf": "2026-05-01T12:00:00Z"}),
        service.ask("GET", f"{path}/revisions"),
        service.ask("POST", f"{path}/supersede", {"content": 1}),
        service.ask("DELETE", path),
    ]

    assert {r.code for r in reads} == {"fact-not-found"}
    assert service.ask("GET", FACTS).body["data"] == []


def test_a_key_limited_to_a_project_reaches_nothing_else(service):
    inside = service.write("in", scope={"projectId": "apollo"})
    outside = service.write("out", scope={"projectId": "gemini"})
    tenant_wide = service.write("all")

    listed = service.ask("GET", FACTS, token="limited").body["data"]
    for fact in (outside, tenant_wide):
        assert service.ask("GET", f"{FACTS}/{fact['id']}", token="limited").status == 404
    named = [
        service.ask("GET", FACTS, token="limited", query=query)
        for query in (
            {"scope": '{"projectId":"gemini"}'},
            {"scopeKind": "project", "scopeId": "gemini"},
        )
    ]

    assert [f["id"] for f in listed] == [inside["id"]]
    assert [(a.status, a.code) for a in named] == [(403, "key-project-mismatch")] * 2


def test_another_tenants_admin_finds_nothing(service):
    fact = service.write("ours")

    assert service.ask("GET", FACTS, token="stranger").body["data"] == []
    assert service.ask("GET", f"{FACTS}/{fact['id']}", token="stranger").status == 404


def _all_pages(service: FakeService, *, token: str = "admin", **query: object) -> list[Any]:
    seen: list[Any] = []
    cursor = ""
    for _ in range(200):
        page = service.ask(
            "GET", FACTS, token=token, query={**_texts(query), "cursor": cursor}
        ).body
        seen += page["data"]
        if not page["hasMore"]:
            assert "nextCursor" not in page
            return seen
        cursor = page["nextCursor"]
    raise AssertionError("The list has no end.")


def _texts(query: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in query.items()}
