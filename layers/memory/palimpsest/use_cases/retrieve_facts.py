"""Retrieve facts: by words, by meaning, by both, or simply the newest."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import cache

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import (
    BadInputError,
    EmbeddingUnavailableError,
    SearchUnsupportedError,
    SemanticUnavailableError,
)
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter, check_filter
from palimpsest.domain.ranking import reciprocal_rank_fusion
from palimpsest.domain.reading import is_retrieved_now
from palimpsest.domain.words import query_words
from palimpsest.ports.clock import Clock
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.facts import FactQuery, FactRepository
from palimpsest.ports.index import FactIndex, Hit, Search
from palimpsest.ports.parallel import Parallel
from palimpsest.use_cases.budgets import count_fitting
from palimpsest.use_cases.checked_search import Ask, CheckedSearch, Leg
from palimpsest.use_cases.walks import Collected, collect

# spec/facts.md §11: what is far down in one ranking may still win by standing in the other as well.
FUSION_DEPTH = 50

# Facts a page, once a first page of a list's own length was not enough: the filter drops most of what is read, and a list of
# one would ask the store for two facts at a time until its time is over.
FURTHER_PAGE_SIZE = 100


class Mode(StrEnum):
    """How facts are found."""

    LIST = "list"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """What is asked for.

    Attributes:
        mode: How to find it.
        query: In the caller's words, never syntax; not looked at for ``list``.
        wanted: What the search is narrowed to.
        limit: At most so many facts; 1 to 100.
        embedding_model: The model that a search by meaning must be made with; None for whichever this deployment has. The
            modes that do not embed do not look at it.
    """

    mode: Mode
    query: str = ""
    wanted: FactFilter = field(default_factory=FactFilter)
    limit: int
    embedding_model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One fact that was found.

    Attributes:
        revision: Its current one.
        score: Higher is better; what it means depends on the mode. None for ``list``.
    """

    revision: Revision
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What was found.

    Attributes:
        results: Best first; for ``list``, newest first.
        is_truncated: More was found than one answer holds, or there was no time to read a list to its end.
    """

    results: list[Found]
    is_truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveFacts:
    """Finds current facts that a caller may see.

    Attributes:
        facts: The truth: every candidate is checked against it before it is ranked.
        index: Proposes candidates; None where this deployment has none, and only lists.
        embeddings: What the index's vectors were made with; None where this deployment has none.
        parallel: Runs the two searches of ``both``.
        clock: The time of day.
        measure: Bytes that a revision takes in the answer as it is sent, the score beside it included.
        time_budget: How long the searches may take.
    """

    facts: FactRepository
    index: FactIndex | None
    embeddings: Embeddings | None
    parallel: Parallel
    clock: Clock
    measure: Callable[[Revision], int]
    time_budget: timedelta

    def __call__(self, caller: Caller, request: RetrieveRequest) -> Retrieved:
        """Return the best facts.

        Raises:
            ScopeMismatchError: If the filter names another tenant.
            KeyProjectMismatchError: If it names another project than the key is limited to.
            SearchUnsupportedError: If a search is asked for, and there is no index here.
            SemanticUnavailableError: If meaning is asked for, and there are no embeddings here or they do not answer.
            BadInputError: If meaning is asked for with another model than this deployment's.
            SearchUnavailableError: If the index does not answer in time.
            StoreUnavailableError: If the table does not answer in time.
        """
        check_filter(request.wanted, caller)
        if request.mode is Mode.LIST:
            found, is_whole = self._newest(caller, request)
        else:
            found, is_whole = self._best(caller, request), True
        count = count_fitting(self.measure(one.revision) for one in found)
        return Retrieved(results=found[:count], is_truncated=count < len(found) or not is_whole)

    def _newest(self, caller: Caller, request: RetrieveRequest) -> tuple[list[Found], bool]:
        """Return the newest facts, and whether the list was read as far as it was asked for."""
        deadline = self.clock.now() + self.time_budget
        found: list[Fact] = []
        before: str | None = None
        while True:
            query = FactQuery(
                caller=caller,
                wanted=request.wanted,
                before=before,
                page_size=request.limit if before is None else FURTHER_PAGE_SIZE,
            )
            collected = self._walk(query, request.limit - len(found))
            found += collected.facts
            before = collected.resume_before
            is_done = before is None or len(found) == request.limit
            if is_done or self.clock.now() >= deadline:
                return [Found(revision=fact.revision) for fact in found], is_done

    def _walk(self, query: FactQuery, limit: int) -> Collected:
        walk, now = self.facts.walk(query), self.clock.now()

        def is_wanted(fact: Fact) -> bool:
            return is_retrieved_now(
                query.caller, fact, query.wanted, now=now, open_erasures=walk.open_erasures
            )

        return collect(walk, is_wanted, limit)

    def _best(self, caller: Caller, request: RetrieveRequest) -> list[Found]:
        asks = self._asks(request)
        if not query_words(request.query):
            return []  # no word left to look for: that is nothing, not everything
        depth = request.limit if len(asks) == 1 else max(request.limit, FUSION_DEPTH)
        legs = [Leg(ask=ask, depth=depth) for ask in asks]
        search = CheckedSearch(
            facts=self.facts,
            parallel=self.parallel,
            clock=self.clock,
            time_budget=self.time_budget,
        )
        search(caller, request.wanted, legs)
        found = {survivor.fact.id: survivor for leg in legs for survivor in leg.survivors}
        scored = (
            [(survivor.fact.id, survivor.score) for survivor in legs[0].survivors]
            if len(legs) == 1
            else reciprocal_rank_fusion([[s.fact.id for s in leg.survivors] for leg in legs])
        )
        return [
            Found(revision=found[fact_id].revision, score=score)
            for fact_id, score in scored[: request.limit]
        ]

    def _asks(self, request: RetrieveRequest) -> list[Ask]:
        """Return the searches of a mode, by words first: that decides ties."""
        index = self.index
        if index is None:
            raise SearchUnsupportedError(
                "This deployment has no index: it takes the mode list only."
            )
        asks: list[Ask] = []
        if request.mode is not Mode.SEMANTIC:
            asks.append(lambda search: index.keyword_search(request.query, search))
        if request.mode is not Mode.KEYWORD:
            asks.append(self._by_meaning(request, index))
        return asks

    def _by_meaning(self, request: RetrieveRequest, index: FactIndex) -> Ask:
        embeddings = self.embeddings
        if embeddings is None:
            raise SemanticUnavailableError("This deployment has no embeddings.")
        if request.embedding_model not in (None, embeddings.model_id):
            raise BadInputError(
                f"embeddingModel: this deployment embeds with {embeddings.model_id} only.",
                field="embeddingModel",
            )
        # Once a request, however many rounds there are.
        embed = cache(lambda: embeddings.embed_query(request.query))

        def ask(search: Search) -> list[Hit]:
            try:
                vector = embed()
            except EmbeddingUnavailableError as error:
                raise SemanticUnavailableError("The embeddings do not answer now.") from error
            return index.vector_search(vector, search)

        return ask
