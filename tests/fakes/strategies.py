"""A chooser of strategies that says what it is told: held to its port by ``tests/contract/test_strategies.py``."""

from dataclasses import dataclass, field

from palimpsest.domain.strategies import Strategy


@dataclass
class FakeStrategies:
    """See ``palimpsest.ports.strategies.Strategies``.

    Attributes:
        chosen: What it chooses for every query.
        queries: Every query that it was asked about.
    """

    chosen: Strategy | None = None
    queries: list[str] = field(default_factory=list)

    def choose(self, query: str) -> Strategy | None:
        self.queries.append(query)
        return self.chosen
