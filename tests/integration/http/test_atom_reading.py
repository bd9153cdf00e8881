"""Reading memory over HTTP, real engines and a real model: spec/read-memory.md §3. The stages have their own unit tests."""

from typing import Any

import pytest

from tests.polling import wait_until
from tests.tenants import INDEXED_WITHIN_SECONDS, HttpCaller, Tenant

MEMORY = "/api/v1/memory"
# What stands in an atom of each test: asking for it tells that everything written before is found as well.
LAST = "The lighthouse keeper repairs a brass clock."


@pytest.fixture
def ana(tenant: Tenant) -> HttpCaller:
    return tenant.caller("ana")


def write(caller: HttpCaller, content: str, **fields: Any) -> str:
    answer = caller.ask("POST", f"{MEMORY}/write", {"content": content, **fields})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["atom_id"])


def read(caller: HttpCaller, query: str, **fields: Any) -> Any:
    answer = caller.ask("POST", f"{MEMORY}/read", {"query": query, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def wait_for_index(caller: HttpCaller) -> None:
    write(caller, LAST, domain="last")
    wait_until(
        lambda: read(caller, LAST, domain="last")["items"],
        "what was written is found",
        seconds=INDEXED_WITHIN_SECONDS,
    )


def told(answer: Any) -> dict[str, str]:
    return {item["content"]: item["source"] for item in answer["items"]}


def test_every_way_of_finding_an_atom_leads_to_its_own_source(ana: HttpCaller):
    write(ana, "Ana drinks green tea every morning.", concepts=["tea"], domain="home")
    write(ana, "The invoices of March are overdue.", fingerprint="march", domain="office")
    write(ana, "A new kettle costs forty euros.", concepts=["kettle", "tea"], domain="home")
    write(ana, "Descale with lemon acid.", concepts=["kettle", "limescale"], domain="home")
    wait_for_index(ana)

    def answer() -> Any:
        request = {"fingerprint": "march", "min_relevance": 0.2, "domain": "home"}
        return read(ana, "What tea does Ana drink?", include_timings=True, **request)

    found = wait_until(
        lambda: (a := answer())["expanded_concepts"] and a, "what was written has been learnt"
    )

    first, *others = found["items"]
    assert (first["content"], first["source"]) == (
        "The invoices of March are overdue.",
        "episodic",
    )
    assert found["episodic_hit"] is True
    assert told({"items": others})["Ana drinks green tea every morning."] == "semantic"
    assert found["expanded_concepts"] == ["kettle"]
    assert {"tea", "drink"} <= set(found["query_concepts"])
    assert found["timings"]["n_embed_calls"] == 1
    assert found["timings"]["n_db_roundtrips"] >= 3
    assert all(0 <= item["relevance"] <= 1 for item in found["items"])


def test_a_replaced_atom_is_history_and_its_fingerprint_brings_what_stands_now(ana: HttpCaller):
    old = write(ana, "Ana takes sugar in her tea.", fingerprint="sugar")
    wait_for_index(ana)
    new = write(ana, "Ana takes no sugar in her tea.", supersedes=[old], domain="other")
    wait_until(
        lambda: len(read(ana, "Ana takes sugar", include_history=True)["items"]) >= 2,
        "what was replaced stands in the history",
        seconds=INDEXED_WITHIN_SECONDS,
    )

    plain = read(ana, "Ana takes sugar in her tea.")
    history = read(ana, "Ana takes sugar in her tea.", include_history=True)
    pinned = read(ana, "anything else", fingerprint="sugar", domain="general", top_k=1)

    assert old not in [item["atom_id"] for item in plain["items"]]
    by_id = {item["atom_id"]: item for item in history["items"]}
    assert by_id[old]["superseded_by"] == new
    assert by_id[old]["relevance"] == 1.0
    assert by_id[new]["supersedes"] == [old]
    assert [item["atom_id"] for item in pinned["items"]][:2] == [old, new]


def test_feedback_sinks_an_atom_below_its_rival_and_lifts_it_back(ana: HttpCaller):
    query = "Where does Ana like to eat?"
    atom = write(ana, "Ana likes to eat at the harbour.")
    rival = write(ana, "Ana ate at the old mill once and liked the soup.")
    wait_for_index(ana)

    def order() -> list[str]:
        found = [item["atom_id"] for item in read(ana, query, min_relevance=0.1)["items"]]
        return [atom_id for atom_id in found if atom_id in (atom, rival)]

    def rate(outcome: float) -> None:
        body = {"atom_ids": [atom], "outcome": outcome}
        assert ana.ask("POST", f"{MEMORY}/feedback", body).json()["updated_count"] == 1

    before = order()
    for _ in range(5):
        rate(-1)
    sunk = order()
    rate(1)

    assert before == [atom, rival]
    assert sunk == [rival, atom]
    assert order() == [atom, rival]


def test_strategies_floors_and_diversity_change_what_comes(ana: HttpCaller):
    copies = [f"Ana drinks green tea every morning{end}" for end in (".", "!", " at home.")]
    others = ["Ana had red wine on Friday.", "Ana cannot stand coffee."]
    for text in (*copies, *others):
        write(ana, text)
    wait_for_index(ana)
    query = "What does Ana drink?"

    everything = read(ana, query, strategy="exhaustive")
    precise = read(ana, "How is a reverse proxy configured?", strategy="precise")
    diverse = read(
        ana, query, top_k=3, diversity=0.5, min_relevance=0.0, include_associations=False
    )

    assert {*copies, *others, LAST} == set(told(everything))
    assert precise["items"] == []
    assert sum(item["content"] in copies for item in diverse["items"]) == 1
    assert read(ana, query, min_relevance=1.0)["items"] == []
