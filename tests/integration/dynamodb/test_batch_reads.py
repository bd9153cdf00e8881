"""What a search asks of the table in batches costs one call for each hundred, whatever they hold."""

from collections.abc import Iterator

import pytest
from palimpsest.adapters.dynamodb.vectors import DynamoDBVectors
from palimpsest.ports.vectors import StoredVector

from tests.builders import TENANT, build_fact, build_step
from tests.dynamodb import Tables, dynoxide_tables
from tests.fakes.ids import FakeIds
from tests.fakes.pauses import FakePauses
from tests.wire import Wire

# The longest that a diversity of 200 candidates reads: 4 kB each, 800 kB in all, far from the 16 MB of a call.
CANDIDATES, DIMENSION = 200, 1024
MODEL = "amazon.titan-embed-text-v2:0/1024"


@pytest.fixture
def tables(dynoxide) -> Iterator[Tables]:
    with dynoxide_tables(dynoxide) as made:
        yield made


def test_the_vectors_of_two_hundred_facts_are_two_calls(tables):
    vectors = DynamoDBVectors(tables.client, tables.facts, FakePauses())
    kept = {
        f"fact-{number}": StoredVector(text_hash="h", vector=(0.5,) * DIMENSION)
        for number in range(CANDIDATES)
    }
    vectors.save(TENANT, kept, MODEL)
    wire = Wire(tables.client)

    found = vectors.load(TENANT, list(kept), MODEL)

    assert found == kept
    assert wire.calls == {"BatchGetItem": 2}


def test_the_vectors_of_no_facts_are_no_call(tables):
    wire = Wire(tables.client)

    assert DynamoDBVectors(tables.client, tables.facts, FakePauses()).load(TENANT, [], MODEL) == {}

    assert wire.calls == {}


def test_two_hundred_earlier_revisions_are_two_calls(tables):
    ids = FakeIds()
    facts = tables.fact_repository()
    wanted = []
    for _ in range(CANDIDATES):
        fact = build_fact(ids=ids)
        facts.add(fact)
        step = build_step(fact, ids=ids)
        facts.replace(fact, step.closed, step.fact)
        wanted.append((fact.id, 1))
    wire = Wire(tables.client)

    found = facts.load_revisions(TENANT, wanted)

    assert found.keys() == set(wanted)
    assert wire.calls == {"BatchGetItem": 2}
