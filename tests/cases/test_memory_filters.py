"""What a read or a list is narrowed by is taken as it is said, or refused: T24, T26, T28."""

import json
from typing import Any

import pytest

from tests.atoms import (
    ENTITIES,
    MEMORY,
    ask_memory,
    call_tool,
    items_of,
    recent_ids,
    remember,
    tool_result,
    wait_until_read,
    write_atoms,
)
from tests.tenants import HttpCaller

QUERY = {"query": "level", "min_relevance": 0, "include_associations": False, "top_k": 100}


def filtered(caller: HttpCaller, *filters: dict[str, Any]) -> list[str]:
    """Return what a query narrowed by metadata finds."""
    return items_of(ask_memory(caller, "query", {**QUERY, "metadata_filter": list(filters)}))


def test_t24_numbers_in_metadata_are_compared_as_numbers(tenant):
    """Only for being equal: the door has no other comparison of metadata."""
    ana = tenant.caller()
    levels = [9, 10, 100, "10", True, 1, 1.5, 9007199254740993, [9, 10], None]
    atoms = write_atoms(
        ana, [{"content": f"Level {n}.", "metadata": {"n": v}} for n, v in enumerate(levels)]
    )
    wait_until_read(tenant, *atoms)
    by_level = {json.dumps(level): atom_id for level, atom_id in zip(levels, atoms, strict=True)}

    for level in levels[:-1]:
        only = [by_level[json.dumps(level)]]
        assert filtered(ana, {"key": "n", "op": "eq", "value": level}) == only
        assert filtered(ana, {"key": "n", "op": "in", "value": [level, "none"]}) == only
    assert filtered(ana, {"key": "n", "op": "eq", "value": 10.0}) == [by_level["10"]]
    assert filtered(ana, {"key": "n", "op": "eq", "value": 9007199254740992}) == []
    assert filtered(ana, {"key": "n", "op": "contains", "value": 10}) == [by_level["[9, 10]"]]
    assert filtered(ana, {"key": "n", "op": "contains", "value": "1"}) == [by_level['"10"']]
    both = ({"key": "n", "op": "in", "value": [9, 10]}, {"key": "n", "op": "eq", "value": 10})
    assert filtered(ana, *both) == [by_level["10"]]
    assert filtered(ana, {"key": "m", "op": "eq", "value": 10}) == []


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ([{"key": "n", "op": "gte", "value": 10}], "metadata_filter.0.op"),
        ([{"key": "n", "op": "EQ", "value": 10}], "metadata_filter.0.op"),
        ([{"key": "n", "op": None, "value": 10}], "metadata_filter.0.op"),
        ([{"key": "n", "op": ["eq"], "value": 10}], "metadata_filter.0.op"),
        ([{"key": "n", "op": "in", "value": 10}], "metadata_filter.0"),
        ([{"key": "n", "op": "in", "value": {"a": 1}}], "metadata_filter.0"),
        ([{"key": 7, "op": "eq", "value": 10}], "metadata_filter.0.key"),
        ([{"op": "eq", "value": 10}], "metadata_filter.0.key"),
        ([{"key": "n", "value": 10}], "metadata_filter.0.op"),
        ([{"key": "n", "op": "eq"}], "metadata_filter.0.value"),
        ([{"key": "n", "op": "eq", "value": 1}, "n=10"], "metadata_filter.1"),
        ({"n": 10}, "metadata_filter"),
        ("n=10", "metadata_filter"),
    ],
)
def test_t26_a_metadata_filter_that_does_not_fit_is_named(tenant, wrong, named):
    answer = tenant.caller().ask("POST", f"{MEMORY}/query", {**QUERY, "metadata_filter": wrong})

    (error,) = answer.json()["details"]["errors"]
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-input")
    assert error["loc"][0] == "body"
    assert error["loc"][1].startswith(named)


