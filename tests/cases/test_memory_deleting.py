"""What is deleted is gone from the memory door and the tools at once, and from what they count: T04, T13."""

from typing import Any

import pytest

from tests.atoms import (
    ALL,
    ENTITIES,
    MEMORY,
    ask_memory,
    call_tool,
    entity_names,
    exported,
    items_of,
    read,
    read_ids,
    recent_ids,
    remember,
    wait_until_read,
    write_atom,
    write_atoms,
)
from tests.polling import wait_until
from tests.tenants import FACTS, MODES, HttpCaller, all_facts, retrieved_ids

TEXT = "The dog sleeps in the kennel."
DESTRUCTIVE = frozenset({"destructive"})
DOORS = ("the memory door", "the facts door", "a tool")


def delete(caller: HttpCaller, atom_id: str, door: str) -> None:
    """Delete an atom through one of the doors."""
    if door == "the memory door":
        answer = caller.ask("DELETE", f"{MEMORY}/atoms/{atom_id}")
        assert answer.json() == {"deleted": 1}
    elif door == "the facts door":
        assert caller.ask("DELETE", f"{FACTS}/{atom_id}").status_code == 200
    else:
        call_tool(caller, "delete_fact", factId=atom_id)


def is_met(caller: HttpCaller, atom_id: str) -> dict[str, bool]:
    """Return, for each read of every door, whether it has the atom."""
    ref = {"external_ref": "note-1", "include_history": True}
    asked: dict[str, Any] = {"query": TEXT, **ALL}
    (batched,) = ask_memory(caller, "read-batch", {"items": [asked]})["results"]
    searches = {mode: retrieved_ids(caller, mode, TEXT) for mode in MODES}
    lists = {
        **searches,
        "list": [fact["id"] for fact in all_facts(caller)],
        "read": read_ids(caller, **asked),
        "read by its domain": read_ids(caller, domain="dogs", **asked),
        "read with history": read_ids(caller, include_history=True, **asked),
        "read by its fingerprint": read_ids(caller, fingerprint="kennel", **asked),
        "read by its concept": read_ids(caller, "zzz", concepts=["kennel"]),
        "read-batch": items_of(batched["result"]),
        "query": items_of(ask_memory(caller, "query", {"domains": ["dogs"], **asked})),
        "recent": recent_ids(caller),
        "recent with history": recent_ids(caller, include_history=True),
        "by external ref": items_of(ask_memory(caller, "atoms/by-external-ref", ref)),
        "export": [line["atom_id"] for line in exported(caller)],
    }
    answers = {
        "get": caller.ask("GET", f"{FACTS}/{atom_id}"),
        "get an atom": caller.ask("GET", f"{MEMORY}/atoms/{atom_id}"),
        "chain": caller.ask("GET", f"{MEMORY}/atoms/{atom_id}/chain"),
    }
    return {
        **{name: atom_id in found for name, found in lists.items()},
        **{name: answer.status_code == 200 for name, answer in answers.items()},
    }


@pytest.mark.parametrize("door", DOORS)
def test_t04_a_deleted_atom_is_gone_from_every_read_before_the_index_has_caught_up(tenant, door):
    ana = tenant.caller(tools=DESTRUCTIVE)
    atom_id = write_atom(
        ana,
        TEXT,
        domain="dogs",
        concepts=["dog", "kennel"],
        fingerprint="kennel",
        external_ref="note-1",
    )
    wait_until_read(tenant, atom_id)
    before = is_met(ana, atom_id)

    delete(ana, atom_id, door)
    after = is_met(ana, atom_id)

    assert {name for name, is_there in before.items() if not is_there} == set()
    assert {name for name, is_there in after.items() if is_there} == set()
    assert not read(ana, TEXT, fingerprint="kennel", **ALL)["episodic_hit"]
    # The same text is new again: what is deleted is no duplicate of anything.
    assert write_atom(ana, TEXT, domain="dogs") != atom_id


def test_t04_a_replaced_atom_that_is_deleted_leaves_the_history_too(tenant):
    ana = tenant.caller()
    old = write_atom(ana, TEXT, fingerprint="kennel")
    new = write_atom(ana, "The dog sleeps on the sofa.", supersedes=[old])
    wait_until_read(tenant, new)
    wait_until(
        lambda: old in read_ids(ana, TEXT, include_history=True, **ALL), "the history is indexed"
    )

    delete(ana, old, "the memory door")

    assert ask_memory(ana, f"atoms/{new}/chain")["dangling"] == [old]
    assert read_ids(ana, TEXT, include_history=True, fingerprint="kennel", **ALL) == [new]
    assert recent_ids(ana, include_history=True) == [new]
    assert ana.ask("GET", f"{MEMORY}/atoms/{old}").status_code == 404
    assert ana.ask("DELETE", f"{MEMORY}/atoms/{old}").json() == {"deleted": 0}


