"""Feeds and lists of entities meet everything once, and say themselves where the end is: T35 to T38."""

import json
from typing import Any

import pytest

from tests.atoms import (
    ENTITIES,
    MEMORY,
    ask_memory,
    call_tool,
    feed,
    items_of,
    tool_result,
    write_atom,
    write_atoms,
)
from tests.tenants import HttpCaller, Tenant, new_tenant

TYPES = ("person", "organization")


def write_many(caller: HttpCaller, count: int, **fields: Any) -> list[str]:
    return write_atoms(caller, [{"content": f"Note {n}.", **fields} for n in range(count)])


def build_entities(caller: HttpCaller, count: int, **fields: Any) -> None:
    """Remember so many entities, fifty in a call."""
    for start in range(0, count, 50):
        facts = [
            {"entityName": f"Entity {n}", "observation": "It is known.", **fields}
            for n in range(start, min(start + 50, count))
        ]
        built = call_tool(caller, "build_knowledge", facts=facts)
        assert built["ok"], built


@pytest.mark.parametrize(
    "wanted",
    [{"domain": "rare"}, {"exclude_author": "user:ana"}],
    ids=["domain", "author"],
)
def test_t35_a_feed_has_no_last_page_before_the_match(tenant, wanted):
    scope = {"projectId": "p"}
    ana = tenant.caller("ana", writes=("p",), default_scope=scope)
    ben = tenant.caller("ben", writes=("p",), default_scope=scope)
    write_many(ana, 10)
    match = write_atom(ben, "found", domain="rare")
    write_many(ana, 189, domain="common")

    walked = list(feed(ana, limit=10, **wanted))

    assert [atom_id for page in walked for atom_id in items_of(page)] == [match]
    assert [page["next_cursor"] is None for page in walked] == [False] * (len(walked) - 1) + [True]


def test_t35_a_list_of_entities_meets_the_only_match_at_once(tenant):
    ana = tenant.caller()
    build_entities(ana, 10, entityType="concept")
    build_entities(ana, 1, entityType="location")
    build_entities(ana, 150, entityType="concept")

    page = call_tool(ana, "list_entities", entityTypes=["location"], limit=10)

    assert [entity["type"] for entity in page["entities"]] == ["location"]
    assert (page["total"], page["returned"]) == (1, 1)


def test_t36_every_atom_is_reached_and_a_cursor_fits_one_feed_only(crowd):
    ana, ben = crowd.caller("ana"), crowd.caller("ben")

    walked = list(feed(ana, limit=25))
    cursor = walked[0]["next_cursor"]
    replayed = [ask_memory(ana, "recent", {"limit": 25, "cursor": cursor}) for _ in "ab"]
    wider = ask_memory(ana, "recent", {"limit": 100, "cursor": cursor})
    altered = [
        cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        for place in range(0, len(cursor), 7)
    ]
    refused = [
        *(ana.ask("POST", f"{MEMORY}/recent", {"cursor": text}) for text in altered),
        ana.ask("POST", f"{MEMORY}/recent", {"cursor": cursor[:-1]}),
        ana.ask("POST", f"{MEMORY}/recent", {"cursor": cursor + "A"}),
        ana.ask("POST", f"{MEMORY}/recent", {"cursor": ""}),
        ana.ask("POST", f"{MEMORY}/recent", {"cursor": cursor, "domain": "general"}),
        ana.ask("POST", f"{MEMORY}/recent", {"cursor": cursor, "include_history": True}),
        ana.ask("POST", f"{MEMORY}/recent", {"cursor": cursor, "since": "2020-01-01"}),
        ana.ask("GET", f"{MEMORY}/export", query={"cursor": cursor}),
        ben.ask("POST", f"{MEMORY}/recent", {"cursor": cursor}),
    ]

    seen = [atom_id for page in walked for atom_id in items_of(page)]
    assert (len(seen), len(set(seen))) == (250, 250)
    assert len({page["next_cursor"] for page in walked}) == len(walked)
    assert [items_of(page) for page in replayed] == [items_of(walked[1])] * 2
    assert items_of(wider) == seen[25:125]
    assert {(a.status_code, a.json()["code"]) for a in refused} == {(400, "bad-input")}


