"""Searching an index and asking the table about everything that it proposes, before anything is ranked."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import SearchUnavailableError
from palimpsest.domain.facts import Fact
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.reading import is_retrieved_now
from palimpsest.domain.revisions import says_what_it_said
from palimpsest.domain.search_filters import search_filter
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.index import Hit, Search
from palimpsest.ports.parallel import Parallel

# spec/facts.md §11. A second round replaces what the index had not heard of yet; a third, what changed meanwhile.
MAX_ROUNDS = 3

Ask = Callable[[Search], list[Hit]]


@dataclass(slots=True, kw_only=True)
class Leg:
    """One of the searches that are made side by side, and how far it has come.

    Attributes:
        ask: Makes the search; called once a round, with what was seen already to be skipped.
        depth: How many hits it wants that stand the table's check.
        survivors: Those it has, best first.
        seen: Ids of all facts that it was offered.
        is_exhausted: The index has no more to offer.
    """

    ask: Ask
    depth: int
    survivors: list[Hit] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    is_exhausted: bool = False

    @property
    def missing(self) -> int:
        """How many hits it still wants."""
        return 0 if self.is_exhausted else self.depth - len(self.survivors)

    @property
    def fact_ids(self) -> list[str]:
        """The survivors' ids, best first."""
        return [hit.fact_id for hit in self.survivors]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSearch:
    """Runs searches side by side until each has enough hits that may be shown.

    Attributes:
        facts: The truth.
        parallel: Runs the searches.
        clock: The time of day.
        time_budget: From the first search on; above 0.
    """

    facts: FactRepository
    parallel: Parallel
    clock: Clock
    time_budget: timedelta

    def __call__(self, caller: Caller, wanted: FactFilter, legs: list[Leg]) -> dict[str, Fact]:
        """Fill the legs and return the facts of all their survivors, by id.

        A hit survives if the fact is current, says what it said at the version that the index knows, is wanted by the filter
        and may be shown to the caller. In place of one that does not, the next best is asked for.

        Raises:
            SearchUnavailableError: If the time is over before the legs are filled.
            PalimpsestError: Whatever a leg raises.
            StoreUnavailableError: If the table does not answer in time.
        """
        deadline = self.clock.now() + self.time_budget
        shown: dict[str, Fact] = {}
        for _ in range(MAX_ROUNDS):
            hungry = [leg for leg in legs if leg.missing]
            if not hungry:
                break
            found = self._ask(caller, wanted, hungry, deadline)
            new = {hit.fact_id for hits in found for hit in hits} - shown.keys()
            shown |= self._load(caller, wanted, sorted(new))
            for leg, hits in zip(hungry, found, strict=True):
                _take(leg, hits, shown)
        return shown

    def _ask(
        self, caller: Caller, wanted: FactFilter, hungry: list[Leg], deadline: datetime
    ) -> list[list[Hit]]:
        now = self.clock.now()
        seconds = (deadline - now).total_seconds()
        if seconds <= 0:
            raise SearchUnavailableError("The search took too long.")
        narrowed = search_filter(caller, wanted)
        searches = [
            partial(
                leg.ask,
                # Each round asks as deep as the first: where much is stale, what is missing would be stale again.
                Search(filter=narrowed, limit=leg.depth, now=now, skip=frozenset(leg.seen)),
            )
            for leg in hungry
        ]
        try:
            return self.parallel.run(searches, seconds=seconds)
        except TimeoutError as error:
            raise SearchUnavailableError("The index does not answer in time.") from error

    def _load(self, caller: Caller, wanted: FactFilter, fact_ids: list[str]) -> dict[str, Fact]:
        if not fact_ids:
            return {}
        facts, open_erasures = self.facts.load_many(caller.tenant_id, fact_ids)
        now = self.clock.now()
        return {
            fact_id: fact
            for fact_id, fact in facts.items()
            if is_retrieved_now(caller, fact, wanted, now=now, open_erasures=open_erasures)
        }


def _take(leg: Leg, hits: list[Hit], shown: dict[str, Fact]) -> None:
    leg.is_exhausted = len(hits) < leg.depth
    for hit in hits:
        fact = shown.get(hit.fact_id)
        is_fresh = fact is not None and says_what_it_said(fact, version=hit.version)
        if is_fresh and hit.fact_id not in leg.seen and len(leg.survivors) < leg.depth:
            leg.survivors.append(hit)
        leg.seen.add(hit.fact_id)
