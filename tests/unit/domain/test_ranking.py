import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.ranking import reciprocal_rank_fusion

FACT_IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_a_score_is_the_sum_over_the_legs_of_one_by_sixty_plus_rank():
    fused = reciprocal_rank_fusion([["a", "b"], ["b"]])

    assert [fact_id for fact_id, _ in fused] == ["b", "a"]
    assert [score for _, score in fused] == pytest.approx([1 / 62 + 1 / 61, 1 / 61])


def test_equal_scores_keep_the_order_of_first_appearance():
    fused = reciprocal_rank_fusion([["x", "b"], ["a", "y"]])

    assert [fact_id for fact_id, _ in fused] == ["x", "a", "b", "y"]


def test_one_leg_keeps_its_order():
    fused = reciprocal_rank_fusion([["c", "a", "b"], []])

    assert [fact_id for fact_id, _ in fused] == ["c", "a", "b"]


def test_nothing_fuses_to_nothing():
    assert reciprocal_rank_fusion([[], []]) == []


def test_the_constant_flattens_the_weight_of_the_first_ranks():
    steep = dict(reciprocal_rank_fusion([["a", "b"]], k=1))

    assert steep == {"a": 1 / 2, "b": 1 / 3}


@given(st.lists(FACT_IDS, max_size=3))
def test_every_fact_of_every_leg_comes_once_best_first_within_the_bounds(rankings: list[list[str]]):
    fused = reciprocal_rank_fusion(rankings)

    scores = [score for _, score in fused]
    assert sorted(fact_id for fact_id, _ in fused) == sorted({i for r in rankings for i in r})
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= len(rankings) / 61 + 1e-12 for score in scores)
