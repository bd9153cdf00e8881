from dataclasses import dataclass, field

import pytest
from palimpsest.domain.chains import MAX_LOOK_UPS
from palimpsest.domain.errors import AtomNotFoundError
from palimpsest.domain.facts import Fact
from palimpsest.domain.revisions import delete
from palimpsest.use_cases.budgets import MAX_ANSWER_BYTES
from palimpsest.use_cases.get_atom import GetAtom
from palimpsest.use_cases.get_chain import GetChain

from tests.builders import (
    OTHER_TENANT,
    build_act,
    build_atom,
    build_caller,
    build_fact,
    build_scope,
    build_successor,
)
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds

ANA, BEN = build_caller("ana", writes=("apollo",)), build_caller("ben", reads=("apollo",))


@dataclass
class CountingFacts(FakeFactRepository):
    """Counts the reads of many facts, and what each asked for."""

    asked: list[int] = field(default_factory=list)

    def load_many(self, tenant_id, fact_ids):
        self.asked.append(len(fact_ids))
        return super().load_many(tenant_id, fact_ids)


class Bench:
    def __init__(self) -> None:
        clock = FakeClock()
        self.ids = FakeIds(clock)
        self.facts = CountingFacts()
        self.bytes = 1_000
        self.get_chain = GetChain(facts=self.facts, clock=clock, measure=lambda _: self.bytes)
        self.get_atom = GetAtom(facts=self.facts, clock=clock)

    def atom(self, **fields) -> Fact:
        fact = build_atom(ids=self.ids, **{"scope": build_scope(projectId="apollo"), **fields})
        self.facts.add(fact)
        return fact

    def successor(self, before: Fact) -> Fact:
        after, closed = build_successor(before, ids=self.ids)
        self.facts.add(after)
        self.facts.close(before, closed)
        return after

    def delete(self, atom: Fact) -> None:
        self.facts.close(atom, delete(atom, build_act(ids=self.ids)))

    def line(self, length: int) -> list[Fact]:
        atoms = [self.atom()]
        for _ in range(length - 1):
            atoms.append(self.successor(atoms[-1]))
        return atoms


@pytest.fixture
def bench():
    return Bench()


def test_a_chain_shows_every_atom_as_it_stands_with_its_successor(bench):
    ids = [atom.id for atom in bench.line(3)]

    chain = bench.get_chain(ANA, ids[1])

    assert [atom.id for atom in chain.atoms] == ids
    closings = [atom.revision.closing for atom in chain.atoms]
    assert [closing.superseded_by if closing else None for closing in closings] == [*ids[1:], None]
    assert (chain.dangling, chain.is_truncated) == ((), False)


def test_a_chain_costs_one_read_for_each_distance(bench):
    atoms = bench.line(5)

    bench.get_chain(ANA, atoms[2].id)

    assert bench.facts.asked == [1, 2, 2]


def test_a_long_chain_ends_with_its_look_ups_and_says_so(bench):
    atoms = bench.line(MAX_LOOK_UPS + 5)

    chain = bench.get_chain(ANA, atoms[0].id)

    assert [atom.id for atom in chain.atoms] == [atom.id for atom in atoms[:MAX_LOOK_UPS]]
    assert chain.is_truncated
    assert sum(bench.facts.asked) == MAX_LOOK_UPS


def test_a_chain_whose_last_atom_was_deleted_has_none_that_stands(bench):
    first, last = bench.line(2)
    bench.delete(last)

    chain = bench.get_chain(ANA, first.id)

    assert [(atom.id, atom.is_replaced) for atom in chain.atoms] == [(first.id, True)]
    assert chain.dangling == (last.id,)


def test_what_a_caller_may_not_see_of_a_chain_dangles_like_what_is_gone(bench):
    shared = bench.atom()
    own, closed = build_successor(shared, ids=bench.ids, scope=build_scope(userId="ana"))
    bench.facts.add(own)
    bench.facts.close(shared, closed)

    seen_by_ben, seen_by_ana = bench.get_chain(BEN, shared.id), bench.get_chain(ANA, shared.id)

    assert [atom.id for atom in seen_by_ana.atoms] == [shared.id, own.id]
    assert ([atom.id for atom in seen_by_ben.atoms], seen_by_ben.dangling) == (
        [shared.id],
        (own.id,),
    )


def test_an_answer_that_is_full_keeps_the_nearest_atoms_in_their_order(bench):
    atoms = bench.line(5)
    bench.bytes = MAX_ANSWER_BYTES // 3

    chain = bench.get_chain(ANA, atoms[2].id)

    assert [atom.id for atom in chain.atoms] == [atom.id for atom in atoms[1:4]]
    assert chain.is_truncated


@pytest.mark.parametrize("ask", ["get_chain", "get_atom"])
def test_what_is_no_atom_for_this_caller_is_not_found(bench, ask):
    hidden, deleted = bench.atom(scope=build_scope(userId="ben")), bench.atom()
    bench.delete(deleted)
    note = build_fact(ids=bench.ids, scope=build_scope(projectId="apollo"))
    bench.facts.add(note)
    elsewhere = bench.atom(scope=build_scope(OTHER_TENANT, projectId="apollo"))

    for atom_id in (hidden.id, deleted.id, note.id, elsewhere.id, "", "HEAD", "a" * 3000):
        with pytest.raises(AtomNotFoundError):
            getattr(bench, ask)(ANA, atom_id)


def test_an_atom_that_was_replaced_is_found_by_its_id(bench):
    first, last = bench.line(2)

    found = bench.get_atom(BEN, first.id)

    assert found.revision.closing is not None
    assert found.revision.closing.superseded_by == last.id
    assert bench.get_atom(BEN, last.id) == last
