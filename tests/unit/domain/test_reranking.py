from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.reranking import lifted, moved_valence, reranked

OLD = timedelta(days=90)
AGES_OUT = timedelta(days=3650)
scores = st.floats(0, 1)
ages = st.timedeltas(timedelta(0), timedelta(days=10_000))


def told(*outcomes: float) -> float:
    valence: float | None = None
    for outcome in outcomes:
        valence = moved_valence(valence, outcome)
    return valence or 0.0


def test_a_valence_moves_by_a_share_of_its_error():
    assert told(1) == 0.5
    assert told(1, 1) == 0.75
    assert told(1, 0) == 0.25
    assert told(-1, -1, -1, -1, -1) == -0.96875


@given(st.lists(st.floats(-1, 1), max_size=20))
def test_a_valence_never_leaves_its_range(outcomes: list[float]):
    assert -1 <= told(*outcomes) <= 1


def test_five_failures_sink_an_atom_below_its_rival_and_one_success_lifts_it_back():
    atom, rival = 0.60, 0.55

    sunk = reranked(atom, valence=told(-1, -1, -1, -1, -1), age=OLD)
    back = reranked(atom, valence=told(-1, -1, -1, -1, -1, 1), age=OLD)

    assert sunk < reranked(rival, valence=None, age=OLD) < back


def test_an_atom_of_which_nothing_was_told_keeps_its_score():
    assert reranked(0.4, valence=None, age=AGES_OUT) == pytest.approx(0.4)
    assert reranked(0.4, valence=0.0, age=AGES_OUT) == pytest.approx(0.4)


def test_valence_scales_the_score_by_half_at_most():
    assert reranked(0.4, valence=1.0, age=AGES_OUT) == pytest.approx(0.6)
    assert reranked(0.4, valence=-1.0, age=AGES_OUT) == pytest.approx(0.2)
    assert reranked(0.9, valence=1.0, age=AGES_OUT) == 1.0


def test_recency_fades_by_half_in_thirty_days():
    new, month_old = (reranked(0.0, valence=None, age=timedelta(days=days)) for days in (0, 30))

    assert new == pytest.approx(0.15)
    assert month_old == pytest.approx(0.075)
    assert reranked(0.0, valence=None, age=timedelta(days=-1)) == new


@given(scores, ages)
def test_no_recency_pushes_an_exact_match_out(score: float, age: timedelta):
    exact = reranked(1.0, valence=None, age=OLD)

    assert reranked(score, valence=None, age=age) <= exact == 1.0


@given(scores, scores, scores)
def test_what_lifts_two_scores_alike_keeps_their_order(low: float, high: float, by: float):
    low, high = sorted((low, high))

    assert low <= lifted(low, by) <= lifted(high, by) + 1e-9 <= 1 + 2e-9
