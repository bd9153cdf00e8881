"""Learning over dynoxide: many at once, and over a wire that is cut."""

from datetime import datetime, timedelta

import pytest
from palimpsest.domain.associations import (
    EPOCH,
    HALF_LIFE,
    MAX_CONCEPTS,
    MAX_HALF_LIVES,
    STOOD_IN_ONE_ATOM,
    Growth,
    Lesson,
)
from palimpsest.domain.errors import StoreUnavailableError, WriteConflictError
from palimpsest.use_cases.grow_associations import GrowAssociations

from tests.builders import build_scope
from tests.fakes.clock import NOON
from tests.fakes.pauses import FakePauses
from tests.racing import all_at_once

ANA = build_scope(userId="ana")
TEN = tuple(f"c{number}" for number in range(MAX_CONCEPTS))


@pytest.fixture
def associations(tables, wire):
    return tables.associations()


@pytest.fixture
def grow(associations):
    return GrowAssociations(associations=associations, pauses=FakePauses())


def lesson(event_id, *concepts, at: datetime = NOON, **fields):
    taught = concepts or ("tea", "rain")
    given = {"scope": ANA, "amount": STOOD_IN_ONE_ATOM, **fields}
    return Lesson(event_id=event_id, concepts=taught, at=at, **given)


def edges(associations, concept, *, now=NOON):
    (found,) = associations.neighbours(ANA, [concept], limit=500, now=now).values()
    return found


def test_twenty_writers_at_once_lose_nothing_of_each_other(associations, grow):
    lessons = [[lesson(f"{writer}-{n}", *TEN) for n in range(5)] for writer in range(20)]

    left = all_at_once(grow, lessons)

    assert left == [frozenset()] * 20
    assert associations.count_edges([ANA]) == 45
    assert [edge.count for edge in edges(associations, "c0")] == [100] * 9
    whole = Growth(strength=100 * lesson("e").growth.strength)
    assert [edge.weight for edge in edges(associations, "c0")] == [whole.weight_at(NOON)] * 9


def test_writers_who_find_different_edges_new_count_each_once(associations, grow):
    lessons = [[lesson(f"e{n}", "hub", f"c{n % 7}", f"c{(n + 1) % 7}")] for n in range(20)]

    assert all_at_once(grow, lessons) == [frozenset()] * 20

    # Seven spokes, and the seven sides between neighbours.
    assert associations.count_edges([ANA]) == 14


def test_of_twenty_who_bring_the_same_event_one_is_heard(associations, grow):
    assert all_at_once(grow, [[lesson("e1")]] * 20) == [frozenset()] * 20

    assert [edge.count for edge in edges(associations, "tea")] == [1]


def test_a_lesson_of_ten_concepts_is_one_read_and_one_transaction(associations, wire):
    associations.learn(lesson("e1", *TEN))

    assert wire.calls == {"BatchGetItem": 1, "TransactWriteItems": 1}


def test_a_transaction_that_is_in_another_s_way_is_told_and_done_again(associations, grow, wire):
    wire.cancel("None", "TransactionConflict")
    with pytest.raises(WriteConflictError):
        associations.learn(lesson("e1"))
    wire.cancel("None", "TransactionConflict", times=3)

    assert grow([lesson("e1")]) == frozenset()

    assert [edge.count for edge in edges(associations, "tea")] == [1]


def test_a_lesson_whose_answer_is_lost_counts_once(associations, grow, wire):
    wire.lose_answer("TransactWriteItems")
    with pytest.raises(StoreUnavailableError):
        associations.learn(lesson("e1"))

    assert grow([lesson("e1")]) == frozenset()

    assert [edge.count for edge in edges(associations, "tea")] == [1]


def test_a_lesson_that_never_arrived_is_learnt_when_it_comes_again(associations, grow, wire):
    wire.lose_request("TransactWriteItems")

    assert grow([lesson("e1")]) == frozenset()

    assert [edge.count for edge in edges(associations, "tea")] == [1]


def test_sums_stay_exact_from_the_first_day_to_the_last(associations):
    last = EPOCH + MAX_HALF_LIVES * HALF_LIFE
    for number in range(3):
        associations.learn(lesson(f"first {number}", at=EPOCH, outcome=1.0))
        associations.learn(lesson(f"last {number}", at=last, outcome=-1.0))
        associations.learn(lesson(f"good {number}", at=last, outcome=1.0))

    (edge,) = edges(associations, "tea", now=last)

    assert edge.weight == pytest.approx(Growth(strength=900_000).weight_at(EPOCH))
    assert edge.valence == pytest.approx(0.0, abs=1e-6)


def test_a_marker_is_swept_a_month_after_its_event(tables, associations):
    associations.learn(lesson("e1"))

    (marker,) = [item for item in tables.items(tables.concepts) if item["sk"]["S"] == "LEARNT"]

    assert int(marker["ttl"]["N"]) == int((NOON + timedelta(days=30)).timestamp())
    assert "tea" not in str(marker)
