import pytest
from palimpsest.domain.recall import OrderBy
from palimpsest.domain.strategies import (
    CATALOGUE,
    Plan,
    Said,
    Strategy,
    choose_strategy,
    plan_as_said,
    plan_of,
)

from tests.fakes.clock import NOON


@pytest.mark.parametrize(
    ("query", "strategy"),
    [
        ("Who plays chess?", None),
        ("Where does Ana live?", None),
        ("When did Ana move to Berlin?", None),
        ("What is Ana's dog called?", None),
        ("What does Ana do?", None),
        ("What has Ana's sister said?", None),
        ("谁喜欢绿茶？", None),
        ("", None),
        ('Who said "over my dead body"?', Strategy.PRECISE),
        ("the exact name of the release", Strategy.PRECISE),
        ("ticket PAL-417", Strategy.PRECISE),
        ("what was in #88", Strategy.PRECISE),
        ("who owns ana@example.com", Strategy.PRECISE),
        ("notes on https://example.com/a", Strategy.PRECISE),
        ("01890a5d-ac96-774b-bcce-b302099a8057", Strategy.PRECISE),
        ("all of Ana's pets", Strategy.EXHAUSTIVE),
        ("Everything about the budget", Strategy.EXHAUSTIVE),
        ("How many times has Ana been to the sea?", Strategy.EXHAUSTIVE),
        ("list the open questions of last week", Strategy.EXHAUSTIVE),
        ("列出会议", Strategy.EXHAUSTIVE),
        ("What did Ana paint in May 2023?", Strategy.TEMPORAL),
        ("what happened yesterday", Strategy.TEMPORAL),
        ("the latest decision on pricing", Strategy.TEMPORAL),
        ("Ana 最近怎么样", Strategy.TEMPORAL),
        ("What do Ana and Ben have in common?", Strategy.MULTI_HOP),
        ("What activities does Ana like?", Strategy.MULTI_HOP),
        ("Which outdoor places has Ben visited?", Strategy.MULTI_HOP),
        ("What kinds of music do they play?", Strategy.MULTI_HOP),
        ("Ana 和 Ben 有什么共同点", Strategy.MULTI_HOP),
    ],
)
def test_words_choose_a_strategy(query: str, strategy: Strategy | None):
    assert choose_strategy(query, NOON) is strategy


def test_every_strategy_but_the_choice_itself_stands_in_the_catalogue():
    assert CATALOGUE.keys() == set(Strategy) - {Strategy.AUTO}
    assert [plan_of(strategy) for strategy in CATALOGUE] == list(CATALOGUE.values())


def test_no_strategy_is_the_plain_plan():
    plain = Plan(
        min_relevance=0.3,
        include_associations=True,
        association_depth=1,
        two_pass=None,
        uses_times=False,
        depth=50,
        order_by=OrderBy.RELEVANCE,
    )

    assert plan_of(None) == plan_of(Strategy.AUTO) == plain


def test_what_a_request_names_wins_over_its_strategy_and_that_over_the_deployment():
    exhaustive, hops = plan_of(Strategy.EXHAUSTIVE), plan_of(Strategy.MULTI_HOP)
    said = Said(
        min_relevance=0.5, include_associations=False, two_pass=False, order_by=OrderBy.RECENCY
    )

    assert plan_as_said(exhaustive, said, is_two_pass=True) == Plan(
        min_relevance=0.5,
        include_associations=False,
        two_pass=False,
        depth=500,
        order_by=OrderBy.RECENCY,
    )
    assert plan_as_said(hops, Said(), is_two_pass=False) == hops
    assert plan_as_said(Plan(), Said(), is_two_pass=True).two_pass is True
    assert plan_as_said(Plan(), Said(two_pass=True), is_two_pass=False).two_pass is True
    assert plan_as_said(Plan(), Said(), is_two_pass=False).two_pass is False


def test_each_strategy_does_what_the_specification_says_of_it():
    precise, hops, times, everything = (
        plan_of(strategy)
        for strategy in (
            Strategy.PRECISE,
            Strategy.MULTI_HOP,
            Strategy.TEMPORAL,
            Strategy.EXHAUSTIVE,
        )
    )

    assert precise.min_relevance > Plan().min_relevance
    assert not precise.include_associations
    assert (hops.two_pass, hops.association_depth) == (True, 2)
    assert (times.uses_times, times.order_by) == (True, OrderBy.RECENCY)
    assert (everything.min_relevance, everything.depth) == (0.0, 500)