@pytest.mark.parametrize(
    ("operation", "field", "value"),
    [
        ("write", "colour", 1), ("write", "content", 7), ("write", "content", ""), ("write", "content", " \t"),
        ("write", "content", "x" * 10_001), ("write", "concepts", "tea"), ("write", "concepts", [7]),
        ("write", "domain", ""), ("write", "metadata", [1]), ("write", "metadata", "x"), ("write", "fingerprint", ""),
        ("write", "external_ref", "r" * 256), ("write", "supersedes", "id"), ("write", "importance", 1),
        ("read", "query", ""), ("read", "query", " "), ("read", "query", None), ("read", "top_k", 0),
        ("read", "top_k", 501), ("read", "top_k", "7"), ("read", "top_k", 1.5), ("read", "min_relevance", 1.1),
        ("read", "diversity", -0.1), ("read", "domain", ["a"]), ("read", "order_by", "newest"),
        ("read", "author_client_env", "vim"), ("read", "author_is_external", "yes"), ("read", "include_history", 1),
        ("read", "concepts", ["a"] * 51), ("query", "domains", "a"), ("query", "domains", [7]),
        ("feedback", "outcome", 1.01), ("feedback", "outcome", None), ("feedback", "atom_ids", "id"),
        ("feedback", "rating", 5), ("graph", "seeds", []), ("graph", "depth", 4), ("graph", "min_weight", -1),
        ("graph", "colour", "red"), ("recent", "domain", ""), ("recent", "sort", "asc"),
    ],
)  # fmt: skip
def test_t26_a_field_that_does_not_fit_the_memory_door_is_named(tenant, operation, field, value):
    fits: dict[str, dict[str, Any]] = {
        "write": {"content": "x"},
        "feedback": {"atom_ids": [], "outcome": 1},
        "graph": {"seeds": ["tea"]},
        "recent": {},
    }
    fit = fits.get(operation, {"query": "x"})
    ana = tenant.caller()

    answer = ana.ask("POST", f"{MEMORY}/{operation}", {**fit, field: value})

    (error,) = answer.json()["details"]["errors"]
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-input")
    assert error["loc"][1].partition(".")[0] == field
    assert recent_ids(ana) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [({"query": "x", "strategy": "best"}, "strategy"), ({"query": "x", "strategy": 7}, "strategy")],
)
def test_t26_what_the_seed_page_calls_unprocessable_is_422(tenant, body, field):
    answer = tenant.caller().ask("POST", f"{MEMORY}/read", body)

    (error,) = answer.json()["details"]["errors"]
    assert answer.status_code == 422
    assert error["loc"] == ["body", field]


def test_t28_a_filter_by_types_is_the_union_of_them(tenant):
    ana = tenant.caller()
    types = {"Jeff": "person", "Acme": "organization", "Apollo": "project", "Oslo": "location"}
    facts = [
        remember(ana, name, f"{name} is known.", entityType=each) for name, each in types.items()
    ]
    wait_until_read(tenant, *facts)
    filters: list[tuple[dict[str, Any], set[str]]] = [
        ({}, set(types)),
        ({"entityTypes": []}, set(types)),
        ({"entityTypes": ["person"]}, {"Jeff"}),
        ({"entityTypes": ["person", "project"]}, {"Jeff", "Apollo"}),
        ({"entityTypes": ["project", "person", "person"]}, {"Jeff", "Apollo"}),
        ({"entityTypes": [*types.values()]}, set(types)),
        ({"entityTypes": ["concept"]}, set()),
        ({"entityTypes": ["concept", "location"]}, {"Oslo"}),
    ]

    for given, names in filters:
        listed = call_tool(ana, "list_entities", **given)
        recalled = call_tool(ana, "recall_memories", query="Who is known?", limit=50, **given)
        query = {"types": ",".join(given["entityTypes"])} if "entityTypes" in given else {}
        assert {entity["name"] for entity in listed["entities"]} == names
        assert (listed["total"], listed["returned"]) == (len(names), len(names))
        assert {entity["name"] for entity in recalled["entities"]} == names
        if query != {"types": ""}:  # a parameter without a value is no list
            over_http = ana.ask("GET", f"{ENTITIES}/entities", query=query).json()
            assert over_http["entities"] == listed["entities"]


@pytest.mark.parametrize("given", [["Person"], ["robot"], [""], [None], "person", [["person"]]])
@pytest.mark.parametrize("tool", ["list_entities", "recall_memories"])
def test_t28_an_unknown_type_is_refused_and_no_filter_is_dropped(tenant, tool, given):
    wanted = {"query": "x"} if tool == "recall_memories" else {}

    result = tool_result(tenant.caller(), tool, entityTypes=given, **wanted)

    assert result["isError"]
    assert json.loads(result["content"][0]["text"])["code"] == "bad-input"
