from collections.abc import Iterator
from itertools import count

import pytest

from local.dynoxide import Engine
from tests.dynamodb import Tables, dynoxide_tables
from tests.fakes.clock import FakeClock
from tests.fakes.ids import FakeIds
from tests.wire import Wire

# The engine remembers transactions' tokens for ten minutes, so each test mints ids of its own.
SERIES = count()


@pytest.fixture(scope="module")
def tables(dynoxide: Engine) -> Iterator[Tables]:
    with dynoxide_tables(dynoxide) as tables:
        yield tables


@pytest.fixture(scope="module")
def watched(tables: Tables) -> Wire:
    return Wire(tables.client)


@pytest.fixture
def wire(tables: Tables, watched: Wire) -> Wire:
    """The wire to tables that are empty, whole again and with nothing counted."""
    tables.clear()
    watched.reset()
    return watched


@pytest.fixture
def ids() -> FakeIds:
    return FakeIds(FakeClock(), series=next(SERIES))
