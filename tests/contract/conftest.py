from collections.abc import Iterator

import pytest

from tests.index_world import World
from tests.indexes import INDEXES


@pytest.fixture(params=sorted(INDEXES))
def index_world(request: pytest.FixtureRequest) -> Iterator[World]:
    with INDEXES[request.param](request) as under_test:
        yield World(under_test)
