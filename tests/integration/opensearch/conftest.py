import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.gate.rules import CLASSIC, NEXTGEN, Rules
from tests.gate.server import open_gate
from tests.gate.signing import SigningClient
from tests.integration.opensearch.gate_world import GateWorld


@pytest.fixture
def server(opensearch_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=opensearch_url, timeout=30) as client:
        yield client


@pytest.fixture
def index(server: httpx.Client) -> Iterator[str]:
    """A name that no other test uses; what stands under it is gone afterwards."""
    name = f"test-{uuid.uuid4()}"
    yield name
    server.delete(f"/{name}")


@contextmanager
def gate_world(upstream: str, index: str, rules: Rules) -> Iterator[GateWorld]:
    with open_gate(upstream, rules) as opened:
        yield GateWorld(opened, SigningClient(opened.url, opened.gate.credentials), index)


@pytest.fixture
def classic(opensearch_url: str, index: str, server: httpx.Client) -> Iterator[GateWorld]:
    with gate_world(opensearch_url, index, CLASSIC) as world:
        yield world


@pytest.fixture
def nextgen(opensearch_url: str, index: str, server: httpx.Client) -> Iterator[GateWorld]:
    with gate_world(opensearch_url, index, NEXTGEN) as world:
        yield world


@pytest.fixture(params=[CLASSIC, NEXTGEN], ids=["classic", "nextgen"])
def either(
    request: pytest.FixtureRequest, opensearch_url: str, index: str, server: httpx.Client
) -> Iterator[GateWorld]:
    with gate_world(opensearch_url, index, request.param) as world:
        yield world
