import pytest
from palimpsest.domain.associations import STOOD_IN_ONE_ATOM, Lesson
from palimpsest.domain.errors import (
    StoreError,
    StoreFailedError,
    StoreUnavailableError,
    WriteConflictError,
)
from palimpsest.use_cases.attempts import MAX_ATTEMPTS
from palimpsest.use_cases.grow_associations import GrowAssociations

from tests.builders import build_scope
from tests.fakes.associations import FakeAssociations
from tests.fakes.clock import NOON
from tests.fakes.pauses import FakePauses

ANA = build_scope(userId="ana")


@pytest.fixture
def associations():
    return FakeAssociations()


@pytest.fixture
def pauses():
    return FakePauses()


@pytest.fixture
def grow(associations, pauses):
    return GrowAssociations(associations=associations, pauses=pauses)


def lesson(event_id):
    return Lesson(
        event_id=event_id,
        scope=ANA,
        concepts=("tea", "rain"),
        amount=STOOD_IN_ONE_ATOM,
        at=NOON,
    )


def count_of(associations):
    ((edge,),) = associations.neighbours(ANA, ["tea"], limit=9, now=NOON).values()
    return edge.count


def test_every_lesson_is_learnt_and_one_that_comes_again_is_done_too(grow, associations):
    assert grow([lesson("e1"), lesson("e2"), lesson("e1")]) == frozenset()

    assert count_of(associations) == 2


def test_nothing_taught_is_nothing_left(grow):
    assert grow([]) == frozenset()


@pytest.mark.parametrize("error", [WriteConflictError, StoreUnavailableError])
def test_who_loses_a_race_or_finds_the_store_busy_tries_again(grow, associations, pauses, error):
    associations.faults.fail_next(error("busy"), times=MAX_ATTEMPTS - 1)

    assert grow([lesson("e1")]) == frozenset()

    assert pauses.attempts == [1, 2, 3, 4]


def test_a_lesson_whose_answer_was_lost_is_learnt_once(grow, associations):
    associations.faults.drop_answers()

    assert grow([lesson("e1")]) == frozenset()

    assert count_of(associations) == 1


@pytest.mark.parametrize(
    ("error", "times"),
    [
        (WriteConflictError("busy"), MAX_ATTEMPTS),
        (StoreUnavailableError("busy"), MAX_ATTEMPTS),
        (StoreFailedError("no"), 1),
    ],
)
def test_what_cannot_be_learnt_now_is_told_and_holds_up_no_other(
    grow, associations, error: StoreError, times
):
    associations.faults.fail_next(error, times=times)

    assert grow([lesson("e1"), lesson("e2")]) == {"e1"}

    assert count_of(associations) == 1