def test_t13_what_is_counted_of_an_entity_is_what_is_left(tenant):
    ana = tenant.caller()
    told = [f"Jeff owns boat number {n}." for n in range(5)]
    facts = [remember(ana, "Jeff", text, entityType="person") for text in told]
    wait_until_read(tenant, *facts)

    for fact_id in facts[1:3]:
        delete(ana, fact_id, "the facts door")

    left = {told[0], told[3], told[4]}
    stats = call_tool(ana, "memory_stats")
    context = call_tool(ana, "get_entity_context", entityName="Jeff", maxObs=2)
    whole = call_tool(ana, "get_entity_context", entityName="Jeff")
    (recalled,) = call_tool(ana, "recall_memories", query="Which boats?", limit=50)["entities"]
    assert stats == {
        "entities": 1,
        "observations": 3,
        "relations": 0,
        "entitiesByType": {"person": 1},
    }
    assert ana.ask("GET", f"{ENTITIES}/stats").json() == stats
    assert entity_names(ana) == ["Jeff"]
    assert (len(context["observations"]), context["moreObservations"]) == (2, 1)
    assert {each["observation"] for each in whole["observations"]} == left
    assert {each["content"] for each in recalled["memories"]} == left


def test_t13_an_entity_goes_with_the_last_that_was_said_of_it(tenant):
    ana = tenant.caller()
    told = remember(ana, "Jeff", "Jeff sails.", entityType="person")
    related = call_tool(
        ana, "relate_entities", fromEntity="Jeff", relation="works at", toEntity="Acme Corp",
        toType="organization",
    )["relationId"]  # fmt: skip

    delete(ana, told, "the facts door")
    with_relation = (sorted(entity_names(ana)), call_tool(ana, "memory_stats"))
    delete(ana, related, "the facts door")

    assert with_relation[0] == ["Acme Corp", "Jeff"]
    assert with_relation[1]["observations"] == 0
    assert with_relation[1]["relations"] == 1
    assert call_tool(ana, "list_entities")["total"] == 0
    assert call_tool(ana, "memory_stats") == {
        "entities": 0,
        "observations": 0,
        "relations": 0,
        "entitiesByType": {},
    }
    assert ana.ask("GET", f"{ENTITIES}/graph").json()["nodes"] == []
    assert call_tool(ana, "get_entity_context", entityName="Jeff") == {"found": False}


@pytest.mark.parametrize("door", DOORS)
def test_t13_the_numbers_of_a_memory_are_of_what_is_left(tenant, door):
    ana = tenant.caller(tools=DESTRUCTIVE)
    atoms = write_atoms(
        ana,
        [
            {"content": f"Boat number {n}.", "domain": domain, "fingerprint": f"boat {n}"}
            for n, domain in enumerate(["boats", "boats", "boats", "sold", "sold"])
        ],
    )
    ask_memory(ana, "feedback", {"atom_ids": atoms[2:4], "outcome": 1})

    for atom_id in atoms[3:]:
        delete(ana, atom_id, door)

    stats = ask_memory(ana, "stats")
    assert (stats["total_atoms"], stats["episodes"], stats["singletons"]) == (3, 3, 3)
    assert stats["domains"] == ["boats"]
    assert stats["episodic_fingerprints"] == 3
    assert stats["avg_valence"] == pytest.approx(0.5 / 3, abs=1e-6)
    assert ask_memory(ana, "domains") == stats


def test_t13_no_read_names_a_concept_of_what_is_deleted(tenant):
    ana = tenant.caller()
    kept = write_atom(ana, "Green tea at four.", concepts=["tea", "garden"])
    gone = write_atom(ana, "Tea with the lawyer.", concepts=["tea", "divorce"])
    wait_until_read(tenant, kept, gone)
    wait_until(
        lambda: set(read(ana, "tea")["expanded_concepts"]) == {"garden", "divorce"},
        "both are learnt",
    )

    delete(ana, gone, "the memory door")

    answer = read(ana, "tea")
    assert items_of(answer) == [kept]
    assert answer["expanded_concepts"] == ["garden"]
