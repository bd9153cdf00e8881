from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from palimpsest.domain.atoms import Atom, content_of, rounded, text_key
from palimpsest.domain.audiences import audience_of, audiences_of
from palimpsest.domain.facts import Fact
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.json_text import JsonValue
from palimpsest.domain.revisions import delete, replaced_by, verify
from palimpsest.domain.tallies import DomainTally
from palimpsest.ports.atoms import AtomText
from palimpsest.ports.facts import MAX_ADDED_TOGETHER

from tests.builders import (
    OTHER_TENANT,
    TENANT,
    build_act,
    build_atom,
    build_caller,
    build_fact,
    build_scope,
    build_step,
)
from tests.contract.stores import SERIES, Store
from tests.fakes.atoms import recounted
from tests.fakes.clock import FakeClock
from tests.fakes.ids import FakeIds

SECOND = timedelta(seconds=1)
HOME = build_scope(userId="ana")
ELSEWHERE = build_scope(projectId="p")
HOSTILE = ["#", "a#b", "/", "\x00", "%23", "*", "😀" * 120, " x", "x" * 500]


def home_atom(text: str = "Ana plays chess.", *, ids: FakeIds, **fields) -> Fact:
    return build_atom(text, ids=ids, **{"scope": HOME, **fields})


def added(store: Store, ids: FakeIds, text: str = "Ana plays chess.", **said) -> Fact:
    atom = home_atom(text, ids=ids, **said)
    store.facts.add_all([atom], stale=frozenset())
    return atom


def said_again(store: Store, fact: Fact, ids: FakeIds, content: JsonValue) -> Fact:
    step = build_step(fact, ids=ids, content=content)
    store.facts.replace(fact, step.closed, step.fact)
    return step.fact


def deleted(store: Store, fact: Fact, ids: FakeIds) -> Fact:
    gone = delete(fact, build_act(ids=ids))
    store.facts.close(fact, gone)
    return gone


def a_text(text: str, domain: str = "general") -> AtomText:
    return AtomText(domain=domain, key=text_key(text))


def a_tally(domain: str = "general", scope=HOME, **sums) -> DomainTally:
    expected = {"atoms": 1, "fingerprints": 0, "importance_sum": 1.0, "valence_sum": 0.0, **sums}
    return DomainTally(scope=scope, domain=domain, **expected)


def tallies(store: Store, audiences=None) -> list[DomainTally]:
    return in_order(store.atoms.tallies(TENANT, audiences))


def in_order(found: list[DomainTally]) -> list[DomainTally]:
    return sorted(found, key=lambda t: (scope_hash(t.scope), t.domain))


class TestFindSame:
    def test_a_text_leads_to_the_atom_that_was_written_with_it_last(self, store, ids):
        first = added(store, ids, "a")
        other = added(store, ids, "a", domain="work")
        asked_for = [a_text("a"), a_text("a", "work"), a_text("b"), a_text("a", "general ")]

        found = store.atoms.find_same(HOME, asked_for)

        assert found == {asked_for[0]: first.id, asked_for[1]: other.id}

    def test_a_text_is_known_in_its_exact_scope_only(self, store, ids):
        added(store, ids, "a")
        narrower = build_scope(userId="ana", sessionId="s")

        scopes = [narrower, ELSEWHERE, build_scope(), build_scope(OTHER_TENANT, userId="ana")]

        assert [store.atoms.find_same(scope, [a_text("a")]) for scope in scopes] == [{}] * 4

    def test_an_atom_that_has_ended_is_still_proposed(self, store, ids):
        gone = deleted(store, added(store, ids, "a"), ids)

        assert store.atoms.find_same(HOME, [a_text("a")]) == {a_text("a"): gone.id}

    def test_another_text_of_an_atom_leads_to_it_too(self, store, ids):
        atom = added(store, ids, "a")
        said_again(store, atom, ids, {"text": "b", "domain": "work"})

        found = store.atoms.find_same(HOME, [a_text("a"), a_text("b", "work")])

        assert found == {a_text("a"): atom.id, a_text("b", "work"): atom.id}

    def test_the_facts_door_takes_alike_atoms_and_the_last_one_is_proposed(self, store, ids):
        added(store, ids, "a")
        alike = home_atom("a", ids=ids)

        store.facts.add(alike)

        assert store.atoms.find_same(HOME, [a_text("a")]) == {a_text("a"): alike.id}
        assert tallies(store) == [a_tally(atoms=2, importance_sum=2.0)]

    def test_more_texts_than_one_call_takes_are_all_found(self, store, ids):
        atoms = [home_atom(str(number), ids=ids) for number in range(101)]
        for start in range(0, len(atoms), MAX_ADDED_TOGETHER):
            store.facts.add_all(atoms[start : start + MAX_ADDED_TOGETHER])

        found = store.atoms.find_same(HOME, [a_text(str(number)) for number in range(101)])

        assert found == {a_text(str(n)): atom.id for n, atom in enumerate(atoms)}
        assert store.atoms.find_same(HOME, []) == {}

    def test_a_fact_of_another_type_is_no_atom(self, store, ids):
        store.facts.add(build_fact(ids=ids, scope=HOME, content={"text": "a"}))

        assert store.atoms.find_same(HOME, [a_text("a")]) == {}
        assert tallies(store) == []


