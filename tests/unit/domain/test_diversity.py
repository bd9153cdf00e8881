import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.diversity import Diverse, diversify


def at(degrees: float, relevance: float, *, axis: int = 1) -> Diverse:
    """Return a candidate so far from the first axis, towards another."""
    vector = [math.cos(math.radians(degrees)), 0.0, 0.0, 0.0, 0.0]
    vector[axis] = math.sin(math.radians(degrees))
    return Diverse(relevance=relevance, vector=vector)


# Five that say nearly the same, and three that say something else.
COPIES = [at(n, 0.90 - n / 100) for n in range(5)]
OTHERS = [at(70, 0.60 - n / 10, axis=2 + n) for n in range(3)]


def select(diversity: float, *, count: int = 4, noise: float = 0.0) -> list[int]:
    return diversify([*COPIES, *OTHERS], count=count, diversity=diversity, noise=noise)


def test_without_diversity_the_best_are_taken():
    assert select(0.0) == [0, 1, 2, 3]


def test_half_and_half_shows_one_of_near_copies():
    assert select(0.5) == [0, 5, 6, 7]


def test_likeness_alone_decides_after_the_first_at_one():
    assert select(1.0, count=2) == [0, 5]


def test_when_all_others_are_taken_copies_fill_the_rest():
    assert select(0.5, count=8) == list(range(8))
    assert select(0.5, count=20) == list(range(8))


def test_more_diversity_never_shows_more_copies_and_never_another_first():
    selections = [select(step / 10) for step in range(11)]

    counts = [sum(position < len(COPIES) for position in selected) for selected in selections]
    assert counts == sorted(counts, reverse=True)
    assert {selected[0] for selected in selections} == {0}


def test_vectors_that_all_lie_near_each_other_are_told_apart_above_their_noise():
    """As e5 has them: 20 degrees are another text there."""
    near = [at(0, 0.9), at(1, 0.89), at(20, 0.7)]

    assert diversify(near, count=2, diversity=0.5, noise=0.0) == [0, 1]
    assert diversify(near, count=2, diversity=0.5, noise=0.9) == [0, 2]


def test_what_has_no_vector_is_like_nothing():
    blank = Diverse(relevance=0.5, vector=None)

    assert diversify([*COPIES[:2], blank, blank], count=3, diversity=0.5, noise=0.0) == [0, 2, 3]


def test_nothing_is_selected_from_nothing():
    assert diversify([], count=3, diversity=0.5, noise=0.0) == []


@given(
    st.lists(st.tuples(st.floats(0, 180), st.floats(0, 1)), max_size=12),
    st.integers(1, 12),
    st.floats(0, 1),
)
def test_as_many_as_wanted_come_once_each_in_their_order(
    drawn: list[tuple[float, float]], count: int, diversity: float
):
    candidates = [at(degrees, relevance) for degrees, relevance in drawn]

    selected = diversify(candidates, count=count, diversity=diversity, noise=0.0)

    assert selected == sorted(set(selected))
    assert len(selected) == min(count, len(candidates))
    assert selected[:1] == [0][: len(candidates)]


@pytest.mark.parametrize("count", [1, 3])
def test_with_no_diversity_it_is_the_plain_cut(count: int):
    assert select(0.0, count=count) == list(range(count))
