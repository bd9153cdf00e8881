"""What every store of facts promises of writes over several facts."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from random import Random

import pytest
from palimpsest.domain.atoms import text_key
from palimpsest.domain.errors import DuplicateFactError, TooLargeError, WriteConflictError
from palimpsest.domain.facts import Fact
from palimpsest.domain.json_text import JsonValue
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import Act, delete, replaced_by
from palimpsest.ports.atoms import AtomText
from palimpsest.ports.facts import (
    MAX_ADDED_TOGETHER,
    MAX_CLOSED_TOGETHER,
    MAX_MOVED_TOGETHER,
    FactQuery,
)

from tests.builders import (
    TENANT,
    build_act,
    build_admin,
    build_atom,
    build_fact,
    build_scope,
    build_step,
)
from tests.contract.stores import Store
from tests.fakes.atoms import recounted
from tests.fakes.ids import FakeIds

HOME = build_scope(userId="ana")
BEN = Person(PersonKind.EXTERNAL, "ben")


def home_atom(text: str = "Ana plays chess.", *, ids: FakeIds, **fields) -> Fact:
    return build_atom(text, ids=ids, **{"scope": HOME, **fields})


def added(store: Store, fact: Fact) -> Fact:
    store.facts.add(fact)
    return fact


def all_added(store: Store, facts: list[Fact]) -> list[Fact]:
    for start in range(0, len(facts), MAX_ADDED_TOGETHER):
        store.facts.add_all(facts[start : start + MAX_ADDED_TOGETHER])
    return facts


def stands(store: Store, fact: Fact) -> Fact | None:
    return store.facts.load(TENANT, fact.id).fact


def successor_of(
    olds: list[Fact], ids: FakeIds, text: str = "new"
) -> tuple[Fact, list[tuple[Fact, Fact]]]:
    new = home_atom(text, ids=ids, replaces=tuple(old.id for old in olds))
    act = Act(caller=build_admin(), now=ids.clock.now(), operation_id=new.id, new_id=new.id)
    new = replace(new, revision=replace(new.revision, operation_id=act.operation_id))
    return new, [(old, replaced_by(old, new.id, act)) for old in olds]


class TestAddAll:
    def test_all_are_found_at_once_and_those_that_they_replace_are_closed(self, store, ids):
        olds = [added(store, home_atom(text, ids=ids)) for text in ("a", "b")]
        new, closing = successor_of(olds, ids)

        store.facts.add_all([new], closing)

        assert stands(store, new) == new
        assert [stands(store, old) for old in olds] == [after for _, after in closing]
        assert list(store.facts.walk_revisions(TENANT, olds[0].id)) == []

    def test_a_fact_of_any_type_and_with_people_can_be_added_and_closed(self, store, ids):
        old = added(store, build_fact(ids=ids, subjects=(BEN,)))
        new = build_fact(ids=ids, subjects=(BEN,))
        gone = replaced_by(old, new.id, build_act(ids=ids))

        store.facts.add_all([new, build_fact(ids=ids)], [(old, gone)])

        assert (stands(store, new), stands(store, old)) == (new, gone)

    def test_a_replaced_fact_leaves_the_list_of_the_present(self, store, ids):
        old = added(store, home_atom("a", ids=ids))
        new, closing = successor_of([old], ids)
        store.facts.add_all([new], closing)

        now = list(store.facts.walk(FactQuery(caller=build_admin())))
        then = FactQuery(caller=build_admin(), as_of=old.revision.created_at)

        assert now == [new]
        assert list(store.facts.walk(then)) == [new, closing[0][1]]

    def test_doing_it_again_changes_nothing(self, store, ids):
        old = added(store, home_atom("a", ids=ids))
        new, closing = successor_of([old], ids)
        store.facts.add_all([new], closing)

        store.facts.add_all([new], closing)

        assert (stands(store, new), stands(store, old)) == (new, closing[0][1])

    def test_doing_it_again_after_the_new_one_moved_on_changes_nothing(self, store, ids):
        new = home_atom("a", ids=ids)
        store.facts.add_all([new])
        step = build_step(new, ids=ids, content={"text": "b"})
        store.facts.replace(new, step.closed, step.fact)

        store.facts.add_all([new])

        assert stands(store, new) == step.fact

    @pytest.mark.parametrize("what", ["superseded", "deleted", "moved", "missing"])
    def test_one_that_is_not_as_it_was_read_stops_all(self, store, ids, what):
        kept = added(store, home_atom("kept", ids=ids))
        old = home_atom("old", ids=ids)
        if what != "missing":
            store.facts.add(old)
        if what == "superseded":
            step = build_step(old, ids=ids)
            store.facts.replace(old, step.closed, step.fact)
        elif what == "deleted":
            store.facts.close(old, delete(old, build_act(ids=ids)))
        elif what == "moved":
            store.facts.move_valences([(old, 0.5)], operation_id="x")
        before = stands(store, old)
        new, closing = successor_of([kept, old], ids)

        with pytest.raises(WriteConflictError):
            store.facts.add_all([new], closing)

        assert (stands(store, new), stands(store, kept), stands(store, old)) == (None, kept, before)

    def test_another_fact_of_this_id_is_a_conflict(self, store, ids):
        fact = added(store, build_fact(ids=ids))
        other = replace(fact, revision=replace(fact.revision, operation_id="another"))

        with pytest.raises(WriteConflictError):
            store.facts.add_all([other, build_fact(ids=ids)])

        assert stands(store, fact) == fact

    def test_as_many_as_are_promised_fit_whatever_they_bring(self, store, ids):
        scope = build_scope(projectId="p", threadId="t", participantId="x")
        facts = [
            home_atom(
                "x" * 10_000 + str(n),
                ids=ids,
                scope=scope,
                domain=str(n),
                fingerprint="f",
                external_ref="e",
            )
            for n in range(MAX_ADDED_TOGETHER)
        ]

        store.facts.add_all(facts)

        found, _ = store.facts.load_many(TENANT, [fact.id for fact in facts])
        assert found == {fact.id: fact for fact in facts}

    def test_as_many_as_are_promised_can_be_replaced_each_in_a_domain_of_its_own(self, store, ids):
        atoms = [home_atom("x", ids=ids, domain=str(n)) for n in range(MAX_CLOSED_TOGETHER)]
        olds = all_added(store, atoms)
        new, closing = successor_of(olds, ids)

        store.facts.add_all([new], closing)

        found, _ = store.facts.load_many(TENANT, [old.id for old in olds])
        assert all(fact.is_replaced for fact in found.values())
        assert [tally.domain for tally in store.atoms.tallies(TENANT, None)] == ["general"]

    def test_one_over_the_budget_stops_all(self, store, ids):
        fine, over = home_atom("a", ids=ids), home_atom("x" * 300_000, ids=ids)

        with pytest.raises(TooLargeError) as refused:
            store.facts.add_all([fine, over])

        assert refused.value.max_bytes == 256 * 1024
        assert stands(store, fine) is None

    def test_more_bytes_than_one_transaction_takes_are_refused_before_anything_is_sent(
        self, store, ids
    ):
        olds = [
            added(store, build_fact(ids=ids, scope=HOME, content="x" * 250_000)) for _ in range(17)
        ]
        new, closing = successor_of(olds, ids)

        with pytest.raises(TooLargeError) as refused:
            store.facts.add_all([new], closing)

        assert refused.value.max_bytes == 4 * 1024 * 1024
        assert (stands(store, new), stands(store, olds[0])) == (None, olds[0])

    def test_more_facts_than_one_transaction_takes_are_refused_before_anything_is_sent(
        self, store, ids
    ):
        facts = [build_fact(ids=ids) for _ in range(101)]

        with pytest.raises(TooLargeError):
            store.facts.add_all(facts)

        assert stands(store, facts[0]) is None


class TestAlike:
    def test_the_very_same_text_stands_once(self, store, ids):
        first = home_atom("Zoë", ids=ids)
        store.facts.add_all([first])
        again = home_atom("Zoe\u0308", ids=ids)

        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([home_atom("other", ids=ids), again])

        assert refused.value.fact_id == first.id
        assert stands(store, again) is None

    @pytest.mark.parametrize(
        "said", [{"domain": "work"}, {"scope": build_scope(userId="ben")}, {"text": "A"}]
    )
    def test_in_another_domain_scope_or_spelling_it_is_another(self, store, ids, said):
        store.facts.add_all([home_atom("a", ids=ids)])
        other = home_atom(ids=ids, **{"text": "a", **said})

        store.facts.add_all([other])

        assert stands(store, other) == other

    def test_two_alike_in_one_write_are_refused(self, store, ids):
        first, second = home_atom("a", ids=ids), home_atom("a", ids=ids)

        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([first, second])

        assert refused.value.fact_id == first.id
        assert stands(store, first) is None

    def test_one_that_is_known_to_have_ended_stands_in_nobodys_way(self, store, ids):
        first = home_atom("a", ids=ids)
        store.facts.add_all([first])
        store.facts.close(first, delete(first, build_act(ids=ids)))
        again, third = home_atom("a", ids=ids), home_atom("a", ids=ids)

        store.facts.add_all([again], stale=frozenset({"nobody", first.id}))

        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([third], stale=frozenset({first.id}))
        assert refused.value.fact_id == again.id

    def test_an_atom_may_say_again_what_the_one_said_that_it_replaces(self, store, ids):
        old = home_atom("a", ids=ids, importance=0.5)
        store.facts.add_all([old])
        new, closing = successor_of([old], ids, text="a")

        store.facts.add_all([new], closing)

        assert stands(store, new) == new
        text = AtomText(domain="general", key=text_key("a"))
        assert store.atoms.find_same(HOME, [text]) == {text: new.id}

    def test_a_change_of_what_is_replaced_is_told_before_a_twin(self, store, ids):
        """The caller reads again, and then sees both."""
        twin, old = home_atom("new", ids=ids), home_atom("a", ids=ids)
        store.facts.add_all([twin, old])
        store.facts.close(old, delete(old, build_act(ids=ids)))
        new, closing = successor_of([old], ids)

        with pytest.raises(WriteConflictError):
            store.facts.add_all([new], closing)


class TestMoveValences:
    def test_facts_carry_their_valence_and_nothing_else_of_them_changes(self, store, ids):
        facts = [added(store, home_atom(text, ids=ids)) for text in ("a", "b")]

        store.facts.move_valences(
            [(facts[0], 0.5), (facts[1], -0.123_456_7)], operation_id="feedback"
        )

        assert [stands(store, fact) for fact in facts] == [
            replace(facts[0], valence=0.5),
            replace(facts[1], valence=-0.123457),
        ]
        assert list(store.facts.walk_revisions(TENANT, facts[0].id)) == []

    def test_doing_it_again_changes_nothing_even_when_the_facts_were_read_afresh(self, store, ids):
        fact = added(store, home_atom("a", ids=ids))
        store.facts.move_valences([(fact, 0.5)], operation_id="feedback")
        fresh = replace(fact, valence=0.5)

        store.facts.move_valences([(fact, 0.5)], operation_id="feedback")
        store.facts.move_valences([(fresh, 0.75)], operation_id="feedback")

        assert stands(store, fact) == fresh
        (tally,) = store.atoms.tallies(TENANT, None)
        assert tally.valence_sum == 0.5

    def test_the_same_move_of_another_request_is_another_move(self, store, ids):
        fact = added(store, home_atom("a", ids=ids))
        for number, (before, after) in enumerate([(None, 0.5), (0.5, 0.0), (0.0, 0.5)]):
            store.facts.move_valences(
                [(replace(fact, valence=before), after)], operation_id=str(number)
            )

        assert stands(store, fact) == replace(fact, valence=0.5)

    @pytest.mark.parametrize("what", ["moved", "superseded", "deleted"])
    def test_one_that_is_not_as_it_was_read_stops_all(self, store, ids, what):
        fine, changed = (added(store, home_atom(text, ids=ids)) for text in ("a", "b"))
        if what == "moved":
            store.facts.move_valences([(changed, 0.5)], operation_id="other")
        elif what == "superseded":
            step = build_step(changed, ids=ids)
            store.facts.replace(changed, step.closed, step.fact)
        else:
            store.facts.close(changed, delete(changed, build_act(ids=ids)))
        before = stands(store, changed)

        with pytest.raises(WriteConflictError):
            store.facts.move_valences([(fine, 1), (changed, 1)], operation_id="feedback")

        assert (stands(store, fine), stands(store, changed)) == (fine, before)

    def test_as_many_as_are_promised_can_be_moved_each_in_a_domain_of_its_own(self, store, ids):
        atoms = [home_atom("x", ids=ids, domain=str(n)) for n in range(MAX_MOVED_TOGETHER)]
        facts = all_added(store, atoms)

        store.facts.move_valences([(fact, 0.1) for fact in facts], operation_id="feedback")

        found, _ = store.facts.load_many(TENANT, [fact.id for fact in facts])
        assert {fact.valence for fact in found.values()} == {0.1}

    @pytest.mark.parametrize("verb", ["replace", "close"])
    def test_a_write_that_read_another_valence_is_a_conflict(self, store, ids, verb):
        fact = added(store, home_atom("a", ids=ids))
        store.facts.move_valences([(fact, 0.5)], operation_id="feedback")
        step = build_step(fact, ids=ids)
        writes = {
            "replace": lambda: store.facts.replace(fact, step.closed, step.fact),
            "close": lambda: store.facts.close(fact, delete(fact, build_act(ids=ids))),
        }

        with pytest.raises(WriteConflictError):
            writes[verb]()

        assert stands(store, fact) == replace(fact, valence=0.5)

    def test_the_next_revision_keeps_the_valence(self, store, ids):
        fact = added(store, home_atom("a", ids=ids))
        store.facts.move_valences([(fact, 0.5)], operation_id="feedback")
        step = build_step(replace(fact, valence=0.5), ids=ids)

        store.facts.replace(replace(fact, valence=0.5), step.closed, step.fact)

        assert stands(store, fact) == step.fact
        assert step.fact.valence == 0.5


class TestDeletingWhatWasReplaced:
    def replaced(self, store, ids) -> tuple[Fact, Fact]:
        """Return a fact as it stood, and as it is since another has replaced it."""
        old = added(store, home_atom("a", ids=ids))
        new, [(_, replaced)] = successor_of([old], ids)
        store.facts.add_all([new], [(old, replaced)])
        return old, replaced

    def test_it_is_deleted_and_replaced_no_more(self, store, ids):
        _, replaced = self.replaced(store, ids)
        gone = delete(replaced, build_act(ids=ids))

        store.facts.close(replaced, gone)
        store.facts.close(replaced, gone)

        assert stands(store, replaced) == gone
        assert not gone.is_replaced

    def test_it_is_deleted_once(self, store, ids):
        _, replaced = self.replaced(store, ids)
        first, second = (delete(replaced, build_act(ids=ids)) for _ in range(2))
        store.facts.close(replaced, first)

        with pytest.raises(WriteConflictError):
            store.facts.close(replaced, second)

        assert stands(store, replaced) == first

    def test_whoever_read_it_before_it_was_replaced_does_not_delete_it(self, store, ids):
        old, replaced = self.replaced(store, ids)

        with pytest.raises(WriteConflictError):
            store.facts.close(old, delete(old, build_act(ids=ids)))

        assert stands(store, old) == replaced

    def test_it_was_not_counted_any_more(self, store, ids):
        _, replaced = self.replaced(store, ids)
        before = store.atoms.tallies(TENANT, None)

        store.facts.close(replaced, delete(replaced, build_act(ids=ids)))

        assert store.atoms.tallies(TENANT, None) == before


# Not over moto, which takes a lock around each call: there is no race to lose.
@pytest.mark.parametrize("stores", ["fake", "dynoxide"], indirect=True)
class TestRaces:
    racers = 12

    def race(self, attempts) -> list[object]:
        """Return what each attempt came to: None for a win, else its error."""

        def outcome(attempt) -> object:
            try:
                attempt()
            except (WriteConflictError, DuplicateFactError) as error:
                return error
            return None

        with ThreadPoolExecutor(max_workers=self.racers) as pool:
            return list(pool.map(outcome, attempts))

    def test_of_many_writers_of_one_text_one_wins(self, store, ids):
        atoms = [home_atom("a", ids=ids) for _ in range(self.racers)]

        told = self.race([lambda atom=atom: store.facts.add_all([atom]) for atom in atoms])

        (winner,) = [atom for atom, error in zip(atoms, told, strict=True) if error is None]
        assert [atom.id for atom in atoms if stands(store, atom)] == [winner.id]
        (tally,) = store.atoms.tallies(TENANT, None)
        assert (tally.atoms, tally.importance_sum) == (1, 1.0)

    def test_tallies_are_right_whoever_wins(self, store, ids):
        fact = added(store, home_atom("a", ids=ids, importance=0.3))
        news = [successor_of([fact], ids, text=str(n)) for n in range(3)]
        step = build_step(fact, ids=ids, content={"text": "b", "importance": 0.7})
        attempts = [
            *(lambda n=new, c=closing: store.facts.add_all([n], c) for new, closing in news),
            *(
                lambda v=v: store.facts.move_valences([(fact, v / 7)], operation_id=str(v))
                for v in range(1, 4)
            ),
            lambda: store.facts.replace(fact, step.closed, step.fact),
            lambda: store.facts.close(fact, delete(fact, build_act(ids=ids))),
        ]

        told = self.race(attempts)

        assert told.count(None) == 1
        there = [stands(store, each) for each in (fact, *(new for new, _ in news))]
        standing = [each for each in there if each is not None and not each.is_closed]
        found = store.atoms.tallies(TENANT, None)
        assert [t.atoms for t in found] == ([len(standing)] if standing else [])
        assert [t.valence_sum for t in found] == [each.valence or 0 for each in standing]

    def test_tallies_equal_a_recount_after_many_lives_at_once(self, store, ids):
        atoms = [added(store, home_atom(str(n), ids=ids, importance=n / 7)) for n in range(5)]

        def live(seed: int) -> int:
            """Do one thing after the other to whatever stands; return how many of them won."""
            chance, won = Random(seed), 0
            for number in range(10):
                fact = stands(store, chance.choice(atoms))
                assert fact is not None
                new, closing = successor_of([fact], ids, text=f"{seed} {number}")
                content: JsonValue = {"text": f"{seed}", "importance": chance.random()}
                step = build_step(fact, ids=ids, content=content)
                moves = [(fact, chance.uniform(-1, 1))]
                deeds = [
                    partial(store.facts.add_all, [new], closing),
                    partial(store.facts.add_all, [home_atom(f"{chance.randrange(9)}", ids=ids)]),
                    partial(store.facts.replace, fact, step.closed, step.fact),
                    partial(store.facts.close, fact, delete(fact, build_act(ids=ids))),
                    *[partial(store.facts.move_valences, moves, operation_id=ids.new_id())] * 4,
                ]
                try:
                    chance.choice(deeds[2:] if number < 6 else deeds)()
                    won += 1
                except (WriteConflictError, DuplicateFactError):
                    continue
            return won

        with ThreadPoolExecutor(max_workers=6) as pool:
            won = list(pool.map(live, range(6)))

        assert sum(won) > len(won)
        standing = list(store.facts.walk(FactQuery(caller=build_admin(), page_size=100)))
        assert store.atoms.tallies(TENANT, None) == recounted(standing)
