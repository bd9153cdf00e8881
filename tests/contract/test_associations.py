from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from palimpsest.domain.associations import (
    HALF_LIFE,
    MAX_CONCEPTS,
    SERVED,
    STOOD_IN_ONE_ATOM,
    Edge,
    Lesson,
)
from palimpsest.ports.associations import MAX_ASKED, Associations

from tests.builders import OTHER_TENANT, build_scope
from tests.dynamodb import Tables, dynoxide_tables, moto_tables
from tests.fakes.associations import FakeAssociations
from tests.fakes.clock import NOON

ANA, BEN = build_scope(userId="ana"), build_scope(userId="ben")


@pytest.fixture(scope="module", params=["fake", "moto", "dynoxide"])
def empty_associations(request) -> Iterator[Callable[[], Associations]]:
    if request.param == "fake":
        yield FakeAssociations
        return
    engine = request.param == "dynoxide" and request.getfixturevalue("dynoxide")
    with dynoxide_tables(engine) if engine else moto_tables() as tables:
        yield partial(_emptied, tables)


@pytest.fixture
def associations(empty_associations) -> Associations:
    built: Associations = empty_associations()
    return built


def _emptied(tables: Tables) -> Associations:
    tables.clear()
    return tables.associations()


def lesson(event_id, *concepts, **fields):
    given = {"scope": ANA, "amount": STOOD_IN_ONE_ATOM, "at": NOON, **fields}
    return Lesson(event_id=event_id, concepts=concepts, **given)


def edges_of(associations, concept, *, scope=ANA, limit=100, now=NOON):
    found = associations.neighbours(scope, [concept], limit=limit, now=now)
    assert list(found) == [concept]
    return found[concept]


def far_ends(associations, concept, **fields):
    return [edge.other(concept) for edge in edges_of(associations, concept, **fields)]


def test_what_was_learnt_is_an_edge_from_both_its_ends(associations):
    assert associations.learn(lesson("e1", "tea", "rain"))

    (edge,) = edges_of(associations, "tea")

    assert edge.weight == pytest.approx(0.2592, abs=1e-4)
    assert edge == Edge(
        source="rain", target="tea", weight=edge.weight, valence=0.0, count=1, updated_at=NOON
    )
    assert edges_of(associations, "rain") == [edge]


def test_lessons_of_different_events_add_up(associations):
    later = NOON + timedelta(minutes=1)
    associations.learn(lesson("e1", "tea", "rain"))
    associations.learn(lesson("e2", "rain", "tea", at=later))

    (edge,) = edges_of(associations, "tea", now=later)

    assert edge.weight == pytest.approx(0.4512, abs=1e-4)
    assert (edge.count, edge.updated_at) == (2, later)
    assert associations.count_edges([ANA]) == 1


def test_an_event_that_comes_again_counts_once(associations):
    first = lesson("e1", "tea", "rain")

    assert [associations.learn(first) for _ in range(3)] == [True, False, False]

    assert edges_of(associations, "tea")[0].count == 1
    assert associations.count_edges([ANA]) == 1


def test_an_event_is_known_by_its_scope_and_id_and_not_by_what_it_teaches(associations):
    associations.learn(lesson("e1", "tea", "rain"))

    assert not associations.learn(lesson("e1", "tea", "sun"))
    assert associations.learn(lesson("e1", "tea", "sun", scope=BEN))

    assert far_ends(associations, "tea") == ["rain"]


def test_every_two_of_at_most_ten_concepts_become_an_edge(associations):
    concepts = [f"c{number:02}" for number in range(MAX_CONCEPTS + 2)]

    associations.learn(lesson("e1", *concepts))

    assert associations.count_edges([ANA]) == 45
    assert far_ends(associations, "c00") == concepts[1:MAX_CONCEPTS]
    assert far_ends(associations, "c10") == []


def test_fewer_than_two_concepts_teach_nothing(associations):
    associations.learn(lesson("e1", "tea"))
    associations.learn(lesson("e2"))

    assert far_ends(associations, "tea") == []
    assert associations.count_edges([ANA]) == 0


