import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from palimpsest.domain.query_times import TimeBounds
from palimpsest.domain.recall import (
    Candidate,
    OrderBy,
    ReadItem,
    Source,
    associated,
    association_slots,
    cleared,
    cut,
    in_order,
    in_slots,
    joined,
    pinned,
    ranked_again,
    scored,
)

from tests.candidates import build_candidate, build_item
from tests.fakes.clock import NOON

NOISE = 0.76


def score(candidate: Candidate, query: str = "a query", **how: Any) -> float:
    (item,) = scored([candidate], query, **{"noise": 0.0, **how})
    return item.likeness


# Joining what the searches find.


def test_what_both_searches_find_is_one_candidate_found_by_meaning():
    both, only_words = build_candidate(), build_candidate(source=Source.KEYWORD, words=0.4)

    found = joined([both], [replace(both, source=Source.KEYWORD, words=1.0), only_words])

    assert found == [replace(both, words=1.0), only_words]


# Scores.


def test_a_score_is_the_cosine_above_the_noise():
    assert score(build_candidate(similarity=0.88), noise=NOISE) == pytest.approx(0.5)
    assert score(build_candidate(similarity=0.70), noise=NOISE) == 0.0


def test_a_second_pass_scores_by_both_its_queries():
    candidate = build_candidate(similarity=0.2)

    assert score(replace(candidate, widened=0.4)) == pytest.approx(0.4)
    assert score(replace(candidate, widened=None)) == pytest.approx(0.2)


def test_words_in_common_lift_it_by_a_share_of_what_is_missing():
    assert score(build_candidate(similarity=0.4, words=1.0)) == pytest.approx(0.4 + 0.6 * 0.15)
    assert score(build_candidate(similarity=0.4, words=0.5)) == pytest.approx(0.4 + 0.6 * 0.075)


@pytest.mark.parametrize(
    "query", ["Ana plays chess.", " ana  PLAYS chess. ", "ＡＮＡ plays chess."]
)
def test_the_same_words_are_an_exact_match_whatever_the_model_says(query: str):
    assert score(build_candidate(similarity=0.91), query, noise=NOISE) == 1.0


def test_what_was_written_in_the_time_that_is_asked_for_is_lifted_and_nothing_is_lost():
    may = TimeBounds(start=NOON - timedelta(days=30), end=NOON - timedelta(days=10))

    lifted = {
        days: score(build_candidate(similarity=0.4, age=timedelta(days=days)), times=may)
        for days in (31, 30, 11, 10, 4, 3, 0)
    }

    inside = pytest.approx(0.4 + 0.6 * 0.1)
    assert lifted == {31: 0.4, 30: inside, 11: inside, 10: inside, 4: inside, 3: 0.4, 0: 0.4}


def test_a_time_without_an_end_has_none():
    since = TimeBounds(start=NOON - timedelta(days=10), end=None)

    assert score(build_candidate(similarity=0.4, age=timedelta(0)), times=since) > 0.4


def test_the_best_come_first_and_of_equals_the_newer():
    low, old, new = (build_candidate(similarity=s) for s in (0.2, 0.6, 0.6))

    assert [i.key for i in scored([low, old, new], "q", noise=0.0)] == [new.key, old.key, low.key]


# The floor.


def test_nothing_below_the_floor_stays_and_nothing_fills_its_place():
    at, below = build_item(0.3), build_item(0.2999)

    assert cleared([at, below], 0.3) == [at]
    assert cleared([below], 0.3) == []


def test_no_recency_and_no_success_lifts_noise_above_the_floor():
    noise = replace(build_item(0.29, age=timedelta(0), valence=1.0), relevance=0.9)

    assert cleared([noise], 0.3) == []


# Ranking again.


def test_what_failed_sinks_below_its_rival_and_what_helped_rises():
    failed, rival, helped = (
        build_item(likeness, valence=valence)
        for likeness, valence in ((0.6, -0.97), (0.5, None), (0.4, 0.97))
    )

    ranked = ranked_again([failed, rival, helped], NOON)

    assert [item.key for item in ranked] == [helped.key, rival.key, failed.key]
    assert [item.likeness for item in ranked] == [0.4, 0.5, 0.6]


def test_of_two_alike_the_newer_comes_first():
    old, new = build_item(0.5, age=timedelta(days=90)), build_item(0.49, age=timedelta(0))

    assert [item.key for item in ranked_again([old, new], NOON)] == [new.key, old.key]


