"""The OpenAPI document says what is served, and what is served is what it says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from palimpsest.api.bodies import ReadSideBody, WriteSideBody
from palimpsest.api.openapi import document
from palimpsest.api.operations import OPERATIONS
from palimpsest.bootstrap.version import VERSION

from tests.builders import TENANT
from tests.service import FakeService

KEPT = Path(__file__).parents[3] / "docs" / "openapi.json"
FACTS = "/v1/memory/facts"


@pytest.fixture(scope="module")
def openapi() -> dict[str, Any]:
    made: dict[str, Any] = document(VERSION)
    return made


def test_the_kept_document_is_the_made_one(openapi):
    kept = json.loads(KEPT.read_text("utf-8"))

    assert kept == openapi, "Run `make openapi` and look at what changed."


def test_the_served_document_is_the_made_one(openapi):
    served = FakeService().ask("GET", "/v1/openapi.json", token=None)

    assert served.body == {**openapi, "info": {**openapi["info"], "version": "0.0.0"}}


def test_every_operation_is_documented_and_has_its_own_id(openapi):
    documented = {(m.upper(), p) for p, item in openapi["paths"].items() for m in item}
    ids = [operation.id for operation in OPERATIONS]

    assert documented == {(o.method, o.path) for o in OPERATIONS}
    assert len(set(ids)) == len(ids)


def test_what_may_be_absent_may_not_be_null_but_in_what_the_memory_door_is_asked(openapi):
    schemas = openapi["components"]["schemas"]
    nullable = {
        (name, field)
        for name, schema in schemas.items()
        for field, told in schema.get("properties", {}).items()
        if any("null" in shape.get("type", "") for shape in (told, *told.get("anyOf", ())))
    }
    absent = {(n, f) for n, f in nullable if f not in schemas[n].get("required", ())}
    asked = {
        (name, field)
        for name in names_below(ReadSideBody) | names_below(WriteSideBody)
        if name in schemas
        for field in schemas[name]["properties"].keys() - set(schemas[name].get("required", ()))
    }

    assert absent == asked
    assert json.dumps(openapi).count('"null"') == len(nullable)


def names_below(model):
    below = {name for subclass in model.__subclasses__() for name in names_below(subclass)}
    return below | {model.__name__}


def test_every_bound_is_said_in_the_words_of_json_schema(openapi):
    schemas = openapi["components"]["schemas"]

    assert schemas["VerifyFactBody"]["properties"]["expectVersion"]["minimum"] == 1
    assert schemas["RetentionBody"]["properties"]["keepDays"]["minimum"] == 1
    assert not {'"ge"', '"gt"', '"le"', '"lt"'} & set(re.findall(r'"\w+"', json.dumps(openapi)))


def test_every_answer_has_the_documented_shape(openapi):
    service = FakeService()
    source = {
        "kind": "blob",
        "freshness": {"etag": "e"},
        "refresh": {"strategy": "manual", "handler": "h"},
    }
    fact = service.write(
        source=source, subjects=[{"kind": "user", "id": "u"}], scope={"projectId": "p"}
    )
    path = f"{FACTS}/{fact['id']}"

    seen = [
        ("memory.getFact", service.ask("GET", path)),
        ("memory.verifyFact", service.ask("POST", f"{path}/verify")),
        ("memory.supersedeFact", service.ask("POST", f"{path}/supersede", {"content": None})),
        ("memory.listFacts", service.ask("GET", FACTS, query={"limit": "1"})),
        ("memory.deleteFact", service.ask("DELETE", path)),
        ("memory.deleteFact", service.ask("DELETE", path)),
        ("memory.listFactRevisions", service.ask("GET", f"{path}/revisions")),
        ("memory.writeFact", service.ask("POST", FACTS, {"scope": {"tenantId": TENANT}})),
        ("identity.whoami", service.ask("GET", "/v1/identity/whoami")),
        ("identity.whoami", service.ask("GET", "/v1/identity/whoami", token="no")),
        ("service.health", service.ask("GET", "/health", token=None)),
    ]

    assert_documented(openapi, seen)


def test_every_answer_to_a_write_of_atoms_has_the_documented_shape(openapi):
    service = FakeService()
    memory = "/api/v1/memory"
    atom_id = service.write_atom()["atom_id"]
    rating = {"atom_ids": [atom_id], "outcome": 1}
    items = {"items": [{"content": "Tea."}, {"content": "Tea."}, {}]}

    seen = [
        ("atoms.write", service.ask("POST", f"{memory}/write", {"content": "Milk."})),
        ("atoms.write", service.ask("POST", f"{memory}/write", {"content": "Milk."})),
        ("atoms.write", service.ask("POST", f"{memory}/write", {})),
        ("atoms.write", service.ask("POST", f"{memory}/write", {}, token="no")),
        (
            "atoms.write",
            service.ask("POST", f"{memory}/write", {"content": "x", "domain": "xroom:y"}),
        ),
        ("atoms.writeBatch", service.ask("POST", f"{memory}/write_batch", items)),
        ("atoms.writeBatchHyphenated", service.ask("POST", f"{memory}/write-batch", items)),
        ("atoms.feedback", service.ask("POST", f"{memory}/feedback", rating, token="ana")),
        ("atoms.delete", service.ask("DELETE", f"{memory}/atoms/{atom_id}", token="ana")),
        ("atoms.delete", service.ask("DELETE", f"{memory}/atoms/{atom_id}", token="ana")),
        ("atoms.createRoom", service.ask("POST", f"{memory}/rooms", {})),
    ]

    assert_documented(openapi, seen)


def assert_documented(openapi, seen):
    for operation_id, answer in seen:
        schema = _schema(openapi, operation_id, answer.status)
        errors = list(Draft202012Validator(schema).iter_errors(answer.body))
        assert not errors, (operation_id, answer.status, errors)


def test_the_page_to_read_it_loads_nothing_from_elsewhere():
    page = FakeService().ask("GET", "/v1/docs", token=None)

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "memory.writeFact" in page.text
    assert " src=" not in page.text.partition("<body>")[0]
    # An icon of its own, so that no browser asks for one that is not there.
    [link] = page.text.partition("<body>")[0].split("<link")[1:]
    assert link.startswith(' rel="icon" href="data:,">')


def _schema(openapi: dict[str, Any], operation_id: str, status: int) -> dict[str, Any]:
    operations = [o for item in openapi["paths"].values() for o in item.values()]
    operation = next(o for o in operations if o["operationId"] == operation_id)
    content = operation["responses"][str(status)]["content"]["application/json"]
    return {**content["schema"], "components": openapi["components"]}