class TestListed:
    @pytest.mark.parametrize("value", ["ticket-7", *HOSTILE])
    def test_what_a_writer_knows_an_atom_by_finds_it_whatever_it_looks_like(
        self, store, ids, value
    ):
        printed = added(store, ids, "a", fingerprint=value)
        known = added(store, ids, "b", external_ref=value[:255])
        added(store, ids, "c", fingerprint="another", external_ref="another")

        assert store.atoms.find_by_fingerprint(HOME, value, limit=9) == [printed.id]
        assert store.atoms.find_by_external_ref(HOME, value[:255], limit=9) == [known.id]

    def test_the_newest_comes_first_and_no_more_than_are_wanted(self, store, ids):
        atoms = [added(store, ids, str(n), fingerprint="f", external_ref="e") for n in range(4)]
        newest_first = [atom.id for atom in reversed(atoms)]

        assert store.atoms.find_by_fingerprint(HOME, "f", limit=3) == newest_first[:3]
        assert store.atoms.find_by_external_ref(HOME, "e", limit=9) == newest_first

    def test_an_atom_is_listed_in_its_exact_scope_only(self, store, ids):
        added(store, ids, fingerprint="f", external_ref="e")

        assert store.atoms.find_by_fingerprint(ELSEWHERE, "f", limit=9) == []
        assert store.atoms.find_by_external_ref(build_scope(), "e", limit=9) == []

    def test_an_atom_that_was_replaced_is_still_listed_beside_its_successor(self, store, ids):
        old = added(store, ids, "a", fingerprint="f")
        new = home_atom("b", ids=ids, fingerprint="f", replaces=(old.id,))
        gone = replaced_by(old, new.id, build_act(ids=ids))

        store.facts.add_all([new], [(old, gone)])

        assert store.atoms.find_by_fingerprint(HOME, "f", limit=9) == [new.id, old.id]

    def test_a_fingerprint_that_comes_later_is_listed_too(self, store, ids):
        atom = added(store, ids, "a", fingerprint="f")

        said_again(store, atom, ids, {"text": "a", "fingerprint": "g"})

        assert store.atoms.find_by_fingerprint(HOME, "f", limit=9) == [atom.id]
        assert store.atoms.find_by_fingerprint(HOME, "g", limit=9) == [atom.id]


