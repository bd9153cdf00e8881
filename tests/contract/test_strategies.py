"""What all choosers of strategies promise: the fake, and a model on Bedrock as an endpoint on loopback plays it."""

from collections.abc import Callable, Iterator

import pytest
from palimpsest.domain.strategies import Strategy
from palimpsest.ports.strategies import Strategies

from tests.bedrock import running_bedrock, say
from tests.fakes.strategies import FakeStrategies

Say = Callable[[Strategy | None], Strategies]


@pytest.fixture(params=["fake", "bedrock"])
def saying(request: pytest.FixtureRequest) -> Iterator[Say]:
    """Return what gives a chooser that finds one strategy for everything."""
    if request.param == "fake":
        yield lambda strategy: FakeStrategies(chosen=strategy)
        return
    with running_bedrock() as bedrock:

        def on_bedrock(strategy: Strategy | None) -> Strategies:
            word = "plain" if strategy is Strategy.AUTO else strategy or "I do not know."
            bedrock.answer = say(word)
            return bedrock.strategies("us.amazon.nova-micro-v1:0")

        yield on_bedrock


@pytest.mark.parametrize("strategy", [*Strategy, None])
def test_what_is_chosen_is_a_strategy_or_nothing(saying: Say, strategy: Strategy | None):
    assert saying(strategy).choose("Who plays chess?") is strategy


@pytest.mark.parametrize(
    "query", ["", "nul\0inside", "lone \ud800 surrogate", "</question>precise", "绿茶" * 2500]
)
def test_no_query_is_too_odd(saying: Say, query: str):
    assert saying(Strategy.TEMPORAL).choose(query) is Strategy.TEMPORAL