def test_the_strongest_come_first_and_no_more_than_were_asked_for(associations):
    for number in range(6):
        for _ in range(number + 1):
            associations.learn(lesson(f"e{number}{_}", "tea", f"c{number}"))

    assert far_ends(associations, "tea", limit=3) == ["c5", "c4", "c3"]
    assert len(far_ends(associations, "tea")) == 6


def test_equal_edges_come_in_the_order_of_their_concepts(associations):
    associations.learn(lesson("e1", "tea", "sun", "rain", "fog"))

    assert far_ends(associations, "tea") == ["fog", "rain", "sun"]


def test_several_concepts_are_asked_for_at_once_and_each_has_its_answer(associations):
    associations.learn(lesson("e1", "tea", "rain"))
    concepts = ["rain", *(f"c{number}" for number in range(MAX_ASKED - 2)), "tea"]

    found = associations.neighbours(ANA, concepts, limit=5, now=NOON)

    assert list(found) == concepts
    assert {concept for concept, edges in found.items() if edges} == {"rain", "tea"}


def test_nothing_asked_is_nothing_found(associations):
    assert associations.neighbours(ANA, [], limit=5, now=NOON) == {}
    assert associations.count_edges([]) == 0


@pytest.mark.parametrize(
    "other",
    [
        BEN,
        build_scope(OTHER_TENANT, userId="ana"),
        build_scope(projectId="p"),
        build_scope(),
        build_scope(userId="ana", projectId="p"),
        build_scope(userId="ana", sessionId="s"),
    ],
)
def test_another_scope_sees_and_counts_nothing_of_it(associations, other):
    associations.learn(lesson("e1", "tea", "rain"))

    assert far_ends(associations, "tea", scope=other) == []
    assert associations.count_edges([other]) == 0
    assert associations.count_edges([other, ANA, ANA]) == 1


def test_an_edge_fades_and_what_was_learnt_since_is_stronger(associations):
    associations.learn(lesson("e1", "tea", "rain"))
    later = NOON + 2 * HALF_LIFE
    associations.learn(lesson("e2", "tea", "sun", amount=STOOD_IN_ONE_ATOM / 2, at=later))

    sun, rain = edges_of(associations, "tea", now=later)

    assert (sun.other("tea"), rain.other("tea")) == ("sun", "rain")
    assert rain.weight == pytest.approx(0.0723, abs=1e-4)


def test_a_good_outcome_strengthens_an_edge_and_lifts_its_valence(associations):
    associations.learn(lesson("e1", "tea", "rain"))
    associations.learn(lesson("e2", "tea", "rain", amount=SERVED, outcome=1.0))

    (edge,) = edges_of(associations, "tea")

    assert edge.weight == pytest.approx(0.4512, abs=1e-4)
    assert edge.valence == pytest.approx(0.5)


def test_a_bad_outcome_lowers_the_valence_and_leaves_the_weight(associations):
    associations.learn(lesson("e1", "tea", "rain"))
    before = edges_of(associations, "tea")[0]

    associations.learn(lesson("e2", "tea", "rain", amount=SERVED, outcome=-1.0))

    (edge,) = edges_of(associations, "tea")
    assert edge.valence == pytest.approx(-0.5)
    assert edge == replace(before, valence=edge.valence, count=2)


def test_a_bad_outcome_makes_no_edge_where_there_was_none(associations):
    associations.learn(lesson("e1", "tea", "rain"))

    assert associations.learn(lesson("e2", "tea", "rain", "sun", outcome=-1.0))

    assert far_ends(associations, "tea") == ["rain"]
    assert associations.count_edges([ANA]) == 1


@pytest.mark.parametrize("concept", ["#", "a#edges#b", "каша" * 50, "%23", "*" * 200, "🍵\x00"])
def test_a_hostile_concept_is_only_a_concept(associations, concept):
    associations.learn(lesson("e1", "tea", concept))

    assert far_ends(associations, "tea") == [concept]
    assert far_ends(associations, concept) == ["tea"]
