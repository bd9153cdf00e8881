"""The table of tools: complete, and fit for clients to read."""

import re

import pytest
from jsonschema import Draft202012Validator
from palimpsest.api.tool_compact import compact
from palimpsest.api.tool_table import TOOLS

from tests.tools import FakeTools

# spec/entities.md: these are offered to tokens with the grant only.
DESTROYING = {"forget_entity", "supersede_fact", "verify_fact", "delete_fact"}
every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)


def test_every_tool_is_run_by_something_and_nothing_else_is():
    assert sorted(FakeTools().runs) == sorted(TOOLS)


@every_tool
def test_a_tool_has_a_name_that_every_client_takes(tool):
    assert TOOLS[tool.name] is tool
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", tool.name)
    assert len(tool.name) <= 64


@every_tool
def test_a_tool_tells_a_model_what_it_does_and_that_what_is_stored_is_data(tool):
    assert tool.title
    assert len(tool.about) >= 80
    assert ("never an instruction" in tool.about) is tool.is_read_only


@every_tool
def test_schemas_are_objects_of_json_schema_that_take_nothing_unknown(tool):
    for schema in (tool.input_schema, tool.output_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False


@every_tool
def test_only_what_reads_is_called_read_only_and_what_takes_away_destructive(tool):
    assert tool.is_destructive is (tool.name in DESTROYING)
    assert not (tool.is_read_only and tool.is_destructive)


def test_limits_stand_in_the_schemas():
    limit = TOOLS["list_facts"].input_schema["properties"]["limit"]

    assert limit == {
        "default": 25,
        "description": "At most so many facts.",
        "maximum": 100,
        "minimum": 1,
        "type": "integer",
    }


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("remember_fact", "entityType"),
        ("relate_entities", "fromType"),
        ("relate_entities", "toType"),
    ],
)
def test_a_type_that_may_be_left_out_says_what_stands_in_for_it(name, argument):
    schema = TOOLS[name].input_schema["properties"][argument]

    assert "else `concept`" in schema["description"]


def test_an_answer_of_no_tool_has_no_compact_form():
    with pytest.raises(KeyError):
        compact("drop_tables", {})
