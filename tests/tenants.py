"""Tenants of the laptop's service: callers who ask it over HTTP, each with a token of their own."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest
from palimpsest.domain.callers import Caller
from palimpsest_cli.connection import Connection, connect
from palimpsest_cli.targets import Choice

from tests.builders import build_admin, build_caller
from tests.laptop import Laptop, running_laptop
from tests.polling import wait_until

FACTS = "/v1/memory/facts"
RETRIEVE = "/v1/memory/retrieve"
MODES = ("list", "keyword", "semantic", "both")
# A second, once the model is loaded and what other tests wrote is indexed: the pump takes facts in the order of their writes.
INDEXED_WITHIN_SECONDS = 90


@dataclass(frozen=True)
class HttpCaller:
    """Somebody with a token.

    Attributes:
        client: Shared by all callers of a service.
        token: None for somebody who sends none.
    """

    client: httpx.Client
    token: str | None

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send a request. A body that is ``bytes`` goes as it is, another one as JSON; ``None`` is no body."""
        authorization = "" if self.token is None else f"Bearer {self.token}"
        given = {
            "authorization": authorization,
            "content-type": "application/json",
            **(headers or {}),
        }
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        return self.client.request(method, path, content=raw, params=query, headers=given)


@dataclass(frozen=True)
class Tenant:
    """A tenant of its own for each test, so that no test meets another one's facts.

    Attributes:
        id: A UUID.
        admin: Its first caller.
    """

    id: str
    laptop: Laptop
    create_key: Callable[[Caller], str]
    admin: HttpCaller

    def caller(self, id: str = "ana", **fields: Any) -> HttpCaller:  # noqa: A002 - as the builder
        """Return somebody of this tenant; see ``build_caller``."""
        caller = build_caller(id, tenant_id=self.id, **fields)
        return HttpCaller(self.laptop.client, self.create_key(caller))

    def body(self, content: object = "Ana plays chess.", **fields: Any) -> dict[str, Any]:
        """Return the body of a write."""
        scope = {"tenantId": self.id, **fields.pop("scope", {})}
        return {"type": "note", "scope": scope, "content": content, **fields}

    def write(
        self, content: object = "Ana plays chess.", *, by: HttpCaller | None = None, **fields: Any
    ) -> Any:
        """Write a fact and return it."""
        answer = (by or self.admin).ask("POST", FACTS, self.body(content, **fields))
        assert answer.status_code == 201, answer.text
        return answer.json()


@contextmanager
def connection_to(laptop: Laptop) -> Iterator[Connection]:
    """Yield what the command line would use against a laptop; the environment that it sets is taken back."""
    before = dict(os.environ)
    try:
        yield connect(Choice(data=laptop.data))
    finally:
        os.environ.clear()
        os.environ.update(before)


def new_tenant(laptop: Laptop, connection: Connection) -> Tenant:
    """Return a tenant that has an admin and nothing else."""

    def create_key(caller: Caller) -> str:
        return connection.create_key(caller, name="", expires_at=None).token_text

    tenant_id = str(uuid4())
    token = create_key(build_admin(tenant_id=tenant_id))
    return Tenant(tenant_id, laptop, create_key, HttpCaller(laptop.client, token))


def pages(caller: HttpCaller, **query: str) -> Iterator[Any]:
    """Yield a list's pages to its end, following its cursors."""
    page: dict[str, Any] = {"hasMore": True}
    while page["hasMore"]:
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else {}
        answer = caller.ask("GET", FACTS, query={**query, **cursor})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        yield page


def all_facts(caller: HttpCaller, **query: str) -> list[Any]:
    """Return every fact of a list."""
    return [fact for page in pages(caller, **{"limit": "100", **query}) for fact in page["data"]]


def retrieve(caller: HttpCaller, mode: str, query: str = "", **fields: Any) -> list[Any]:
    """Return what a retrieval finds: facts with their scores."""
    answer = caller.ask("POST", RETRIEVE, {"mode": mode, "query": query, "limit": 100, **fields})
    assert answer.status_code == 200, answer.text
    results: list[Any] = answer.json()["results"]
    return results


def retrieved_ids(caller: HttpCaller, mode: str, query: str = "", **fields: Any) -> list[str]:
    """Return the ids of what a retrieval finds."""
    return [found["fact"]["id"] for found in retrieve(caller, mode, query, **fields)]


def wait_until_indexed(tenant: Tenant, *facts: Any) -> None:
    """Wait until a search meets these facts, at these very revisions.

    By meaning every fact of a small tenant is near enough, whatever its words; and what is found at all is found by both.
    """

    def is_met() -> bool:
        found = [one["fact"] for one in retrieve(tenant.admin, "semantic", "anything at all")]
        return all(fact in found for fact in facts)

    wait_until(is_met, "the index has caught up", seconds=INDEXED_WITHIN_SECONDS)


@pytest.fixture(scope="session")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laptop]:
    """One service for every test that does not kill it."""
    with running_laptop(tmp_path_factory.mktemp("laptop") / "data") as running:
        yield running
        running.stop()


@pytest.fixture(scope="session")
def connection(laptop: Laptop) -> Connection:
    """Return the service's keys, as the command line sees them."""
    with connection_to(laptop) as connected:
        return connected  # it keeps the endpoint that it found; nothing else here should


@pytest.fixture
def tenant(laptop: Laptop, connection: Connection) -> Tenant:
    return new_tenant(laptop, connection)
