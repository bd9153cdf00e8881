"""Walking through the atoms that a caller may see."""

from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.facts import Fact
from palimpsest.domain.feeds import Feed
from palimpsest.domain.filters import matches
from palimpsest.domain.reading import is_atom_shown
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactQuery, FactRepository, FactWalk
from palimpsest.use_cases.walks import Collected, collect

# Atoms lie among all the other facts of their audiences, and a domain among all its atoms: where a first walk of the size of
# the page finds too few, further ones go deeper, so that an empty page before the end is rare. Together they look at some
# 14,000 facts of each partition and take about a second; a page that is still short goes on with its cursor.
MAX_WALKS = 4
DEEP_PAGE_SIZE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomWalks:
    """Finds the atoms of a feed, newest first.

    Attributes:
        facts: Where they are kept.
        clock: The time of day.
    """

    facts: FactRepository
    clock: Clock

    def __call__(self, caller: Caller, feed: Feed, *, before: str | None, limit: int) -> Collected:
        """Return up to ``limit`` atoms with ids below ``before``, and where to go on.

        It goes on only if another atom is known to follow, or the budget of reads ended the walk: never for what turns out to
        be nothing at the end of a full page.

        Raises:
            StoreUnavailableError: If the store does not answer in time.
        """
        found: list[Fact] = []
        position = min((i for i in (before, feed.ceiling) if i is not None), default=None)
        for number in range(MAX_WALKS):
            missing = limit + 1 - len(found)
            walked = self._walk(
                caller, feed, position, missing if number == 0 else DEEP_PAGE_SIZE, missing
            )
            found += walked.facts
            position = walked.resume_before
            if len(found) > limit or position is None:
                break
        if len(found) > limit:
            return Collected(facts=found[:limit], resume_before=found[limit - 1].id)
        return Collected(facts=found, resume_before=position)

    def _walk(
        self, caller: Caller, feed: Feed, before: str | None, page_size: int, missing: int
    ) -> Collected:
        walk = self.facts.walk(
            FactQuery(
                caller=caller,
                wanted=feed.wanted,
                with_closed=feed.with_replaced,
                before=before,
                page_size=page_size,
            )
        )
        return collect(
            walk, lambda fact: self._is_wanted(caller, feed, walk, fact), missing, floor=feed.floor
        )

    def _is_wanted(self, caller: Caller, feed: Feed, walk: FactWalk, fact: Fact) -> bool:
        return (
            (feed.with_replaced or not fact.is_replaced)
            and matches(feed.wanted, fact.revision, caller)
            and feed.takes(fact)
            and is_atom_shown(caller, fact, now=self.clock.now(), open_erasures=walk.open_erasures)
        )
