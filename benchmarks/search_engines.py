"""The engines that benchmarks search with, by name, each with an empty index of its own.

``opensearch`` is the server that ``OPENSEARCH_URL`` names, or the real one without Docker, started for the run.
"""

import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from palimpsest.adapters.opensearch.capabilities import SELF_HOSTED
from palimpsest.adapters.opensearch.clients import plain_client
from palimpsest.adapters.opensearch.index import OpenSearchFactIndex
from palimpsest.adapters.opensearch.mappings import Shape
from palimpsest.adapters.opensearch.requests import Requests
from palimpsest.adapters.opensearch.schema import OpenSearchSchema
from palimpsest.adapters.sqlite.index import SQLiteFactIndex
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.ports.index import FactIndex

from local.opensearch.server import ServerOptions, given_or_running

OPENSEARCH_HEAP_MB = 1024
OPENSEARCH_TIMEOUT_SECONDS = 60
OPENSEARCH_ATTEMPTS = 3


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


@contextmanager
def opensearch_engine(dimension: int) -> Iterator[Engine]:
    """Yield two indexes of a server that are deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        options = ServerOptions(data=Path(folder), port=0, heap_mb=OPENSEARCH_HEAP_MB)
        with given_or_running(options, os.environ) as server:
            client = plain_client(server.url, timeout_seconds=OPENSEARCH_TIMEOUT_SECONDS)
            schema = OpenSearchSchema(client=client, collection=SELF_HOSTED)
            names = [f"benchmark-{kind}-{uuid.uuid4().hex}" for kind in ("current", "history")]
            for name in names:
                schema.create_index(name, Shape(dimension=dimension, model_id=None))
            index = OpenSearchFactIndex(
                requests=Requests(
                    client=client, pauses=JitteredPauses(), attempts=OPENSEARCH_ATTEMPTS
                ),
                collection=SELF_HOSTED,
                current=names[0],
                history=names[1],
                dimension=dimension,
            )
            yield Engine(index, lambda: client.indices.refresh(index=",".join(names)))
            for name in names:
                schema.delete_index(name)
            client.close()


# Name → what yields an engine for vectors of some length.
ENGINES: Mapping[str, Callable[[int], AbstractContextManager[Engine]]] = {
    "opensearch": opensearch_engine,
    "sqlite": sqlite_engine,
}
