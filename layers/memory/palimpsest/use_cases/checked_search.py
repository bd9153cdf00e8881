"""Searching an index and asking the table about everything that it proposes, before anything is ranked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import SearchUnavailableError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter, matches
from palimpsest.domain.reading import is_retrieved_from_past, is_retrieved_now
from palimpsest.domain.revisions import says_what_it_said
from palimpsest.domain.search_filters import search_filter
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository, RevisionKey
from palimpsest.ports.index import Hit, Search
from palimpsest.ports.parallel import Parallel

# spec/facts.md §11. A second round replaces what the index had not heard of yet; a third, what changed meanwhile.
MAX_ROUNDS = 3

Ask = Callable[[Search], list[Hit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A hit that stood the table's check.

    Attributes:
        fact: As it stands now.
        revision: What was found of it: the fact's own, or, in a search with history, perhaps an earlier one.
        score: The hit's; see ``Hit``.
    """

    fact: Fact
    revision: Revision
    score: float

    @property
    def key(self) -> RevisionKey:
        """Tells it from every other survivor of its leg, and is the same in all legs."""
        return (self.fact.id, self.revision.version)


@dataclass(slots=True, kw_only=True)
class Leg:
    """One of the searches that are made side by side, and how far it has come.

    Attributes:
        ask: Makes the search; called once a round.
        depth: How many hits it wants that stand the table's check.
        survivors: Those it has, best first, no two of one key.
        seen: All revisions that it was offered.
        is_exhausted: The index has no more to offer.
    """

    ask: Ask
    depth: int
    survivors: list[Survivor] = field(default_factory=list)
    seen: set[RevisionKey] = field(default_factory=set)
    is_exhausted: bool = False

    @property
    def missing(self) -> int:
        """How many hits it still wants."""
        return 0 if self.is_exhausted else self.depth - len(self.survivors)

    @property
    def keys(self) -> list[RevisionKey]:
        """The survivors' keys, best first."""
        return [survivor.key for survivor in self.survivors]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What all legs of one search have in common."""

    caller: Caller
    wanted: FactFilter
    with_history: bool
    deadline: datetime


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

    def __call__(
        self, caller: Caller, wanted: FactFilter, legs: list[Leg], *, with_history: bool = False
    ) -> None:
        """Fill the legs.

        A hit survives if the fact is current, says what it said at the version that the index knows, is wanted by the filter
        and may be shown to the caller. In place of one that does not, the next best is asked for.

        With history a hit stands for the very revision that it names, and survives if that revision is the current one, was
        replaced by the fact's next, or belongs to a fact that another replaced; the filter is asked of that revision. Nothing
        of a fact that was deleted, is over, waits for review or is being erased survives.

        Raises:
            SearchUnavailableError: If the time is over before the legs are filled.
            PalimpsestError: Whatever a leg raises.
            StoreUnavailableError: If the table does not answer in time.
        """
        question = _Question(
            caller=caller,
            wanted=wanted,
            with_history=with_history,
            deadline=self.clock.now() + self.time_budget,
        )
        shown: dict[RevisionKey, tuple[Fact, Revision]] = {}
        for _ in range(MAX_ROUNDS):
            hungry = [leg for leg in legs if leg.missing]
            if not hungry:
                break
            found = self._ask(question, hungry)
            new = {_key_of(hit) for hits in found for hit in hits} - shown.keys()
            shown |= self._check(question, new)
            for leg, hits in zip(hungry, found, strict=True):
                _take(question, leg, hits, shown)

    def _ask(self, question: _Question, hungry: list[Leg]) -> list[list[Hit]]:
        now = self.clock.now()
        seconds = (question.deadline - now).total_seconds()
        if seconds <= 0:
            raise SearchUnavailableError("The search took too long.")
        searches = [partial(leg.ask, _next_search(question, leg, now=now)) for leg in hungry]
        try:
            return self.parallel.run(searches, seconds=seconds)
        except TimeoutError as error:
            raise SearchUnavailableError("The index does not answer in time.") from error

    def _check(
        self, question: _Question, hits: set[RevisionKey]
    ) -> dict[RevisionKey, tuple[Fact, Revision]]:
        """Return, of hits, those that may be shown, with their facts and what was found of them."""
        if not hits:
            return {}
        caller = question.caller
        facts, open_erasures = self.facts.load_many(caller.tenant_id, sorted({i for i, _ in hits}))
        found = self._found_of(question, facts, hits)
        now = self.clock.now()

        def is_shown(fact: Fact, revision: Revision) -> bool:
            if not question.with_history:
                return is_retrieved_now(
                    caller, fact, question.wanted, now=now, open_erasures=open_erasures
                )
            return matches(question.wanted, revision, caller) and is_retrieved_from_past(
                caller, fact, revision, now=now, open_erasures=open_erasures
            )

        return {
            hit: (facts[hit[0]], revision)
            for hit, revision in found.items()
            if is_shown(facts[hit[0]], revision)
        }

    def _found_of(
        self, question: _Question, facts: Mapping[str, Fact], hits: Iterable[RevisionKey]
    ) -> dict[RevisionKey, Revision]:
        """Return what each hit found of its fact, as the table has it; nothing where that is not there any more."""
        known = {(fact_id, version) for fact_id, version in hits if fact_id in facts}
        if not question.with_history:
            return {
                (fact_id, version): facts[fact_id].revision
                for fact_id, version in known
                if says_what_it_said(facts[fact_id], version=version)
            }
        standing = {key for key in known if facts[key[0]].version == key[1]}
        replaced = self.facts.load_revisions(question.caller.tenant_id, sorted(known - standing))
        return replaced | {key: facts[key[0]].revision for key in standing}


def _next_search(question: _Question, leg: Leg, *, now: datetime) -> Search:
    """Return what a leg asks for next.

    Each round asks as deep as the first: where much is stale, what is missing would be stale again. What was seen is skipped by
    its fact. With history that would skip the fact's other revisions, so there the search goes past what was seen.
    """
    return Search(
        filter=search_filter(question.caller, question.wanted),
        limit=_limit_of(question, leg),
        now=now,
        skip=frozenset() if question.with_history else frozenset(i for i, _ in leg.seen),
        with_history=question.with_history,
    )


def _limit_of(question: _Question, leg: Leg) -> int:
    return leg.depth + (len(leg.seen) if question.with_history else 0)


def _take(
    question: _Question,
    leg: Leg,
    hits: list[Hit],
    shown: Mapping[RevisionKey, tuple[Fact, Revision]],
) -> None:
    leg.is_exhausted = len(hits) < _limit_of(question, leg)
    taken = set(leg.keys)
    for hit in hits:
        key = _key_of(hit)
        if key in shown and key not in leg.seen and len(leg.survivors) < leg.depth:
            fact, revision = shown[key]
            survivor = Survivor(fact=fact, revision=revision, score=hit.score)
            if survivor.key not in taken:
                leg.survivors.append(survivor)
                taken.add(survivor.key)
        leg.seen.add(key)


def _key_of(hit: Hit) -> RevisionKey:
    return (hit.fact_id, hit.version)
