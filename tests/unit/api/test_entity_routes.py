"""Entities over REST."""

import jsonschema
import pytest
from palimpsest.api.entity_operations import ENTITY_OPERATIONS
from palimpsest.api.json_schemas import JsonSchemas

from tests.builders import build_caller
from tests.tools import FakeTools

SCHEMAS = {
    operation.route_key: operation.answer.model_json_schema(schema_generator=JsonSchemas)
    for operation in ENTITY_OPERATIONS
    if operation.answer is not None
}


@pytest.fixture
def tools():
    tools = FakeTools()
    for name, text in (("Jeff", "Jeff sings."), ("Ana", "Ana plays chess.")):
        called = tools.call("remember_fact", entityName=name, observation=text, entityType="person")
        tools.index_fact(called.value["observationId"])
    tools.call("relate_entities", fromEntity="Jeff", toEntity="Acme", relation="works at")
    return tools


def get(tools, path, query="", **options):
    answer = tools.get(path, query, **options)
    if answer.status == 200:
        jsonschema.validate(answer.body, SCHEMAS[tools.route_key(path)])
    return answer


def test_entities_are_listed_by_type_and_part(tools):
    people = get(tools, "/api/memory/entities", "types=person&limit=1&offset=1").body
    both = get(tools, "/api/memory/entities", "types=person,concept&limit=200").body

    assert (people["total"], people["returned"], people["offset"]) == (2, 1, 1)
    beyond = get(tools, "/api/memory/entities", f"offset={10**20}").body
    assert {entity["name"] for entity in both["entities"]} == {"Jeff", "Ana", "Acme"}
    assert (beyond["total"], beyond["returned"]) == (3, 0)


def test_an_entity_is_shown_and_an_unknown_one_is_not_found(tools):
    known = get(tools, "/api/memory/entities/jeff").body
    short = get(tools, "/api/memory/entities/Jeff", "includeRelated=false&maxObs=1").body

    assert known["entity"]["name"] == "Jeff"
    assert known["relations"]["outgoing"][0]["relation"] == "works_at"
    assert "relations" not in short
    assert get(tools, "/api/memory/entities/Nobody").status == 404


def test_relations_are_a_graph(tools):
    graph = get(tools, "/api/memory/graph").body

    assert [(n["name"], n["degree"]) for n in graph["nodes"]] == [("Jeff", 1), ("Acme", 1)]
    assert graph["edges"][0]["relation"] == "works_at"
    assert graph["truncated"] is False
    assert get(tools, "/api/memory/graph", "limit=1").body["truncated"] is True


def test_observations_are_searched(tools):
    found = get(tools, "/api/memory/search", "query=chess&limit=1&searchMode=hybrid").body

    assert found["entities"][0]["memories"][0]["content"] == "Ana plays chess."


def test_what_is_remembered_is_counted(tools):
    stats = get(tools, "/api/memory/stats").body

    assert stats == {
        "entities": 3,
        "observations": 2,
        "relations": 1,
        "entitiesByType": {"concept": 1, "person": 2},
    }


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/api/memory/entities", "limit=0", "limit"),
        ("/api/memory/entities", "limit=201", "limit"),
        ("/api/memory/entities", "limit=ten", "limit"),
        ("/api/memory/entities", "limit=", "limit"),
        ("/api/memory/entities", "limit=9999999999999999999999", "limit"),
        ("/api/memory/entities", "limit=1&limit=2", "limit"),
        ("/api/memory/entities", "offset=-1", "offset"),
        ("/api/memory/entities", "types=robot", "types.0"),
        ("/api/memory/entities", "colour=red", "colour"),
        ("/api/memory/entities/Jeff", "maxObs=101", "maxObs"),
        ("/api/memory/entities/Jeff", "includeRelated=maybe", "includeRelated"),
        ("/api/memory/graph", "limit=501", "limit"),
        ("/api/memory/search", "", "query"),
        ("/api/memory/search", "query=", "query"),
        ("/api/memory/search", "query=x&limit=51", "limit"),
        ("/api/memory/search", "query=x&types=person,robot", "types.1"),
        ("/api/memory/search", "query=x&searchMode=keyword", "searchMode"),
        ("/api/memory/stats", "limit=1", "limit"),
    ],
)
def test_a_parameter_that_does_not_fit_is_named(tools, path, query, field):
    answer = get(tools, path, query)

    assert answer.status == 400
    assert answer.body["error"]["details"]["field"] == field


def test_a_header_narrows_the_scope_and_never_widens_it(tools):
    caller = build_caller("ana", writes=("apollo",))
    headers = {"x-palimpsest-project": "apollo"}

    assert get(tools, "/api/memory/stats", caller=caller, headers=headers).body["entities"] == 0
    assert get(tools, "/api/memory/stats", headers=headers).status == 403


@pytest.mark.parametrize("path", ["entities", "entities/Jeff", "graph", "search", "stats"])
def test_where_memory_is_not_enabled_nothing_is_found(path):
    answer = FakeTools(is_enabled=False).get(f"/api/memory/{path}")

    assert answer.status == 404
    assert answer.code == "not-found"
