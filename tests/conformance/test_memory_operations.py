"""Every method of the memory door's official client, against the laptop's service over HTTP."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from mnemoverse.errors import MnemoAuthError, MnemoError

from tests.conformance.coverage import MEMORY_CLIENTS, covers
from tests.conformance.memory_clients import KINDS, MemoryClient
from tests.polling import wait_until
from tests.tenants import INDEXED_WITHIN_SECONDS, HttpCaller, Tenant

ClientOf = Callable[[str], MemoryClient]
WORDS = "Ana takes her tea without sugar"
ON_MEMORY = tuple(MEMORY_CLIENTS)


@pytest.fixture
def ana(tenant: Tenant) -> HttpCaller:
    return tenant.caller("ana")


@pytest.fixture(params=MEMORY_CLIENTS)
def client_of(request: pytest.FixtureRequest, tenant: Tenant) -> ClientOf:
    """Return what makes an official client with a token; each test runs with each kind."""
    return lambda token: KINDS[request.param](tenant.laptop.run["url"], token)


@pytest.fixture
def client(client_of: ClientOf, ana: HttpCaller) -> MemoryClient:
    """A member of the tenant, behind each official client in turn."""
    return client_of(ana.token or "none")


def wait_until_read(client: MemoryClient, *atom_ids: UUID) -> None:
    """Wait until a read meets these atoms: the index follows the table."""

    def is_met() -> bool:
        found = client.ask("read", "anything at all", top_k=100, min_relevance=0.0)
        return set(atom_ids) <= {item.atom_id for item in found.items}

    wait_until(is_met, "the index has caught up", seconds=INDEXED_WITHIN_SECONDS)


def contents(answer: Any) -> list[str]:
    return [item.content for item in answer.items]


@covers("write", "every field, read back by every read", clients=ON_MEMORY)
def test_what_is_written_is_read(client):
    reference = str(uuid4())
    written = client.ask(
        "write",
        WORDS,
        concepts=["tea", "Ana"],
        domain="kitchen",
        metadata={"cups": 2, "deep": {"a": [None]}},
        external_ref=reference,
        fingerprint="tea-1",
    )
    wait_until_read(client, written.atom_id)

    found = client.ask("read", "How does Ana take her tea?", domain="kitchen")
    [item] = found.items
    [recent] = client.ask("recent").items

    assert (written.stored, written.reason in ("", "novelty-unknown")) == (True, True)
    assert written.superseded == []
    assert (item.atom_id, item.content) == (written.atom_id, WORDS)
    assert (item.concepts, item.domain) == (["tea", "Ana"], "kitchen")
    assert item.metadata == {"cups": 2, "deep": {"a": [None]}}
    assert (item.importance, item.valence) == (pytest.approx(written.importance), 0.0)
    assert (item.supersedes, item.superseded_by) == ([], None)
    assert item.provenance.principal == "user:ana"
    assert item.provenance.client_env == "api"
    assert 0.3 <= item.relevance <= 1
    assert 0 < item.similarity <= 1
    assert (recent.atom_id, recent.created_at) == (item.atom_id, item.created_at)
    assert found.episodic_hit is False
    assert "tea" in found.query_concepts


@covers("write", "the same content again: not stored, and told where it stands", clients=ON_MEMORY)
def test_the_same_content_is_stored_once(client):
    first, again = client.ask("write", WORDS), client.ask("write", WORDS)

    assert (first.stored, again.stored) == (True, False)
    assert again.atom_id == first.atom_id


@covers("write_batch", "a result for each item, also where one is refused", clients=ON_MEMORY)
def test_a_batch_has_a_result_for_each_item(client):
    items = [{"content": f"{WORDS} {n}", "domain": "kitchen"} for n in range(20)]

    answer = client.ask("write_batch", [*items, {"content": ""}, items[0]])

    assert (answer.total_count, answer.stored_count) == (22, 20)
    assert [result.index for result in answer.results] == list(range(22))
    assert [result.stored for result in answer.results] == [True] * 20 + [False, False]
    assert [bool(result.error) for result in answer.results][19:21] == [False, True]


@covers("read", "each of its fields", clients=ON_MEMORY)
def test_each_field_of_a_read_is_served(client):
    first = client.ask("write", WORDS, domain="kitchen", fingerprint="tea-1", concepts=["tea"])
    between = datetime.now(UTC)
    second = client.ask("write", "Ana drinks tea at work", domain="work", concepts=["tea"])
    wait_until_read(client, first.atom_id, second.atom_id)

    def found(query: str = "Ana tea", **fields: Any) -> Any:
        return client.ask("read", query, **{"min_relevance": 0.0, **fields})

    both = {WORDS, "Ana drinks tea at work"}
    assert set(contents(found())) == both
    assert contents(found(domain="work")) == ["Ana drinks tea at work"]
    assert contents(found(domain="nowhere")) == []
    assert len(found(top_k=1, include_associations=False).items) == 1
    assert contents(found("rain in Berlin", min_relevance=0.99, include_associations=False)) == []
    assert contents(found(order_by="recency")) == ["Ana drinks tea at work", WORDS]
    assert contents(found(since=between)) == ["Ana drinks tea at work"]
    assert contents(found(until=between.replace(tzinfo=None))) == [WORDS]
    assert contents(found(since=between.isoformat(), until=between + timedelta(days=1))) != []
    assert contents(found(exclude_author="user:ana")) == []
    assert found(concepts=["tea"]).query_concepts == ["tea"]
    assert set(contents(found(diversity=0.5))) == both
    hit = found("rain", fingerprint="tea-1")
    assert (hit.episodic_hit, hit.items[0].content) == (True, WORDS)


@covers("write", "`supersedes`: history in read and recent when it is asked for", clients=ON_MEMORY)
def test_a_correction_hides_what_it_replaced(client):
    old = client.ask("write", "The deadline is 1 May", domain="work")
    new = client.ask("write", "The deadline is 9 May", domain="work", supersedes=[old.atom_id])
    wait_until_read(client, new.atom_id)

    def history(**fields: Any) -> dict[UUID, UUID | None]:
        asked = {"min_relevance": 0.0, **fields}
        items = client.ask("read", "When is the deadline?", **asked).items
        return {item.atom_id: item.superseded_by for item in items}

    assert new.superseded == [old.atom_id]
    wait_until(lambda: history() == {new.atom_id: None}, "the old one has left the index")
    replaced = {new.atom_id: None, old.atom_id: new.atom_id}
    wait_until(lambda: history(include_history=True) == replaced, "the history is there")
    assert contents(client.ask("recent")) == ["The deadline is 9 May"]
    items = client.ask("recent", include_history=True).items
    assert {item.atom_id: item.superseded_by for item in items} == replaced
    assert [item.supersedes for item in items] == [[old.atom_id], []]


@covers("recent", "pages to the end while others write; each of its fields", clients=ON_MEMORY)
def test_the_feed_is_complete_and_ends(client):
    ids = [client.ask("write", f"{WORDS} {n}", domain="kitchen").atom_id for n in range(5)]
    between = datetime.now(UTC)
    client.ask("write", "elsewhere", domain="work")

    def feed(**fields: Any) -> list[UUID]:
        found, cursor = [], None
        while True:
            page = client.ask("recent", limit=2, cursor=cursor, **fields)
            found += [item.atom_id for item in page.items]
            cursor = page.next_cursor
            if cursor is None:
                return found
            client.ask("write", str(uuid4()), domain="kitchen")

    assert feed(domain="kitchen")[-5:] == ids[::-1]
    assert feed(until=between) == feed(domain="kitchen", until=between)
    assert feed(until=between)[-5:] == ids[::-1]
    assert not set(feed(since=between, domain="work")) & set(ids)
    assert feed(exclude_author="user:ana") == []
    assert feed(domain="nowhere") == []


@covers("graph", "edges that writes taught, and none of an unknown seed", clients=ON_MEMORY)
def test_the_graph_shows_what_was_learnt(client):
    client.ask("write", WORDS, concepts=["Tea", "sugar"])

    def edges(**fields: Any) -> list[tuple[str, str]]:
        graph = client.ask("graph", ["tea"], **fields)
        return [(edge.source, edge.target) for edge in graph.edges]

    wait_until(lambda: edges() == [("sugar", "tea")], "the lesson was learnt")
    deep = client.ask("graph", ["tea"], depth=3, limit=1, domain="any")
    unknown = client.ask("graph", ["unheard of"], min_weight=0.0)

    assert {(node.concept, node.degree) for node in deep.nodes} == {("tea", 1), ("sugar", 1)}
    assert 0 < deep.edges[0].weight < 1
    assert (deep.truncated, deep.min_weight_applied) == (False, 0.05)
    assert (unknown.nodes, unknown.edges, unknown.min_weight_applied) == ([], [], 0.0)


@covers("feedback", "moves valence; unknown ids are passed over", clients=ON_MEMORY)
def test_feedback_moves_what_served(client):
    written = client.ask("write", WORDS, concepts=["tea", "sugar"])

    rated = client.ask("feedback", [written.atom_id, uuid4(), "no id"], 1.0, concepts=["tea"])
    nobody = client.ask("feedback", [uuid4()], -1.0)
    stats = client.ask("stats")

    assert rated.updated_count == 1
    assert 0 < rated.avg_valence <= 1
    assert stats.avg_valence == pytest.approx(rated.avg_valence)
    assert (nobody.updated_count, nobody.avg_valence) == (0, 0.0)


@covers("stats", "numbers of an empty and of a full memory", clients=ON_MEMORY)
def test_stats_count_what_stands(client):
    empty = client.ask("stats")
    client.ask("write", WORDS, domain="kitchen", fingerprint="f")
    client.ask("write", "elsewhere", domain="work")
    full = client.ask("stats")

    assert (empty.total_atoms, empty.domains, empty.avg_importance) == (0, [], 0.0)
    assert (full.total_atoms, full.episodes, full.singletons, full.prototypes) == (2, 2, 2, 0)
    assert (full.domains, full.episodic_fingerprints) == (["kitchen", "work"], 1)
    assert 0 < full.avg_importance <= 1


@covers("health", "status, database and version", clients=ON_MEMORY)
def test_health_is_told(client):
    health = client.ask("health")

    assert (health.status, health.database) == ("ok", True)
    assert health.version


@covers("every method", "which key is wrong, in words", clients=ON_MEMORY)
def test_a_key_that_is_no_good_is_told_as_such(client_of):
    with pytest.raises(MnemoAuthError, match="API key"):
        client_of("pal_not-a-key").ask("stats")


@covers("every method", "the field that is wrong, and its limit", clients=ON_MEMORY)
def test_a_bad_field_is_named(client):
    with pytest.raises(MnemoError) as too_many:
        client.ask("read", "tea", top_k=501)
    with pytest.raises(MnemoError) as backwards:
        client.ask("recent", since="2026-05-02", until="2026-05-01")
    with pytest.raises(MnemoError) as stale:
        client.ask("recent", cursor="not-a-cursor")

    assert (too_many.value.status, too_many.value.retryable) == (400, False)
    assert "top_k" in too_many.value.message
    assert "500" in too_many.value.message
    assert (backwards.value.status, stale.value.status) == (422, 400)
    assert "until" in backwards.value.message
    assert "cursor" in stale.value.message


@covers("every method", "another user's memory is not there", clients=ON_MEMORY)
def test_ben_finds_nothing_of_ana(client, client_of, tenant):
    written = client.ask("write", WORDS, concepts=["tea", "sugar"], fingerprint="tea-1")
    wait_until_read(client, written.atom_id)
    ben = client_of(tenant.caller("ben").token or "none")

    read = ben.ask("read", WORDS, min_relevance=0.0, fingerprint="tea-1", include_history=True)
    rated = ben.ask("feedback", [written.atom_id], -1.0)
    again = ben.ask("write", WORDS)

    assert (read.items, read.episodic_hit, read.expanded_concepts) == ([], False, [])
    assert rated.updated_count == 0
    assert again.stored is True
    assert ben.ask("graph", ["tea"], depth=3, min_weight=0.0).edges == []
    assert contents(ben.ask("recent", include_history=True)) == [WORDS]
    assert (ben.ask("stats").total_atoms, ben.ask("stats").hebbian_edges) == (1, 0)
    assert client.ask("stats").avg_valence == 0.0
