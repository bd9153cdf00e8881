import uuid
from collections.abc import Iterator

import pytest
from palimpsest.adapters.opensearch.capabilities import NEXTGEN
from palimpsest.adapters.opensearch.clients import serverless_client
from palimpsest.adapters.opensearch.mappings import Shape
from palimpsest.adapters.opensearch.schema import OpenSearchSchema
from palimpsest.domain.errors import SearchUnavailableError, StoreFailedError

from tests.gate import rules
from tests.gate.gate import REGION
from tests.gate.server import OpenGate, open_gate

SHAPE = Shape(dimension=4, model_id="one")
OTHER = Shape(dimension=4, model_id="another")


@pytest.fixture
def gate(opensearch_url: str) -> Iterator[OpenGate]:
    with open_gate(opensearch_url, rules.NEXTGEN) as opened:
        yield opened


@pytest.fixture
def schema(gate: OpenGate) -> Iterator[OpenSearchSchema]:
    client = serverless_client(gate.url, gate.gate.credentials, REGION, timeout_seconds=30)
    yield OpenSearchSchema(client=client, collection=NEXTGEN)
    client.close()


@pytest.fixture
def names(schema: OpenSearchSchema) -> Iterator[tuple[str, str, str]]:
    """An alias and two indexes of this test's own."""
    chosen = uuid.uuid4().hex
    alias, first, second = (f"{kind}-{chosen}" for kind in ("alias", "first", "second"))
    yield alias, first, second
    schema.delete_index(first)
    schema.delete_index(second)


def test_making_an_index_twice_is_making_it_once(
    schema: OpenSearchSchema, names: tuple[str, str, str]
) -> None:
    _, first, _ = names

    schema.create_index(first, SHAPE)
    schema.create_index(first, SHAPE)

    schema.check_index(first, SHAPE)


def test_an_index_of_another_model_is_refused(
    schema: OpenSearchSchema, names: tuple[str, str, str]
) -> None:
    _, first, _ = names
    schema.create_index(first, SHAPE)

    with pytest.raises(StoreFailedError, match="another embedding model"):
        schema.create_index(first, OTHER)


def test_an_alias_means_one_index_and_is_swapped_in_one_step(
    schema: OpenSearchSchema, names: tuple[str, str, str]
) -> None:
    alias, first, second = names
    schema.create_index(first, SHAPE)
    schema.create_index(second, OTHER)
    before = schema.find_indexes(alias)

    schema.point_alias(alias, first)
    at_first = schema.find_indexes(alias)
    schema.point_alias(alias, second)

    assert (before, at_first, schema.find_indexes(alias)) == ([], [first], [second])
    schema.check_index(alias, OTHER)


def test_deleting_what_is_not_there_is_success(
    schema: OpenSearchSchema, names: tuple[str, str, str]
) -> None:
    _, first, _ = names
    schema.create_index(first, SHAPE)

    schema.delete_index(first)
    schema.delete_index(first)

    with pytest.raises(SearchUnavailableError):
        schema.check_index(first, SHAPE)


def test_an_error_that_is_not_ours_to_mend_is_told(
    gate: OpenGate, schema: OpenSearchSchema, names: tuple[str, str, str]
) -> None:
    gate.gate.faults.answer_next(429, 429)

    with pytest.raises(SearchUnavailableError):
        schema.create_index(names[1], SHAPE)
    with pytest.raises(SearchUnavailableError):
        schema.find_indexes(names[0])