def test_t36_a_feed_meets_what_was_there_at_its_start_while_others_write(tenant):
    ana = tenant.caller()
    before = set(write_many(ana, 40))

    seen: list[str] = []
    for page in feed(ana, limit=10):
        seen += items_of(page)
        write_atom(ana, f"newer than {len(seen)}")

    assert len(seen) == len(set(seen))
    assert before <= set(seen)


def test_t36_every_entity_is_reached_by_its_offset_once(tenant):
    ana = tenant.caller()
    for place, kind in enumerate(TYPES):
        facts = [
            {"entityName": f"E{n}", "observation": "It is known.", "entityType": kind}
            for n in range(place * 60, place * 60 + 60)
        ]
        for start in (0, 50):
            call_tool(ana, "build_knowledge", facts=facts[start : start + 50])

    def walk(limit: int, **given: Any) -> list[str]:
        names: list[str] = []
        total = 1
        while len(names) < total:
            page = call_tool(ana, "list_entities", limit=limit, offset=len(names), **given)
            assert page["returned"] == len(page["entities"]) > 0
            assert page["offset"] == len(names)
            names += [entity["name"] for entity in page["entities"]]
            total = page["total"]
        return names

    everything = {f"E{n}" for n in range(120)}
    for limit in (7, 100):
        names = walk(limit)
        assert (len(names), set(names)) == (120, everything)
    assert sorted(walk(7, entityTypes=["person"])) == sorted(f"E{n}" for n in range(60))
    beyond = call_tool(ana, "list_entities", offset=120)
    assert (beyond["total"], beyond["returned"], beyond["entities"]) == (120, 0, [])


BAD_LIMITS: tuple[Any, ...] = (
    -1,
    0,
    101,
    10**9,
    1e9,
    1.5,
    "abc",
    "7",
    "",
    True,
    [],
    {},
    float("1e300"),
)


@pytest.mark.parametrize("limit", BAD_LIMITS)
def test_t38_a_limit_that_is_none_is_refused_and_its_bounds_are_named(crowd, limit):
    ana = crowd.caller("ana")

    answers = [
        ana.ask("POST", f"{MEMORY}/recent", {"limit": limit}),
        ana.ask("POST", f"{MEMORY}/atoms/by-external-ref", {"external_ref": "x", "limit": limit}),
    ]
    result = tool_result(ana, "list_entities", limit=limit)

    for answer in answers:
        (error,) = answer.json()["details"]["errors"]
        assert (answer.status_code, error["loc"]) == (400, ["body", "limit"])
    fault = json.loads(result["content"][0]["text"])
    assert result["isError"]
    assert fault["error"] == "Invalid limit"
    assert fault["fix"] == "Set limit between 1 and 100"


@pytest.mark.parametrize("offset", [-1, 1.5, "abc", "7", True, None, -(10**9)])
def test_t38_an_offset_that_is_none_is_refused(crowd, offset):
    result = tool_result(crowd.caller("ana"), "list_entities", offset=offset)

    assert result["isError"]
    assert "offset" in result["content"][0]["text"]


@pytest.mark.parametrize(
    "query",
    ["limit=-1", "limit=0", "limit=201", "limit=1e9", "limit=abc", "limit=1.5", "limit=", "limit=%D9%A7",
     "offset=-1", "offset=x"],
)  # fmt: skip
def test_t38_the_route_beside_the_tool_refuses_them_too(crowd, query):
    answer = crowd.caller("ana").ask("GET", f"{ENTITIES}/entities?{query}")

    assert answer.status_code == 400
    assert query.partition("=")[0] in answer.text


def test_t38_a_limit_inside_its_bounds_is_kept(crowd):
    ana = crowd.caller("ana")

    for limit, count in ((1, 1), (7, 7), (7.0, 7), (100, 100), (None, 20)):
        page = ask_memory(ana, "recent", {"limit": limit})
        assert (len(page["items"]), page["next_cursor"] is None) == (count, False)


@pytest.fixture(scope="module")
def crowd(laptop, connection) -> Tenant:
    """A tenant whose Ana has more atoms than any page holds."""
    tenant = new_tenant(laptop, connection)
    write_many(tenant.caller("ana"), 250)
    return tenant
