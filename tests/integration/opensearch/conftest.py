import uuid
from collections.abc import Iterator

import httpx
import pytest


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
