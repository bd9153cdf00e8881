import uuid

import pytest
from palimpsest.adapters.hashing.embeddings import HashingEmbeddings
from palimpsest.adapters.opensearch.capabilities import SELF_HOSTED
from palimpsest.adapters.opensearch.clients import plain_client
from palimpsest.adapters.opensearch.mappings import Shape
from palimpsest.adapters.opensearch.names import IndexNames, set_up_indexes
from palimpsest.adapters.opensearch.schema import OpenSearchSchema
from palimpsest.bootstrap.opensearch import build_opensearch_index, set_up_opensearch
from palimpsest.domain.errors import SearchUnavailableError

SECONDS = 30


@pytest.fixture
def schema(opensearch_url):
    client = plain_client(opensearch_url, timeout_seconds=SECONDS)
    yield OpenSearchSchema(client=client, collection=SELF_HOSTED)
    client.close()


@pytest.fixture
def shape(schema):
    """A model that nobody else's indexes are made with."""
    shape = Shape(dimension=8, model_id=uuid.uuid4().hex)
    yield shape
    for alias in (IndexNames.of(shape).current, IndexNames.of(shape).history):
        schema.delete_index(f"{alias}-1")


def test_what_is_missing_is_made_behind_its_alias(schema, shape):
    names = set_up_indexes(schema, shape)

    assert schema.find_indexes(names.current) == [f"{names.current}-1"]
    assert schema.find_indexes(names.history) == [f"{names.history}-1"]
    schema.check_index(names.current, shape)


def test_again_changes_nothing(schema, shape):
    first = set_up_indexes(schema, shape)

    assert set_up_indexes(schema, shape) == first
    assert schema.find_indexes(first.current) == [f"{first.current}-1"]


def test_a_set_up_that_was_stopped_half_way_is_finished(schema, shape):
    names = IndexNames.of(shape)
    schema.create_index(f"{names.current}-1", shape)

    set_up_indexes(schema, shape)

    assert schema.find_indexes(names.current) == [f"{names.current}-1"]


def test_another_model_is_another_index():
    one, other = (Shape(dimension=8, model_id=model) for model in "ab")

    assert IndexNames.of(one) != IndexNames.of(other)


def test_what_is_set_up_is_what_the_functions_use(opensearch_url, schema):
    uri, embeddings = f"opensearch:{opensearch_url}", HashingEmbeddings()

    name = set_up_opensearch(uri, embeddings, seconds=SECONDS)

    index = build_opensearch_index(uri, embeddings)
    assert index.current == name
    assert index.find_indexed("tenant", ["fact"]) == {}
    for alias in (index.current, index.history):
        schema.delete_index(f"{alias}-1")


def test_a_server_that_does_not_answer_is_told_after_the_time_is_over():
    with pytest.raises(SearchUnavailableError):
        set_up_opensearch("opensearch:http://127.0.0.1:9", None, seconds=0)
