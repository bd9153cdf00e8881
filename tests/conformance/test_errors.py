"""Each of our codes is, for each official client, an error of its own type for it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from kindgi.client import ConflictError, Kindgi, KindgiApiError, NotFoundError
from palimpsest.api.enveloped_problems import envelope
from palimpsest.api.problems import PROBLEMS, Refusal
from palimpsest.use_cases.create_key import CreatedKey
from palimpsest_cli.connection import Connection

from tests.builders import build_caller
from tests.conformance.clients import CommandLine, RefusedError
from tests.conformance.coverage import covers
from tests.polling import wait_until
from tests.tenants import HttpCaller, Tenant

# By its family, an official client decides what to do: try again, sign in, tell a person.
FAMILIES = {
    "bad-input": "invalid-request",
    "scope-invalid": "invalid-request",
    "scope-mismatch": "invalid-request",
    "request-too-large": "invalid-request",
    "auth-missing": "auth",
    "auth-expired": "auth",
    "auth-revoked": "auth",
    "permission-denied": "auth",
    "key-project-mismatch": "auth",
    "rooms-not-offered": "auth",
    "fact-not-found": "not-found",
    "atom-not-found": "not-found",
    "entity-not-found": "not-found",
    "not-found": "not-found",
    "fact-changed": "conflict",
    "duplicate-fact": "conflict",
    "atom-replaced": "conflict",
    "legal-hold": "conflict",
    "erasure-in-progress": "conflict",
    "idempotency-key-body-mismatch": "conflict",
    "idempotency-key-in-flight": "conflict",
    "idempotency-key-replay-withheld": "conflict",
    "rate-limit-exceeded": "rate-limited",
    "semantic-unavailable": "server",
    "unprocessable": "server",
    "persistence-error": "server",
    "persistence-unavailable": "server",
    "search-unavailable": "server",
    "memory-operation-unsupported": "server",
}


@dataclass(frozen=True)
class World:
    """What a refused call needs.

    Attributes:
        fact: An id that the admin can see.
        held: One under legal hold.
        client_of: Makes an official client with somebody's token.
    """

    tenant: Tenant
    connection: Connection
    fact: str
    held: str
    client_of: Callable[[HttpCaller], Any]

    @property
    def admin(self) -> Any:
        return self.client_of(self.tenant.admin)

    def as_caller(self, id: str = "ana", **fields: Any) -> Any:  # noqa: A002 - as the builder
        return self.client_of(self.tenant.caller(id, **fields))

    def with_token(self, token: str) -> Any:
        return self.client_of(HttpCaller(self.tenant.laptop.client, token))

    def create_key(self, expires_at: datetime | None = None) -> CreatedKey:
        caller = build_caller(tenant_id=self.tenant.id)
        return self.connection.create_key(caller, name="", expires_at=expires_at)


@pytest.fixture
def world(tenant, connection, client_of) -> World:
    fact, held = tenant.write("Tea."), tenant.write("Rent.", retention={"legalHold": True})
    return World(tenant, connection, fact["id"], held["id"], client_of)


def revoked(world: World) -> Any:
    key = world.create_key()
    world.connection.revoke_key(world.tenant.id, key.key.id)
    return world.with_token(key.token_text)


def expired(world: World) -> Any:
    expires_at = datetime.now(UTC) + timedelta(milliseconds=300)
    key = world.create_key(expires_at=expires_at)
    wait_until(lambda: datetime.now(UTC) > expires_at, "the key expires")
    return world.with_token(key.token_text)


# In time, which no schema says, so that no client finds it itself.
BACKWARDS: dict[str, str] = {
    "validFrom": "2027-01-01T00:00:00Z",
    "validUntil": "2026-01-01T00:00:00Z",
}
CALLS: dict[str, Callable[[World], object]] = {
    "bad-input": lambda w: w.admin.write({"type": "note", **_content(w), **BACKWARDS}),
    "scope-invalid": lambda w: w.admin.page(scope_kind="org"),
    "scope-mismatch": lambda w: w.admin.write(
        {"type": "note", "scope": {"tenantId": "other"}, "content": 1}
    ),
    "request-too-large": lambda w: w.admin.write({"type": "note", **_content(w, "x" * 300_000)}),
    "auth-missing": lambda w: w.with_token("unknown").page(),
    "auth-revoked": lambda w: revoked(w).page(),
    "auth-expired": lambda w: expired(w).page(),
    "permission-denied": lambda w: w.as_caller().delete(w.fact),
    "key-project-mismatch": lambda w: w.as_caller(project_limit="apollo").page(
        scope_kind="project", scope_id="gemini"
    ),
    "fact-not-found": lambda w: w.admin.get("nothing"),
    "fact-changed": lambda w: w.admin.verify(w.fact, expect_version=7),
    "legal-hold": lambda w: w.admin.delete(w.held),
}
# A command is a process of seconds, so these stand for their families.
TOLD_BY_COMMAND = ("bad-input", "auth-missing", "fact-not-found", "fact-changed")
CASES = [
    *((client, code) for client in ("sync", "async") for code in CALLS),
    *(("cli", code) for code in TOLD_BY_COMMAND),
]


def _content(world: World, content: object = "Tea.") -> dict[str, Any]:
    return {"scope": {"tenantId": world.tenant.id}, "content": content}


@covers("every operation", "refusals, each an error of its own type")
@pytest.mark.parametrize(("client_of", "code"), CASES, indirect=["client_of"])
def test_a_refusal_is_the_clients_own_error(world, code):
    with pytest.raises(RefusedError) as refused:
        CALLS[code](world)

    # The command line shows some codes, and of the others the family.
    by_command = isinstance(world.admin, CommandLine)
    assert refused.value.kind in ({FAMILIES[code], code} if by_command else {FAMILIES[code]})
    if isinstance(refused.value.shown, KindgiApiError):
        assert refused.value.server_code == code
        assert refused.value.shown.request_id


@covers("every operation", "codes of a service in trouble", clients=["sync"])
@pytest.mark.parametrize(("status", "code"), sorted(set(PROBLEMS.values())))
def test_every_code_of_ours_has_its_family(status, code):
    headers = {"Retry-After": "2"}
    refusal = Refusal(status=status, code=code, message="What happened.", headers=headers)
    answer = envelope(refusal, "r-1")

    def answered(request: httpx.Request) -> httpx.Response:
        return httpx.Response(answer.status, text=answer.body, headers=answer.headers)

    with (
        httpx.Client(transport=httpx.MockTransport(answered)) as http,
        Kindgi("http://service", token="t", max_retries=0, http_client=http) as client,
        pytest.raises(KindgiApiError) as told,
    ):
        client.memory.list_facts()

    assert (told.value.code, told.value.server_code) == (FAMILIES[code], code)
    assert (told.value.status, told.value.request_id) == (status, "r-1")


@covers("every operation", "details of a refusal, where a client looks for them", clients=["sync"])
def test_details_reach_the_caller(tenant):
    fact = tenant.write("Tea.")
    url, token = tenant.laptop.run["url"], tenant.admin.token

    with Kindgi(url, token=token) as client:
        with pytest.raises(NotFoundError) as missing:
            client.memory.get_fact("nothing")
        with pytest.raises(ConflictError) as changed:
            client.memory.delete_fact(fact["id"], expect_version=7)
        client.memory.write_fact(tenant.body("a"), idempotency_key="k-1")
        with pytest.raises(ConflictError) as mismatch:
            client.memory.write_fact(tenant.body("b"), idempotency_key="k-1")

    assert (missing.value.kind, missing.value.id) == ("fact", "nothing")
    assert changed.value.details == {"currentVersion": 1}
    assert mismatch.value.server_code == "idempotency-key-body-mismatch"
