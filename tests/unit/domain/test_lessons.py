from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.associations import (
    ANSWERED_A_QUERY,
    MAX_CONCEPTS,
    SERVED,
    STOOD_IN_ONE_ATOM,
    Lesson,
)
from palimpsest.domain.atoms import ATOM_TYPE, Atom, content_of
from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.facts import Review
from palimpsest.domain.lessons import (
    MAX_TEACHING,
    lessons_of_answer,
    lessons_of_feedback,
    lessons_of_write,
)
from palimpsest.domain.revisions import delete

from tests.builders import OTHER_TENANT, build_act, build_fact, build_scope
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.ids import FakeIds

HOME = build_scope(userId="ana")
IDS = FakeIds(FakeClock())
SHARED = [
    build_scope(projectId="p"),
    build_scope(userId="ben"),
    build_scope(userId="ana", sessionId="s"),
    build_scope(OTHER_TENANT, userId="ana"),
    build_scope(),
]

texts = st.text(max_size=8) | st.sampled_from(["tea", "Tea", "rain", "sun", "fog", "mud"])


def kept(*concepts, scope=HOME, **revised):
    """Return an atom about these concepts as it stands in the store."""
    atom = Atom(text="what it says", concepts=concepts)
    fact = build_fact(ids=IDS, scope=scope, type=ATOM_TYPE, content=content_of(atom))
    return replace(fact.revision, **revised), atom


def closed(revision, atom):
    fact = build_fact(ids=IDS, scope=HOME, type=ATOM_TYPE, content=content_of(atom))
    return replace(revision, closing=delete(fact, build_act(ids=IDS)).revision.closing), atom


def answered(*items, query_concepts=()):
    return lessons_of_answer(
        items, home=HOME, query_concepts=query_concepts, request_id="r1", at=NOON
    )


def fed_back(*items, named_concepts=(), outcome=1.0):
    return lessons_of_feedback(
        items,
        home=HOME,
        named_concepts=named_concepts,
        outcome=outcome,
        operation_id="o1",
        at=NOON,
    )


def test_a_new_atom_teaches_that_its_concepts_stand_together():
    revision, atom = kept("Green  Tea", "rain", "green tea", " ")

    (lesson,) = lessons_of_write(revision, atom)

    assert lesson == Lesson(
        event_id=f"write:{revision.fact_id}",
        scope=HOME,
        concepts=("green tea", "rain"),
        amount=STOOD_IN_ONE_ATOM,
        at=revision.created_at,
    )


def test_a_new_atom_teaches_in_its_own_scope_whoever_writes_it():
    revision, atom = kept("tea", "rain", scope=SHARED[0])

    (lesson,) = lessons_of_write(revision, atom)

    assert lesson.scope == SHARED[0]


@pytest.mark.parametrize("concepts", [(), ("tea",), ("tea", "TEA ")])
def test_an_atom_without_two_concepts_teaches_nothing(concepts):
    item = kept(*concepts)

    assert lessons_of_write(*item) == answered(item) == fed_back(item) == ()


def test_of_many_concepts_the_first_ten_are_taught():
    concepts = [f"c{number}" for number in range(MAX_CONCEPTS + 3)]

    (lesson,) = lessons_of_write(*kept(*concepts))

    assert list(lesson.concepts) == concepts[:MAX_CONCEPTS]


def test_an_atom_that_answers_teaches_its_own_concepts_those_first_that_the_query_named():
    revision, atom = kept(*(f"c{number:02}" for number in range(MAX_CONCEPTS)), "Tea")

    (lesson,) = answered((revision, atom), query_concepts=("tea", "secret"))

    assert lesson == Lesson(
        event_id=f"read:r1:{revision.fact_id}",
        scope=HOME,
        concepts=("tea", *(f"c{number:02}" for number in range(MAX_CONCEPTS - 1))),
        amount=ANSWERED_A_QUERY,
        at=NOON,
    )


def test_only_the_first_atoms_of_an_answer_teach():
    items = [kept("lonely"), *(kept("tea", f"c{number}") for number in range(MAX_TEACHING + 2))]

    lessons = answered(*items)

    assert [lesson.concepts[1] for lesson in lessons] == [f"c{n}" for n in range(MAX_TEACHING)]


def test_feedback_teaches_the_concepts_of_all_its_atoms_together():
    (lesson,) = fed_back(
        kept("tea", "rain"), kept("sun", "tea"), named_concepts=("SUN", "secret"), outcome=-0.5
    )

    assert lesson == Lesson(
        event_id="feedback:o1",
        scope=HOME,
        concepts=("sun", "tea", "rain"),
        amount=SERVED,
        outcome=-0.5,
        at=NOON,
    )


@pytest.mark.parametrize("scope", SHARED)
def test_an_atom_outside_the_caller_s_home_teaches_nothing(scope):
    item = kept("tea", "rain", scope=scope)

    assert answered(item, query_concepts=("tea",)) == fed_back(item) == ()


def test_an_atom_outside_the_home_lends_no_concept_to_one_inside():
    (lesson,) = fed_back(kept("tea", "rain"), kept("tea", "secret", scope=SHARED[0]))

    assert lesson.concepts == ("tea", "rain")


def test_what_is_replaced_or_not_approved_yet_teaches_nothing():
    pending, gone = kept("tea", "rain", review=Review.PENDING), closed(*kept("tea", "rain"))

    assert lessons_of_write(*pending) == ()
    assert answered(pending, gone) == fed_back(pending, gone) == ()


@given(
    st.lists(st.tuples(st.lists(texts, max_size=12), st.sampled_from([HOME, *SHARED])), max_size=4),
    st.lists(texts, max_size=12),
)
def test_no_word_is_ever_learnt_that_no_atom_of_the_home_carries(atoms, words):
    items = [kept(*concepts, scope=scope) for concepts, scope in atoms]
    carried = {canonical_concept(c) for concepts, scope in atoms if scope == HOME for c in concepts}

    lessons = (*answered(*items, query_concepts=words), *fed_back(*items, named_concepts=words))

    assert all(lesson.scope == HOME for lesson in lessons)
    assert {concept for lesson in lessons for concept in lesson.concepts} <= carried
    assert all(len(lesson.concepts) <= MAX_CONCEPTS for lesson in lessons)
