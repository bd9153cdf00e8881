"""Which revisions a fingerprint names, and what stands in their place."""

import pytest
from palimpsest.domain.facts import Fact
from palimpsest.domain.revisions import delete
from palimpsest.use_cases.find_episode import MAX_LOOK_UPS, FindEpisode

from tests.builders import build_act, build_caller, build_scope
from tests.memories import ANA, ANAS, BENS, Memory


@pytest.fixture
def memory() -> Memory:
    return Memory()


def found(memory: Memory, fingerprint: str = "f", **caller) -> list[tuple[str, int]]:
    find = FindEpisode(facts=memory.facts, atoms=memory.atoms, clock=memory.clock)
    shown = find(caller.get("caller", ANA), ANAS, fingerprint)
    return [(fact.id, revision.version) for fact, revision in shown]


def delete_it(memory: Memory, fact: Fact) -> None:
    memory.facts.close(fact, delete(fact, build_act(ids=memory.ids, now=memory.clock.now())))


def test_the_newest_atom_with_the_fingerprint_is_found(memory: Memory):
    memory.write("tea", fingerprint="f")
    newest = memory.write("tea again", fingerprint="f")
    memory.write("tea of another kind", fingerprint="g")

    assert found(memory) == [(newest.id, 1)]
    assert found(memory, "h") == []


def test_behind_a_deleted_one_the_one_before_is_found(memory: Memory):
    before = memory.write("tea", fingerprint="f")
    delete_it(memory, memory.write("tea again", fingerprint="f"))

    assert found(memory) == [(before.id, 1)]


def test_a_deleted_atom_is_not_found(memory: Memory):
    delete_it(memory, memory.write("tea", fingerprint="f"))

    assert found(memory) == []


def test_only_the_callers_own_place_is_looked_at(memory: Memory):
    memory.write("tea", fingerprint="f", scope=BENS)
    memory.write("tea", fingerprint="f", scope=build_scope(userId="ana", projectId="p"))

    assert found(memory, caller=build_caller("ana", writes=("p",))) == []


def test_a_chain_is_followed_to_what_stands_now(memory: Memory):
    chain = [memory.write("tea 0", fingerprint="f")]
    for n in range(1, 4):
        chain.append(memory.write(f"tea {n}"))
        memory.replace_by(chain[-2], chain[-1])

    assert found(memory) == [(chain[0].id, 1), (chain[-1].id, 1)]


def test_a_chain_whose_end_is_deleted_has_only_what_was_asked_for(memory: Memory):
    first, last = memory.write("tea", fingerprint="f"), memory.write("coffee")
    memory.replace_by(first, last)
    delete_it(memory, last)

    assert found(memory) == [(first.id, 1)]


def test_a_chain_that_is_too_long_ends_without_its_end(memory: Memory):
    chain = [memory.write("tea", fingerprint="f")]
    for n in range(MAX_LOOK_UPS + 1):
        chain.append(memory.write(f"tea {n}"))
        memory.replace_by(chain[-2], chain[-1])

    assert found(memory) == [(chain[0].id, 1)]


def test_an_earlier_revision_is_found_with_the_one_that_stands(memory: Memory):
    fact = memory.write("tea", fingerprint="f")
    memory.write_again(memory.write_again(fact, "tea 2"), "tea 3")

    assert found(memory) == [(fact.id, 1), (fact.id, 3)]


def test_an_earlier_revision_of_an_atom_that_another_replaced_leads_to_that_one(memory: Memory):
    fact = memory.write_again(memory.write("tea", fingerprint="f"), "tea 2")
    successor = memory.write("coffee")
    memory.replace_by(fact, successor)

    assert found(memory) == [(fact.id, 1), (successor.id, 1)]
