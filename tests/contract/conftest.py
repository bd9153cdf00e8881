from collections.abc import Iterator

import pytest

from tests.contract.stores import KINDS, SERIES, Store, Stores, stores_of
from tests.fakes.clock import FakeClock
from tests.fakes.ids import FakeIds
from tests.index_world import World
from tests.indexes import INDEXES


@pytest.fixture(params=sorted(INDEXES))
def index_world(request: pytest.FixtureRequest) -> Iterator[World]:
    with INDEXES[request.param](request) as under_test:
        yield World(under_test)


@pytest.fixture(scope="module", params=KINDS)
def stores(request: pytest.FixtureRequest) -> Iterator[Stores]:
    """A source of empty stores, of one kind after the other."""
    with stores_of(request.param, lambda: request.getfixturevalue("dynoxide")) as stores:
        yield stores


@pytest.fixture
def store(stores: Stores) -> Store:
    return stores()


@pytest.fixture
def ids() -> FakeIds:
    return FakeIds(FakeClock(), series=next(SERIES))
