"""Each official client does with facts what it does with its own service."""

import json
from typing import Any

import pytest

from tests.conformance.coverage import covers
from tests.polling import wait_until
from tests.tenants import FACTS

RETRIEVE = "/v1/memory/retrieve"

FULL = {
    "type": "preference",
    "content": {"text": "Ana takes her tea without sugar", "n": [1, 2.5, None, {"ü": ""}]},
    "retention": {"keepDays": 30},
    "subjects": [{"kind": "participant", "id": "ana"}],
    "validFrom": "2026-01-01T00:00:00.000Z",
    "validUntil": "2036-01-01T00:00:00.000Z",
    "observedAt": "2026-01-02T03:04:05.678Z",
}


@covers("memory.writeFact", "every field of its body, read back from the store")
def test_a_fact_is_written_with_every_field(client, tenant):
    scope = {"tenantId": tenant.id, "projectId": "apollo", "sessionId": "s-1"}

    fact = client.write({**FULL, "scope": scope})

    assert {name: fact[name] for name in FULL} == FULL
    assert (fact["scope"], fact["version"], fact["trust"]) == (scope, 1, "asserted")
    assert fact == tenant.admin.ask("GET", f"{FACTS}/{fact['id']}").json()


@covers("memory.getFact", "the current revision, one by version, one by time")
def test_a_revision_is_read_by_version_and_by_time(client, tenant):
    first = tenant.write("Tea.")
    path = f"{FACTS}/{first['id']}"
    second = tenant.admin.ask("POST", f"{path}/supersede", {"content": "Coffee."}).json()

    current = client.get(first["id"])
    by_version = client.get(first["id"], version=1)
    by_time = client.get(first["id"], as_of=first["createdAt"])

    assert current == second
    assert by_version == by_time
    assert (by_version["content"], by_version["invalidationReason"]) == ("Tea.", "superseded")


@covers("memory.listFacts", "filters by type, scope and time")
def test_a_list_is_filtered(client, tenant):
    wanted = tenant.write("a", type="preference", scope={"projectId": "apollo"})
    other = tenant.write("b", type="preference", scope={"projectId": "gemini"})
    tenant.write("c", scope={"projectId": "apollo"})
    scope = json.dumps({"projectId": "apollo"})

    page = client.page(type="preference", scope=scope)
    earlier = client.page(type="preference", as_of=other["createdAt"])

    assert page == {"data": [wanted], "hasMore": False}
    assert [fact["id"] for fact in earlier["data"]] == [other["id"], wanted["id"]]


@covers("memory.listFacts", "iteration with cursors, to the end")
def test_a_list_is_walked_by_cursors_to_its_end(client, tenant):
    written = [tenant.write(f"fact {n}")["id"] for n in range(5)]

    met = [fact["id"] for fact in client.all(limit=3)]

    assert met == written[::-1]


@covers("memory.listFactRevisions", "newest first, closed ones included")
def test_revisions_are_listed_newest_first(client, tenant):
    fact = tenant.write("Tea.")
    tenant.admin.ask("POST", f"{FACTS}/{fact['id']}/supersede", {"content": "Coffee."})
    tenant.admin.ask("DELETE", f"{FACTS}/{fact['id']}")

    revisions = client.revisions(fact["id"])

    told = [(r["version"], r["content"], r["invalidationReason"]) for r in revisions]
    assert told == [(2, "Coffee.", "deleted"), (1, "Tea.", "superseded")]


@covers("memory.supersedeFact", "with the version expected")
def test_a_fact_is_superseded(client, tenant):
    fact = tenant.write("Tea.", scope={"projectId": "apollo"})

    second = client.supersede(fact["id"], {"content": "Coffee.", "expectVersion": 1})

    assert (second["id"], second["version"], second["content"]) == (fact["id"], 2, "Coffee.")
    assert (second["scope"], second["supersedes"]) == (fact["scope"], fact["id"])


@covers("memory.verifyFact", "with the version expected")
def test_a_fact_is_verified(client, tenant):
    fact = tenant.write("Tea.")

    verified = client.verify(fact["id"], expect_version=1)

    assert (verified["version"], verified["trust"]) == (2, "verified")
    assert verified["verifiedBy"] == "user:root"


@covers("memory.verifyFact", "without a version", clients=["sync", "async"])
@pytest.mark.parametrize("client_of", ["sync", "async"], indirect=True)
def test_a_fact_is_verified_as_it_is_found(client, tenant):
    fact = tenant.write("Tea.")

    assert client.verify(fact["id"])["trust"] == "verified"


@covers("memory.deleteFact", "with the version expected; the closed revision is the answer")
def test_a_fact_is_deleted(client, tenant):
    fact = tenant.write("Tea.")

    closed = client.delete(fact["id"], expect_version=1)

    assert (closed["content"], closed["invalidationReason"]) == ("Tea.", "deleted")
    assert tenant.admin.ask("GET", f"{FACTS}/{fact['id']}").status_code == 404


@covers("memory.writeFact", "without a tenant: the command line asks whoami first", clients=["cli"])
@pytest.mark.parametrize("client_of", ["cli"], indirect=True)
def test_the_command_line_finds_its_tenant_by_itself(client, tenant):
    fact = client.write({"type": "note", "content": None})

    assert fact["scope"] == {"tenantId": tenant.id}
    assert fact["content"] is None


@covers("identity.whoami", "tenant, role and key", clients=["sync", "async"])
@pytest.mark.parametrize("client_of", ["sync", "async"], indirect=True)
def test_a_caller_learns_who_they_are(client, tenant):
    told = client.ask(lambda c: c.identity.whoami())

    assert (told["tenantId"], told["userId"]) == (tenant.id, "root")
    assert (told["role"], told["tenantAdmin"]) == ("admin", True)
    assert told["tokenId"]


@covers("memory.writeFact", "sent again with the same key: one fact", clients=["sync", "async"])
@pytest.mark.parametrize("client_of", ["sync", "async"], indirect=True)
def test_a_write_sent_again_under_its_key_is_one_fact(client, tenant):
    body = tenant.body("once")

    first = client.ask(lambda c: c.memory.write_fact(body, idempotency_key="k-1"))
    again = client.ask(lambda c: c.memory.write_fact(body, idempotency_key="k-1"))

    assert first == again
    assert [fact["id"] for fact in client.all()] == [first["id"]]


@covers("memory.retrieve", "keyword, semantic, both and list; filters; scores")
def test_facts_are_retrieved(client, tenant):
    tea = tenant.write("Ana takes her tea without sugar.", scope={"projectId": "apollo"})
    tenant.write("The roof was repaired in spring.")
    asked = {"query": "tea", "scope": {"tenantId": tenant.id, "projectId": "apollo"}, "limit": 3}

    def found(mode: str) -> list[Any]:
        return client.retrieve({"mode": mode, **asked})

    # The index is fed from the table's stream, a moment later.
    asked_plainly = {"mode": "keyword", **asked}
    wait_until(
        lambda: tenant.admin.ask("POST", RETRIEVE, asked_plainly).json()["results"],
        "the fact is indexed",
    )
    [hit] = found("keyword")
    assert hit == {"fact": tea, "score": hit["score"]}
    assert hit["score"] > 0
    assert found("list") == [{"fact": tea}]
    assert found("both") == [{"fact": tea, "score": pytest.approx(2 / 61)}]
    [near] = found("semantic")
    assert -1 <= near["score"] <= 1
