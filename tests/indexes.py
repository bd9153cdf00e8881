"""The indexes that ``tests/contract/test_index.py`` holds to their port, by name."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from palimpsest.adapters.sqlite.index import SQLiteFactIndex
from palimpsest.ports.index import FactIndex

from tests.fakes.index import FakeFactIndex
from tests.opensearch import KINDS


def _nothing_to_wait_for() -> None:
    pass


@dataclass(frozen=True)
class IndexUnderTest:
    """An index, and what a test may do beside its port.

    Attributes:
        index: The index; it may hold what earlier tests put there, under other tenants.
        settle: Returns when all writes so far are visible to searches.
        tenant_id: This test's own.
        other_tenant_id: This test's own too.
    """

    index: FactIndex
    settle: Callable[[], None] = _nothing_to_wait_for
    tenant_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    other_tenant_id: str = field(default_factory=lambda: str(uuid.uuid4()))


IndexFactory = Callable[[pytest.FixtureRequest], AbstractContextManager[IndexUnderTest]]


@contextmanager
def fake_index(_request: pytest.FixtureRequest) -> Iterator[IndexUnderTest]:
    """Yield the fake, whose writes stay unseen until the test settles."""
    index = FakeFactIndex(visibility_delay=timedelta(seconds=10))
    yield IndexUnderTest(index, index.settle)


@contextmanager
def sqlite_index(request: pytest.FixtureRequest) -> Iterator[IndexUnderTest]:
    """Yield an index in a file of its own; its writes are visible at once."""
    folder: Path = request.getfixturevalue("tmp_path")
    index = SQLiteFactIndex(folder / "index.sqlite")
    yield IndexUnderTest(index)
    index.close()


def opensearch_index(kind: str) -> IndexFactory:
    """Return what yields an index in a real server; all tests of a run share it, each in tenants of its own."""

    @contextmanager
    def index(request: pytest.FixtureRequest) -> Iterator[IndexUnderTest]:
        yield IndexUnderTest(*request.getfixturevalue("opensearch_indexes")(kind))

    return index


INDEXES: Mapping[str, IndexFactory] = {
    "fake": fake_index,
    "sqlite": sqlite_index,
    **{kind: opensearch_index(kind) for kind in KINDS},
}
