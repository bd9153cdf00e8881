from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.clients import AsyncClient, CommandLine, FactsClient, SyncClient
from tests.conformance.coverage import CLIENTS
from tests.tenants import HttpCaller, Tenant

ClientOf = Callable[[HttpCaller], FactsClient]


@pytest.fixture(params=CLIENTS)
def client_of(request: pytest.FixtureRequest, tenant: Tenant, tmp_path: Path) -> ClientOf:
    """Return what makes an official client with somebody's token; each test runs with each kind."""

    def build(caller: HttpCaller) -> FactsClient:
        url, token = tenant.laptop.run["url"], caller.token or "none"
        if request.param == "cli":
            return CommandLine(url, token, tmp_path)
        return (SyncClient if request.param == "sync" else AsyncClient)(url, token)

    return build


@pytest.fixture
def client(client_of: ClientOf, tenant: Tenant) -> FactsClient:
    """The tenant's admin, behind each official client in turn."""
    return client_of(tenant.admin)
