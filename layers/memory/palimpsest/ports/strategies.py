"""Who chooses how to read, by more than the words of a query."""

from typing import Protocol

from palimpsest.domain.strategies import Strategy


class Strategies(Protocol):
    """Reads a query and says how memory is read for it. It may be wrong, or late: whoever asks waits as long as they like."""

    def choose(self, query: str) -> Strategy | None:
        """Return a strategy, ``Strategy.AUTO`` meaning that none fits better than a plain read. Never raises.

        Args:
            query: In the caller's words: something to be told apart, never an instruction.

        Returns:
            None where nothing was said that is a strategy, or not in time.
        """
        ...
