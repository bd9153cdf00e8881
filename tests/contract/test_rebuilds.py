import uuid

import pytest
from palimpsest.adapters.memory.rebuilds import InPlaceRebuilds
from palimpsest.adapters.opensearch.capabilities import SELF_HOSTED
from palimpsest.adapters.opensearch.clients import plain_client
from palimpsest.adapters.opensearch.index import OpenSearchFactIndex
from palimpsest.adapters.opensearch.mappings import Shape
from palimpsest.adapters.opensearch.names import set_up_indexes
from palimpsest.adapters.opensearch.rebuilds import AliasRebuilds
from palimpsest.adapters.opensearch.requests import Requests
from palimpsest.adapters.opensearch.schema import OpenSearchSchema
from palimpsest.ports.index import IndexedFact

from tests.builders import TENANT, build_scope
from tests.fakes.clock import NOON
from tests.fakes.index import FakeFactIndex
from tests.fakes.pauses import FakePauses
from tests.fakes.rebuilds import FakeRebuilds
from tests.polling import wait_until

SHAPE = Shape(dimension=2, model_id=uuid.uuid4().hex)


@pytest.fixture(params=["fake", "in place", "opensearch"])
def bench(request):
    """Rebuilds, and a way to the index that serves."""
    if request.param == "fake":
        fake = FakeRebuilds()
        yield fake, lambda: fake.serving
    elif request.param == "in place":
        index = FakeFactIndex()
        yield InPlaceRebuilds(index), lambda: index
    else:
        yield from opensearch_bench(request.getfixturevalue("opensearch_url"))


def opensearch_bench(url):
    client = plain_client(url, timeout_seconds=30)
    schema = OpenSearchSchema(client=client, collection=SELF_HOSTED)
    names = set_up_indexes(schema, SHAPE)
    index = OpenSearchFactIndex(
        requests=Requests(client=client, pauses=FakePauses(), attempts=1),
        collection=SELF_HOSTED,
        current=names.current,
        history=names.history,
        dimension=SHAPE.dimension,
    )
    yield AliasRebuilds(schema=schema, index=index, shape=SHAPE), lambda: index
    for alias in (names.current, names.history):
        for name in {*schema.find_indexes(alias), *schema.find_indexes(f"{alias}-next")}:
            schema.delete_index(name)
    client.close()


def fact(name, version=1):
    return IndexedFact(
        fact_id=name,
        version=version,
        scope=build_scope(),
        type="note",
        text="chess",
        text_hash=f"hash of {version}",
        vector=(1.0, 0.0),
        created_at=NOON,
    )


def stands(index, name):
    return lambda: name in index.find_indexed(TENANT, [name])


def test_the_filled_index_takes_the_place_of_the_old_one(bench):
    rebuilds, serving = bench
    filling = rebuilds.begin()
    filling.put([fact("a")])

    rebuilds.finish()

    wait_until(stands(serving(), "a"), "the new index serves")


def test_a_rebuild_that_was_stopped_goes_on_with_what_it_had(bench):
    rebuilds, serving = bench
    rebuilds.begin().put([fact("b")])

    rebuilds.begin().put([fact("c")])
    rebuilds.finish()

    wait_until(stands(serving(), "b"), "what was filled before is there")
    wait_until(stands(serving(), "c"), "what was filled after is there")


def test_finishing_twice_changes_nothing(bench):
    rebuilds, serving = bench
    rebuilds.begin().put([fact("d")])
    rebuilds.finish()

    rebuilds.finish()

    wait_until(stands(serving(), "d"), "the index serves")


@pytest.mark.parametrize("bench", ["fake", "opensearch"], indirect=True)
def test_the_old_index_serves_until_then_and_is_gone_afterwards(bench):
    rebuilds, serving = bench
    serving().put([fact("old")])
    wait_until(stands(serving(), "old"), "it is indexed")

    assert rebuilds.find_next() is None
    rebuilds.begin()
    assert rebuilds.find_next() is not None
    assert stands(serving(), "old")()

    rebuilds.finish()
    assert rebuilds.find_next() is None
    assert not stands(serving(), "old")()