def test_an_exact_match_ninety_days_old_stays_before_everything_new():
    exact = build_item(1.0, age=timedelta(days=90))
    new = [build_item(0.99, age=timedelta(0)) for _ in range(20)]
    praised = build_item(0.99, age=timedelta(0), valence=1.0)

    assert ranked_again([*new, praised, exact], NOON)[0].key == exact.key


# Associations.


def test_a_concept_lifts_by_how_strongly_it_is_associated():
    named, learnt = build_candidate(similarity=0.2), build_candidate(similarity=0.2)

    items = associated([(learnt, 0.5), (named, 1.0), (build_candidate(), 0.0)], noise=0.0)

    assert [item.key for item in items] == [named.key, learnt.key]
    assert [item.likeness for item in items] == pytest.approx([0.2 + 0.8 * 0.35, 0.2 + 0.8 * 0.175])


@pytest.mark.parametrize(("top_k", "slots"), [(1, 1), (2, 1), (3, 2), (10, 5), (500, 5)])
def test_associated_atoms_have_few_slots_of_their_own(top_k: int, slots: int):
    assert association_slots(top_k) == slots


def build_slots(named: int, learnt: int) -> list[ReadItem]:
    sources = [Source.CONCEPT_SCOPED] * named + [Source.HEBBIAN_RETRIEVAL] * learnt
    return [build_item(0.9 - n / 100, source=source) for n, source in enumerate(sources)]


@pytest.mark.parametrize(
    ("named", "learnt", "shown"),
    [
        (9, 9, [0, 1, 9, 10, 11]),
        (9, 0, [0, 1, 2, 3, 4]),
        (0, 9, [0, 1, 2, 3, 4]),
        (1, 9, [0, 1, 2, 3, 4]),
        (9, 1, [0, 1, 2, 3, 9]),
        (1, 1, [0, 1]),
    ],
)
def test_what_is_learnt_has_half_of_the_slots_where_there_is_so_much(
    named: int, learnt: int, shown: list[int]
):
    items = build_slots(named, learnt)

    assert in_slots(items, [], 5) == [items[position] for position in shown]


def test_what_is_in_the_answer_already_takes_no_slot_and_nothing_two():
    items = build_slots(2, 1)
    twice = replace(items[0], source=Source.HEBBIAN_RETRIEVAL)

    assert in_slots([*items, twice], [items[1]], 5) == [items[0], items[2]]


# The pin.


def test_what_a_fingerprint_names_is_an_exact_match():
    (item,) = pinned([build_candidate(similarity=0.1, source=Source.EPISODIC)])

    assert (item.relevance, item.similarity, item.source) == (1.0, 0.1, Source.EPISODIC)


# The cut.


def towards(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def test_without_diversity_the_cut_is_plain():
    items = [build_item(0.9), build_item(0.8), build_item(0.7)]

    assert cut(items, 2, vectors={}, noise=0.0) == items[:2]
    assert cut(items, 0, vectors={}, noise=0.0) == []
    assert cut(items, -1, vectors={}, noise=0.0) == []


def test_with_diversity_a_copy_gives_its_place_to_the_next_that_is_none():
    items = [build_item(0.9), build_item(0.89), build_item(0.7)]
    angles = zip(items, (0, 1, 80), strict=True)
    vectors = {item.key: towards(degrees) for item, degrees in angles}

    assert cut(items, 2, diversity=0.5, vectors=vectors, noise=0.0) == [items[0], items[2]]


def test_at_two_hundred_and_more_the_cut_is_plain():
    items = [build_item(0.9) for _ in range(201)]
    vectors = {item.key: [1.0, 0.0] for item in items}

    assert cut(items, 200, diversity=1.0, vectors=vectors, noise=0.0) == items[:200]


def test_only_the_best_two_hundred_are_looked_at():
    items = [build_item(0.9) for _ in range(201)]
    vectors = {item.key: [1.0, 0.0] for item in items[:200]} | {items[200].key: [0.0, 1.0]}

    assert items[200] not in cut(items, 2, diversity=1.0, vectors=vectors, noise=0.0)


# The order.


def test_recency_sorts_the_same_items_newest_first_and_keeps_equals_as_they_were():
    old, same, new, too = (build_item(0.5, age=timedelta(days=d)) for d in (9, 5, 1, 5))

    assert in_order([old, same, new, too], OrderBy.RECENCY) == [new, same, too, old]
    assert in_order([old, same, new, too], OrderBy.RELEVANCE) == [old, same, new, too]
