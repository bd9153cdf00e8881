"""A deployed stack, by ``PALIMPSEST_E2E_URL`` and the token of a tenant admin in ``PALIMPSEST_E2E_TOKEN``: ``make e2e``.

What a test writes it deletes again; the history stays, so use a tenant of its own.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

FACTS = "/v1/memory/facts"
TIMEOUT_SECONDS = 30


def setting(name: str) -> str:
    value = os.environ.get(name, "")
    assert value, f"{name} is not set: it says which deployed stack is meant"
    return value


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let these tests reach the stack: every other one reaches this machine alone."""
    host = httpx.URL(os.environ.get("PALIMPSEST_E2E_URL", "")).host
    for item in items:
        if item.get_closest_marker("e2e") is not None and host:
            item.add_marker(pytest.mark.allow_hosts([host]), append=False)


@pytest.fixture(scope="session")
def service() -> Iterator[httpx.Client]:
    """The stack, asked with the token."""
    headers = {"authorization": f"Bearer {setting('PALIMPSEST_E2E_TOKEN')}"}
    url = setting("PALIMPSEST_E2E_URL")
    with httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_SECONDS) as client:
        yield client


@pytest.fixture(scope="session")
def tenant_id(service: httpx.Client) -> str:
    answer = service.get("/v1/identity/whoami")
    assert answer.status_code == 200, answer.text
    return str(answer.json()["tenantId"])


@pytest.fixture
def write(service: httpx.Client, tenant_id: str) -> Iterator[Callable[[object], Any]]:
    """Return what writes a fact that is deleted behind the test."""
    written: list[str] = []

    def write_fact(content: object) -> Any:
        scope = {"tenantId": tenant_id, "sessionId": f"e2e-{uuid4()}"}
        answer = service.post(FACTS, json={"type": "e2e", "scope": scope, "content": content})
        assert answer.status_code == 201, answer.text
        written.append(answer.json()["id"])
        return answer.json()

    yield write_fact
    for fact_id in written:
        assert service.delete(f"{FACTS}/{fact_id}").status_code in {200, 404}
