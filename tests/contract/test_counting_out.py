"""What every repository promises of a fact that is gone without a write of ours, such as one that was swept."""

from datetime import timedelta

import pytest
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.facts import Fact
from palimpsest.domain.observations import OBSERVATION_TYPE, Observation
from palimpsest.domain.observations import content_of as observation_content
from palimpsest.domain.relations import RELATION_TYPE, Relation
from palimpsest.domain.relations import content_of as relation_content
from palimpsest.domain.revisions import delete
from palimpsest.domain.ties import Side

from tests.builders import TENANT, build_act, build_atom, build_fact, build_scope
from tests.contract.stores import Store
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

SCOPE = build_scope(userId="ana")
LATER = NOON + timedelta(days=40)
JEFF = EntityName("Jeff", EntityType.PERSON)
ACME = EntityName("Acme Corp", EntityType.ORGANIZATION)


def added(store: Store, fact: Fact) -> Fact:
    store.facts.add(fact)
    return fact


def an_atom(ids: FakeIds, text: str) -> Fact:
    return build_atom(text, ids=ids, scope=SCOPE, fingerprint=text)


def an_observation(ids: FakeIds, text: str) -> Fact:
    content = observation_content(Observation(entity=JEFF, text=text))
    return build_fact(ids=ids, type=OBSERVATION_TYPE, scope=SCOPE, content=content)


def a_relation(ids: FakeIds) -> Fact:
    content = relation_content(Relation(source=JEFF, name="works_at", target=ACME))
    return build_fact(ids=ids, type=RELATION_TYPE, scope=SCOPE, content=content)


def tallied(store: Store) -> list[tuple[int, int, float]]:
    found = store.atoms.tallies(TENANT, None)
    return [(tally.atoms, tally.fingerprints, tally.importance_sum) for tally in found]


def totals(store: Store) -> tuple[int, int, int]:
    found = store.entities.count(SCOPE)
    return found.count(frozenset()), found.observations, found.relations


def test_an_atom_is_taken_off_its_tally_once(store, ids):
    gone = added(store, an_atom(ids, "a"))
    added(store, an_atom(ids, "b"))

    for at in (LATER, LATER, LATER + timedelta(hours=20)):
        store.facts.count_out(gone, at=at)

    assert tallied(store) == [(1, 1, 1.0)]


def test_an_observation_is_taken_off_its_entity_once(store, ids):
    gone = added(store, an_observation(ids, "sings"))
    stays = added(store, an_observation(ids, "hums"))

    for at in (LATER, LATER, LATER + timedelta(hours=20)):
        store.facts.count_out(gone, at=at)

    (jeff,) = store.entities.find(SCOPE, "Jeff")
    assert (jeff.observations, jeff.updated_at) == (1, stays.revision.created_at)
    assert store.entities.list_ties(SCOPE, JEFF.key, Side.OBSERVATION, limit=9) == [stays.id]
    assert totals(store) == (1, 1, 0)


def test_an_entity_goes_with_the_last_that_is_counted_out(store, ids):
    observed, related = added(store, an_observation(ids, "sings")), added(store, a_relation(ids))

    store.facts.count_out(related, at=LATER)
    assert (store.entities.find(SCOPE, "Acme Corp"), totals(store)) == ([], (1, 1, 0))
    store.facts.count_out(observed, at=LATER)

    assert (store.entities.find(SCOPE, "Jeff"), totals(store)) == ([], (0, 0, 0))


@pytest.mark.parametrize("make", [an_atom, an_observation])
def test_what_had_ended_was_counted_out_then(store, ids, make):
    ended, _ = added(store, make(ids, "a")), added(store, make(ids, "b"))
    closed = delete(ended, build_act(ids=ids))
    store.facts.close(ended, closed)
    before = (tallied(store), totals(store))

    store.facts.count_out(closed, at=LATER)

    assert (tallied(store), totals(store)) == before


def test_a_fact_that_brought_nothing_along_takes_nothing_away(store, ids):
    added(store, an_atom(ids, "a"))

    store.facts.count_out(added(store, build_fact(ids=ids, scope=SCOPE)), at=LATER)

    assert (tallied(store), totals(store)) == ([(1, 1, 1.0)], (0, 0, 0))


class TestUntying:
    def test_a_fact_that_is_gone_is_taken_off_one_entity_once(self, store, ids):
        gone, stays = (added(store, an_observation(ids, text)) for text in ("sings", "hums"))

        for _ in range(2):
            store.entities.untie(SCOPE, JEFF.key, Side.OBSERVATION, gone.id)

        (jeff,) = store.entities.find(SCOPE, "Jeff")
        assert (jeff.observations, totals(store)) == (1, (1, 1, 0))
        assert store.entities.list_ties(SCOPE, JEFF.key, Side.OBSERVATION, limit=9) == [stays.id]

    def test_an_entity_goes_with_its_last_and_its_far_end_stays(self, store, ids):
        gone = added(store, a_relation(ids))

        store.entities.untie(SCOPE, JEFF.key, Side.OUT, gone.id)

        assert store.entities.find(SCOPE, "Jeff") == []
        assert ([e.name for e in store.entities.find(SCOPE, "Acme Corp")], totals(store)) == (
            ["Acme Corp"],
            (1, 0, 0),
        )

    def test_what_was_untied_is_not_counted_out_again(self, store, ids):
        gone = added(store, a_relation(ids))
        added(store, an_observation(ids, "sings"))
        store.entities.untie(SCOPE, JEFF.key, Side.OUT, gone.id)

        store.facts.count_out(gone, at=LATER)

        assert (store.entities.find(SCOPE, "Acme Corp"), totals(store)) == ([], (1, 1, 0))
