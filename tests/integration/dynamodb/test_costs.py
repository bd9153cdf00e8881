"""The cost table of docs/data-model.md, measured: calls, items and capacity of each request."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.bulk_load import loaded_dynoxide
from benchmarks.metering import Row
from benchmarks.request_cost import all_rows, meter_over, stored_items
from local.dynoxide_binary import find_binary

DOCUMENT = Path(__file__).parents[3] / "docs" / "data-model.md"

# What each row may call. Whoever changes a line here changes what the service costs to run: say so in docs/data-model.md.
CALLS = {
    "get": {"BatchGetItem": 1},
    "get, version": {"BatchGetItem": 1},
    "get, asOf before the current revision": {"BatchGetItem": 1, "Query": 1},
    "list, from 1,000": {"GetItem": 1, "Query": 2},
    "list, from 20,000": {"GetItem": 1, "Query": 2},
    "list, from 1,000 among 20,000 of strangers and 19,000 deleted": {"GetItem": 1, "Query": 2},
    "list, one project": {"GetItem": 1, "Query": 1},
    "list, a user who may write the project": {"GetItem": 1, "Query": 6},
    "list, a caller with 200 project grants": {"GetItem": 1, "Query": 201},
    "list, asOf": {"GetItem": 1, "Query": 4},
    "list, a tenant admin, one project": {"BatchGetItem": 1, "GetItem": 1, "Query": 1},
    "list, a tenant admin": {"BatchGetItem": 1, "GetItem": 1, "Query": 8},
    "write, nobody named": {"GetItem": 1, "PutItem": 1},
    "write, one person named": {"GetItem": 1, "TransactWriteItems": 1},
    "write, in every index, three named": {"GetItem": 1, "TransactWriteItems": 1},
    "supersede": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "supersede, one newly named": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "verify": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "delete": {"BatchGetItem": 1, "UpdateItem": 1},
    "API key check": {"GetItem": 1},
    "atom, written": {"TransactWriteItems": 1},
    "atom, written with fingerprint and reference": {"TransactWriteItems": 1},
    "atom, written, 32 replaced": {"TransactWriteItems": 1},
    "valences of 40 atoms": {"TransactWriteItems": 1},
    "atom, closed": {"TransactWriteItems": 1},
    "same text, one": {"BatchGetItem": 1},
    "same text, 100": {"BatchGetItem": 1},
    "atoms of a fingerprint": {"Query": 1},
    "tallies, a user": {"Query": 2},
    "tallies, a tenant admin": {"Query": 1},
    "learn, two concepts that never met": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "learn, two concepts that met before": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "learn, ten concepts that never met": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "learn, ten concepts that met before": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "learn, an event that comes again": {"BatchGetItem": 1},
    "neighbours, 20 of a concept that has 20": {"Query": 1},
    "neighbours, 20 of a concept that has 3,000": {"Query": 1},
    "graph, one seed": {"Query": 1},
    "graph, 20 seeds, three steps": {"Query": 60},
    "number of edges": {"BatchGetItem": 1},
    "remember, of a new entity": {"BatchGetItem": 1, "GetItem": 1, "TransactWriteItems": 1},
    "remember, of one that is known": {"BatchGetItem": 1, "GetItem": 1, "TransactWriteItems": 1},
    "remember, the very same again": {
        "BatchGetItem": 2,
        "GetItem": 2,
        "TransactWriteItems": 1,
        "UpdateItem": 1,
    },
    "relate, two that are known": {"BatchGetItem": 1, "GetItem": 1, "TransactWriteItems": 1},
    "relate, one of them new": {"BatchGetItem": 1, "GetItem": 1, "TransactWriteItems": 1},
    "delete, an observation": {"BatchGetItem": 2, "TransactWriteItems": 1},
    "list entities, from 700": {"BatchGetItem": 1, "GetItem": 1, "Query": 8},
    "list entities, from 7,000": {"BatchGetItem": 1, "GetItem": 1, "Query": 8},
    "list entities, of one type from 700": {"BatchGetItem": 1, "GetItem": 1, "Query": 2},
    "list entities, of one type from 7,000": {"BatchGetItem": 1, "GetItem": 1, "Query": 2},
    "list entities, of one type from 7,000, offset 900": {
        "BatchGetItem": 1,
        "GetItem": 1,
        "Query": 2,
    },
    "count what is remembered, of 700": {"Query": 1},
    "count what is remembered, of 7,000": {"Query": 1},
    "entity context, 20 of 20 observations": {"BatchGetItem": 1, "Query": 4},
    "entity context, 20 of 200 observations": {"BatchGetItem": 1, "Query": 4},
    "recent, 20 of 300": {"GetItem": 1, "Query": 2},
    "recent, 20 of 300, with history": {"GetItem": 1, "Query": 4},
    "recent, a domain of one old atom of 300": {"GetItem": 2, "Query": 12},
    "export, 300": {"GetItem": 1, "Query": 2},
    "one atom": {"BatchGetItem": 1},
    "chain of five, from its middle": {"BatchGetItem": 3},
    "atoms of an external id": {"BatchGetItem": 1, "Query": 1},
    "stats": {"BatchGetItem": 1, "Query": 2},
    "health": {"BatchGetItem": 1},
    "write an atom": {"BatchGetItem": 2, "TransactWriteItems": 1},
    "write an atom, the very same": {"BatchGetItem": 2},
    "write an atom, 32 replaced": {"BatchGetItem": 2, "TransactWriteItems": 1},
    "write 100 atoms": {"BatchGetItem": 2, "TransactWriteItems": 8},
    "rate 100 atoms": {"BatchGetItem": 3, "TransactWriteItems": 3},
    "delete an atom": {"BatchGetItem": 1, "TransactWriteItems": 1},
    "delete an atom, again": {"BatchGetItem": 1},
}

# Loading 41,000 facts takes its time on a busy machine.
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> dict[str, Row]:
    folder = tmp_path_factory.mktemp("costs")
    binary = find_binary(os.environ, say=print)
    with loaded_dynoxide(folder, binary=binary, items=stored_items()) as engine:
        return {row.operation: row for row in all_rows(meter_over(engine))}


def test_every_request_makes_the_calls_that_it_may(rows):
    assert {operation: row.calls for operation, row in rows.items()} == CALLS


def test_a_page_costs_the_same_however_much_there_is(rows):
    few = rows["list, from 1,000"]
    many = rows["list, from 20,000"]
    hidden = rows["list, from 1,000 among 20,000 of strangers and 19,000 deleted"]

    costs = {(tuple(r.calls.items()), r.items_read, r.read_units) for r in (few, many, hidden)}

    assert costs == {((("GetItem", 1), ("Query", 2)), 26, 4.0)}


def test_a_concept_beside_three_thousand_costs_a_reader_what_one_beside_twenty_does(rows):
    cold = rows["neighbours, 20 of a concept that has 20"]
    hot = rows["neighbours, 20 of a concept that has 3,000"]

    assert (hot.calls, hot.items_read, hot.read_units) == (
        cold.calls,
        cold.items_read,
        cold.read_units,
    )


@pytest.mark.parametrize(
    ("few", "many"),
    [
        ("list entities, from 700", "list entities, from 7,000"),
        ("list entities, of one type from 700", "list entities, of one type from 7,000"),
        ("count what is remembered, of 700", "count what is remembered, of 7,000"),
    ],
)
def test_what_is_asked_of_entities_costs_the_same_however_many_there_are(rows, few, many):
    assert replace(rows[few], operation="") == replace(rows[many], operation="")


def test_an_entity_that_much_is_known_of_costs_what_is_shown_and_one_key_more(rows):
    few = rows["entity context, 20 of 20 observations"]
    many = rows["entity context, 20 of 200 observations"]

    assert (many.calls, many.read_units) == (few.calls, few.read_units)
    assert many.items_read == few.items_read + 1


def test_an_offset_costs_keys_and_no_entities(rows):
    first = rows["list entities, of one type from 7,000"]
    tenth = rows["list entities, of one type from 7,000, offset 900"]

    assert (tenth.calls, tenth.items_read) == (first.calls, first.items_read + 900)
    assert tenth.read_units - first.read_units < 900 / 20


def test_a_supersede_rewrites_one_index_besides_the_one_by_time(rows):
    """Two items in a transaction cost 4; their rows by time 3; byAudience 1. The narrow indexes cost nothing."""
    assert rows["supersede"].write_units == 8
    assert rows["verify"].write_units == 8


def test_the_document_shows_what_was_measured(rows):
    table = DOCUMENT.read_text(encoding="utf-8")

    missing = [row.operation for row in rows.values() if line_of(row) not in table]

    assert missing == []


def line_of(row: Row) -> str:
    calls = " + ".join(f"{count} {name}" for name, count in row.calls.items())
    return f"| {row.operation} | {calls} | {row.items_read} | {row.read_units:g} | {row.write_units:g} |"
