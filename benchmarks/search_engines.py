"""The engines that benchmarks search with, by name, each with an empty index of its own."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from palimpsest.adapters.sqlite.index import SQLiteFactIndex
from palimpsest.ports.index import FactIndex


def _nothing_to_wait_for() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Engine:
    """An empty index.

    Attributes:
        index: It.
        settle: Returns when every write so far is visible.
    """

    index: FactIndex
    settle: Callable[[], None] = _nothing_to_wait_for


@contextmanager
def sqlite_engine(_dimension: int) -> Iterator[Engine]:
    """Yield an index in a file that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        index = SQLiteFactIndex(Path(folder) / "index.sqlite")
        yield Engine(index)
        index.close()


# Name → what yields an engine for vectors of some length.
ENGINES: Mapping[str, Callable[[int], AbstractContextManager[Engine]]] = {"sqlite": sqlite_engine}