class TestTallies:
    def test_what_stands_is_counted_by_domain_and_exact_scope(self, store, ids):
        session = build_scope(userId="ana", sessionId="s")
        added(store, ids, "a", importance=0.25, fingerprint="f")
        added(store, ids, "b", importance=0.123456)
        added(store, ids, "c", domain="work")
        added(store, ids, "d", scope=session)
        added(store, ids, "e", scope=build_scope(OTHER_TENANT, userId="ana"))

        found = tallies(store)

        expected = [
            a_tally(atoms=2, fingerprints=1, importance_sum=0.373456),
            a_tally("work"),
            a_tally(scope=session),
        ]
        assert found == in_order(expected)

    def test_a_caller_reads_their_own_audiences(self, store, ids):
        for scope in (HOME, ELSEWHERE, build_scope(projectId="p", threadId="t"), build_scope()):
            added(store, ids, scope=scope)
        added(store, ids, scope=build_scope(projectId="p", userId="ben"))

        reader = tallies(store, audiences_of(build_caller("ana", reads=("p",))))
        project = tallies(store, [audience_of(ELSEWHERE)])

        assert {t.scope.project_id for t in reader} == {None, "p"}
        assert len(reader) == 3
        assert project == [a_tally(scope=ELSEWHERE)]
        assert tallies(store, []) == []

    def test_a_scope_and_a_domain_come_back_as_they_were(self, store, ids):
        scope = build_scope(projectId="a#b/\x00😀", colour={"": [1, None]})
        added(store, ids, scope=scope, domain="#/%😀")

        assert tallies(store) == [a_tally("#/%😀", scope=scope)]

    def test_a_domain_in_which_nothing_stands_any_more_is_gone(self, store, ids):
        deleted(store, added(store, ids, importance=0.1), ids)

        assert tallies(store) == []

    def test_the_facts_door_moves_an_atom_to_another_domain(self, store, ids):
        atom = added(store, ids, importance=0.5, fingerprint="f")

        said_again(store, atom, ids, {"text": "b", "domain": "work", "importance": 0.75})

        assert tallies(store) == [a_tally("work", importance_sum=0.75)]

    def test_an_atom_that_is_no_good_atom_any_more_is_counted_as_what_it_is_read_as(
        self, store, ids
    ):
        atom = added(store, ids, domain="work", importance=0.5, fingerprint="f")

        said_again(store, atom, ids, ["no", {"domain": "work"}])

        assert tallies(store) == [a_tally()]

    def test_a_verification_changes_no_tally(self, store, ids):
        atom = added(store, ids)
        step = verify(atom, build_act(ids=ids))

        store.facts.replace(atom, step.closed, step.fact)

        assert tallies(store) == [a_tally()]

    def test_doing_a_write_again_counts_once(self, store, ids):
        atom = added(store, ids)
        store.facts.add_all([atom])
        step = build_step(atom, ids=ids, content={"text": "b"})
        for _ in range(2):
            store.facts.replace(atom, step.closed, step.fact)
        assert tallies(store) == [a_tally()]
        gone = delete(step.fact, build_act(ids=ids))
        for _ in range(2):
            store.facts.close(step.fact, gone)

        assert tallies(store) == []

    def test_a_valence_is_counted_with_its_atom_wherever_that_goes(self, store, ids):
        atom = added(store, ids)
        store.facts.move_valences([(atom, 0.75)], operation_id="one")
        moved = replace(atom, valence=0.75)
        assert tallies(store) == [a_tally(valence_sum=0.75)]

        moved = said_again(store, moved, ids, {"text": "b", "domain": "work"})

        assert tallies(store) == [a_tally("work", valence_sum=0.75)]
        deleted(store, moved, ids)
        assert tallies(store) == []


@dataclass
class Life:
    """Atoms that live at random, and how they stand."""

    store: Store
    ids: FakeIds
    facts: list[Fact]
    numbers: Iterator[int] = field(default_factory=count)

    def step(self, verb: str, which: int, words: tuple[str, str, float]) -> None:
        """Do one thing to one of the atoms that stand; a write where none does."""
        text, domain, value = words
        said = Atom(text=f"{text}{next(self.numbers)}", domain=domain, importance=abs(value))
        said = replace(said, fingerprint=text if value < 0 else None)
        standing = [i for i, fact in enumerate(self.facts) if not fact.is_closed]
        if verb == "write" or not standing:
            self._write(said)
            return
        at = standing[which % len(standing)]
        fact = self.facts[at]
        if verb == "move":
            self.store.facts.move_valences([(fact, value)], operation_id=self.ids.new_id())
            self.facts[at] = replace(fact, valence=rounded(value))
        elif verb == "say again":
            self.facts[at] = said_again(self.store, fact, self.ids, content_of(said))
        elif verb == "delete":
            self.facts[at] = deleted(self.store, fact, self.ids)
        else:
            self._supersede(said, standing[: 1 + which % 3])

    def _write(self, said: Atom) -> None:
        scope = HOME if said.text.startswith("a") else ELSEWHERE
        fact = build_fact(ids=self.ids, type="memory.atom", scope=scope, content=content_of(said))
        self.store.facts.add_all([fact])
        self.facts.append(fact)

    def _supersede(self, said: Atom, ended: list[int]) -> None:
        fact = build_fact(ids=self.ids, type="memory.atom", scope=HOME, content=content_of(said))
        act = build_act(ids=self.ids)
        closing = [(self.facts[i], replaced_by(self.facts[i], fact.id, act)) for i in ended]
        self.store.facts.add_all([fact], closing)
        for i, (_, after) in zip(ended, closing, strict=True):
            self.facts[i] = after
        self.facts.append(fact)


steps = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "move", "say again", "delete", "supersede"]),
        st.integers(0, 9),
        st.tuples(st.sampled_from("ab"), st.sampled_from(["general", "x"]), st.floats(-1, 1)),
    ),
    max_size=12,
)


@given(steps=steps)
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_tallies_are_what_a_recount_gives_after_any_life(stores, steps):
    life = Life(stores(), FakeIds(FakeClock(), series=next(SERIES)), [])

    for verb, which, words in steps:
        life.step(verb, which, words)

    assert tallies(life.store) == in_order(recounted(life.facts))
    for fact in life.facts:
        assert life.store.facts.load(TENANT, fact.id).fact == fact
