import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.associations import (
    ANSWERED_A_QUERY,
    EPOCH,
    HALF_LIFE,
    MAX_CONCEPTS,
    MAX_HALF_LIVES,
    SERVED,
    STOOD_IN_ONE_ATOM,
    UNIT,
    Edge,
    Growth,
    Lesson,
    edge_at,
    strongest_first,
)

from tests.builders import build_scope
from tests.fakes.clock import NOON

# What DynamoDB keeps of a number (developer guide, "Data types"); it refuses one digit more.
DIGITS = 38

outcomes = st.floats(-1, 1)
instants = st.integers(0, 7_600).map(lambda days: EPOCH + timedelta(days=days))


def lesson(*concepts, amount=STOOD_IN_ONE_ATOM, outcome=None, at=NOON):
    return Lesson(
        event_id="e",
        scope=build_scope(),
        concepts=concepts,
        amount=amount,
        outcome=outcome,
        at=at,
    )


def grown(*lessons):
    return sum((each.growth for each in lessons), Growth())


def edge(**fields):
    given = {"source": "a", "target": "b", "weight": 0.5, "valence": 0.0, "count": 1}
    return Edge(**{**given, "updated_at": NOON, **fields})


def test_each_two_concepts_of_a_lesson_are_a_pair_whatever_their_order():
    assert lesson("c", "a", "b", "a").pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert lesson("b", "c", "a").pairs == lesson("a", "b", "c").pairs


def test_one_concept_and_none_are_no_pair():
    assert lesson("a", "a").pairs == ()
    assert lesson().pairs == ()


def test_only_the_first_ten_concepts_count():
    concepts = [f"c{number:02}" for number in range(MAX_CONCEPTS + 5)]

    pairs = lesson("c00", *reversed(concepts)).pairs

    assert len(pairs) == 45
    assert {concept for pair in pairs for concept in pair} == {"c00", *concepts[-9:]}


@pytest.mark.parametrize(
    ("amount", "weight"), [(STOOD_IN_ONE_ATOM, 0.26), (ANSWERED_A_QUERY, 0.10), (SERVED, 0.26)]
)
def test_one_event_weighs_what_its_kind_says(amount, weight):
    assert lesson("a", "b", amount=amount).growth.weight_at(NOON) == pytest.approx(weight, abs=0.01)


def test_a_weight_never_reaches_beyond_one():
    growth = grown(*[lesson("a", "b")] * 10)
    much = Growth(strength=growth.strength * 100_000)

    assert growth.weight_at(NOON) == pytest.approx(1 - math.exp(-3))
    assert growth.weight_at(NOON) < much.weight_at(NOON) <= 1.0


def test_what_nobody_strengthens_fades_by_half_in_a_half_life():
    growth = lesson("a", "b").growth

    sums = [-math.log(1 - growth.weight_at(NOON + n * HALF_LIFE)) for n in range(4)]

    assert sums == pytest.approx([0.3, 0.15, 0.075, 0.0375], rel=1e-4)


@given(st.lists(instants, min_size=1, max_size=6), st.randoms())
def test_the_order_in_which_lessons_come_changes_nothing(times, random):
    lessons = [lesson("a", "b", outcome=0.5, at=at) for at in times]
    shuffled = random.sample(lessons, len(lessons))

    assert grown(*lessons) == grown(*shuffled)


@given(instants, instants, st.timedeltas(timedelta(0), timedelta(days=400)))
def test_the_order_of_two_edges_never_changes_while_nobody_teaches(first, second, later):
    one, other = lesson("a", "b", at=first).growth, lesson("a", "c", at=second).growth
    now = max(first, second)

    by_sum = one.strength > other.strength
    assert by_sum == (one.weight_at(now) > other.weight_at(now)) or one.strength == other.strength
    assert (one.weight_at(now + later) >= other.weight_at(now + later)) or not by_sum


