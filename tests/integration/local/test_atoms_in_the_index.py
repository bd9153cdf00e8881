"""Atoms on the laptop: what the stream makes of one that is written, replaced and deleted, seen in the index itself."""

from datetime import UTC, datetime
from functools import partial

import pytest
from palimpsest.adapters.sqlite.index import SQLiteFactIndex
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.domain.search_filters import SearchFilter
from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import Search

from tests.laptop import Laptop, running_laptop
from tests.polling import wait_until


@pytest.fixture(scope="module")
def laptop(tmp_path_factory):
    with running_laptop(tmp_path_factory.mktemp("laptop") / "data") as running:
        yield running
        running.stop()


def write(laptop: Laptop, content: str, **fields):
    answer = laptop.client.post("/api/v1/memory/write", json={"content": content, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def found(laptop):
    """Return (fact id, version) of what words find among atoms with one of some concepts, without asking the table."""
    index = SQLiteFactIndex(laptop.data / "index.sqlite")
    yield partial(_found, index, laptop.run["tenantId"])
    index.close()


def _found(
    index: SQLiteFactIndex, tenant_id: str, words: str, *concepts: str, with_history: bool = False
) -> set[RevisionKey]:
    labels = frozenset(Label(LabelKind.CONCEPT, concept) for concept in concepts)
    wanted = SearchFilter(
        tenant_id=tenant_id,
        audiences=None,
        type="memory.atom",
        labels=(labels,) if concepts else (),
    )
    search = Search(filter=wanted, limit=10, now=datetime.now(UTC), with_history=with_history)
    return {(hit.fact_id, hit.version) for hit in index.keyword_search(words, search)}


def successors(laptop: Laptop, query: str, **fields):
    """Read the memory of one home; return, by atom id, which atom replaced each."""
    body = {"query": query, "min_relevance": 0.3, "include_associations": False, **fields}
    answer = laptop.client.post("/api/v1/memory/read", json=body)
    assert answer.status_code == 200, answer.text
    return {
        item["atom_id"]: item.get("superseded_by")
        for item in answer.json()["items"]
        if "Ben" in item["content"]
    }


def test_an_atom_is_found_by_its_concepts_and_what_is_like_it_is_less_important(laptop, found):
    first = write(laptop, "Ana takes her tea without sugar.", concepts=["Green  Tea", "sugar"])
    key = (first["atom_id"], 1)
    wait_until(lambda: found("tea", "green tea") == {key}, "it is indexed", seconds=90)

    again = write(laptop, "Ana takes her tea with no sugar.")
    other = write(laptop, "The train to Lyon leaves at noon.", domain="travel")

    assert found("tea", "coffee") == set()
    assert (first["importance"], first["reason"]) in [(1.0, ""), (1.0, "novelty-unknown")]
    # The model may still be asleep when the first is written, or this machine too busy: then it is not known, and said so.
    assert again["reason"] == "novelty-unknown" or again["importance"] < 0.2
    assert other["importance"] == 1.0


def test_a_replaced_atom_is_history_until_it_is_deleted(laptop, found):
    old = write(laptop, "Ben lives in Porto.", concepts=["home"])
    key = (old["atom_id"], 1)
    wait_until(lambda: found("Porto") == {key}, "it is indexed", seconds=90)

    new = write(laptop, "Ben lives in Lisbon.", concepts=["home"], supersedes=[old["atom_id"]])
    wait_until(lambda: found("Ben lives") == {(new["atom_id"], 1)}, "the new one takes its place")

    assert found("Ben lives", "home", with_history=True) == {key, (new["atom_id"], 1)}
    assert successors(laptop, "Ben lives") == {new["atom_id"]: None}
    assert successors(laptop, "Ben lives", include_history=True) == {
        new["atom_id"]: None,
        old["atom_id"]: new["atom_id"],
    }

    laptop.client.delete(f"/api/v1/memory/atoms/{old['atom_id']}").raise_for_status()
    assert successors(laptop, "Ben lives", include_history=True) == {new["atom_id"]: None}
    wait_until(lambda: found("Porto", with_history=True) == set(), "it left the history too")
