"""The real OpenSearch for tests, bare and behind the gate: started once for a run (and worker), when a test asks."""

import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace

import pytest
from opensearchpy import OpenSearch
from palimpsest.adapters.opensearch.capabilities import CLASSIC, NEXTGEN, SELF_HOSTED, Collection
from palimpsest.adapters.opensearch.clients import plain_client, serverless_client
from palimpsest.adapters.opensearch.index import OpenSearchFactIndex
from palimpsest.adapters.opensearch.mappings import Shape
from palimpsest.adapters.opensearch.requests import Requests
from palimpsest.adapters.opensearch.schema import OpenSearchSchema

from local.opensearch.server import QUICK_START, ServerOptions, given_or_running
from tests.fakes.pauses import FakePauses
from tests.gate import gate, rules
from tests.gate.server import open_gate
from tests.vectors import DIMENSION

# On two busy cores. What a search may take in production is the deployment's own setting.
CLIENT_TIMEOUT_SECONDS = 30.0

# An index, and what makes its writes visible.
SettledIndex = tuple[OpenSearchFactIndex, Callable[[], None]]


@pytest.fixture(scope="session")
def opensearch_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that is empty, or of the one that `OPENSEARCH_URL` names.

    A machine that cannot start one fails these tests: the message says what is missing.
    """
    data = tmp_path_factory.mktemp("opensearch")
    options = ServerOptions(data=data, java_options=QUICK_START)
    with given_or_running(options, os.environ) as server:
        yield server.url


@pytest.fixture(scope="session")
def opensearch_indexes(opensearch_url: str) -> Iterator[Callable[[str], SettledIndex]]:
    """Give the index of one of ``KINDS``, made when it is first asked for."""
    made: dict[str, SettledIndex] = {}
    with ExitStack() as stack:

        def get(kind: str) -> SettledIndex:
            if kind not in made:
                made[kind] = stack.enter_context(KINDS[kind](opensearch_url))
            return made[kind]

        yield get


@contextmanager
def made_index(
    client: OpenSearch, collection: Collection, *, attempts: int = 1
) -> Iterator[OpenSearchFactIndex]:
    """Yield an index that is deleted afterwards, and the client closed."""
    schema = OpenSearchSchema(client=client, collection=collection)
    names = [f"{kind}-{uuid.uuid4().hex}" for kind in ("current", "history")]
    for name in names:
        schema.create_index(name, Shape(dimension=DIMENSION, model_id=None))
    try:
        yield OpenSearchFactIndex(
            requests=Requests(client=client, pauses=FakePauses(), attempts=attempts),
            collection=collection,
            current=names[0],
            history=names[1],
            dimension=DIMENSION,
        )
    finally:
        for name in names:
            schema.delete_index(name)
        client.close()


@contextmanager
def _bare(url: str) -> Iterator[SettledIndex]:
    """The server itself shows a write when it is told to refresh."""
    client = plain_client(url, timeout_seconds=CLIENT_TIMEOUT_SECONDS)
    with made_index(client, SELF_HOSTED) as index:
        names = f"{index.current},{index.history}"
        yield index, lambda: client.indices.refresh(index=names)


def _gated(
    collection: Collection, kind: rules.Rules
) -> Callable[[str], AbstractContextManager[SettledIndex]]:
    """Behind the gate a write shows when the clock moves."""

    @contextmanager
    def open_index(url: str) -> Iterator[SettledIndex]:
        with open_gate(url, kind) as opened:
            client = serverless_client(
                opened.url,
                opened.gate.credentials,
                gate.REGION,
                timeout_seconds=CLIENT_TIMEOUT_SECONDS,
            )
            with made_index(client, collection) as index:
                yield index, opened.settle

    return open_index


KINDS: Mapping[str, Callable[[str], AbstractContextManager[SettledIndex]]] = {
    "opensearch": _bare,
    "serverless-classic": _gated(CLASSIC, rules.CLASSIC),
    "serverless-nextgen": _gated(NEXTGEN, rules.NEXTGEN),
    "serverless-nextgen-without-ids": _gated(
        replace(NEXTGEN, supports_document_ids=False), rules.NEXTGEN_WITHOUT_IDS
    ),
}
