"""Every fact of every tenant, for whoever compares or rebuilds what is made from facts. No request path asks this."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from palimpsest.domain.facts import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class CensusPage:
    """Some facts.

    Attributes:
        facts: As they stand, deleted ones too; in no order. May be empty before the end.
        resume_after: What to ask for next; None at the end, and only there.
    """

    facts: Sequence[Fact]
    resume_after: str | None


class Census(Protocol):
    """Reads all facts, page by page; costs a read of everything that is stored."""

    def read(self, after: str | None = None) -> CensusPage:
        """Return a page of facts, read consistently.

        A fact that is there from the first page to the last is met exactly once; one that comes or goes meanwhile may be met.

        Args:
            after: ``resume_after`` of the page before; None to start.

        Raises:
            StoreUnavailableError: If the store does not answer in time; asking again is safe.
        """
        ...

    def estimate_items(self) -> int:
        """Return about how many items are stored, earlier revisions and all else included; hours old, 0 at first."""
        ...