def test_a_bad_outcome_strengthens_nothing_and_a_good_one_by_its_part():
    bad, half, best = (lesson("a", "b", amount=SERVED, outcome=o).growth for o in (-1.0, 0.5, 1.0))

    assert bad.strength == 0
    assert half.strength == pytest.approx(best.strength / 2, abs=1)
    assert best.strength == lesson("a", "b", amount=SERVED).growth.strength


def test_outcomes_move_a_valence_towards_them_and_a_good_one_lifts_it_back():
    bad, good = (lesson("a", "b", outcome=o).growth for o in (-1.0, 1.0))

    lived = accumulate([bad, bad, bad, good, good, good, good])

    valences = [growth.valence_at(NOON) for growth in lived]
    assert valences[:3] == pytest.approx([-1 / 2, -2 / 3, -3 / 4])
    assert all(earlier < later for earlier, later in pairwise(valences[2:]))
    assert valences[-1] == pytest.approx(1 / 8)


def test_a_newer_outcome_counts_more_than_an_old_one():
    old = lesson("a", "b", outcome=-1.0, at=NOON - 2 * HALF_LIFE)
    new = lesson("a", "b", outcome=1.0)

    assert grown(old, new).valence_at(NOON) > 0


def test_a_valence_goes_back_to_nothing_when_nobody_says_more():
    growth = grown(*[lesson("a", "b", outcome=-1.0)] * 5)

    assert growth.valence_at(NOON) == pytest.approx(-5 / 6)
    assert -0.01 < growth.valence_at(NOON + 10 * HALF_LIFE) < 0


@given(st.lists(st.tuples(st.none() | outcomes, instants), max_size=30), instants)
def test_weights_and_valences_stay_in_their_bounds_whatever_was_taught(taught, now):
    growth = grown(*(lesson("a", "b", outcome=outcome, at=at) for outcome, at in taught))

    assert growth.strength >= 0
    assert 0 <= growth.weight_at(now) <= 1
    assert -1 <= growth.valence_at(now) <= 1


def test_nothing_at_all_is_a_plain_zero():
    assert str(Growth().weight_at(NOON)) == "0.0"
    assert str(Growth().valence_at(NOON)) == "0.0"


def test_a_sum_keeps_within_what_the_store_keeps_until_the_last_half_life():
    end = EPOCH + MAX_HALF_LIVES * HALF_LIFE
    a_million = lesson("a", "b", outcome=1.0, at=end).growth.strength * 10**6

    assert end.year == 2045
    assert len(str(a_million)) <= DIGITS
    assert lesson("a", "b", at=EPOCH).growth.strength == STOOD_IN_ONE_ATOM * UNIT


@pytest.mark.parametrize(
    "at", [datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]
)
def test_times_beyond_the_range_count_as_its_ends(at):
    growth = lesson("a", "b", at=at).growth

    assert growth.weight_at(at) == pytest.approx(0.26, abs=0.01)
    assert len(str(growth.strength)) <= DIGITS


def test_an_edge_is_told_as_it_stands_at_a_time():
    sums = lesson("a", "b", outcome=1.0).growth

    told = edge_at(NOON + HALF_LIFE, ("a", "b"), sums, count=3, updated_at=NOON)

    assert told.weight == pytest.approx(1 - math.exp(-0.15), abs=1e-6)
    assert told.valence == pytest.approx(1 / 3, abs=1e-6)
    assert (told.source, told.target, told.count, told.updated_at) == ("a", "b", 3, NOON)


def test_an_edge_has_a_far_end():
    assert edge().other("a") == "b"
    assert edge().other("b") == "a"


def test_what_served_badly_pulls_less_and_what_served_well_pulls_by_its_weight():
    assert edge(valence=-0.75).pull == pytest.approx(0.125)
    assert edge(valence=0.75).pull == edge().pull == 0.5


def test_the_strongest_edge_comes_first_and_equal_ones_by_their_concepts():
    strong, second = edge(weight=0.9, source="x", target="z"), edge(source="a", target="c")

    assert strongest_first([second, edge(), strong]) == [strong, edge(), second]
    assert strongest_first([replace(strong, weight=0.1), edge()])[0] == edge()
