"""How new a text is beside what its writer has kept already: reported as an atom's importance, and nothing is decided by it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from palimpsest.domain.atoms import ATOM_TYPE
from palimpsest.domain.errors import EmbeddingUnavailableError, SearchUnavailableError, StoreError
from palimpsest.domain.facts import Fact
from palimpsest.domain.labels import Label, LabelGroups, LabelKind, home_label, labels_of, meets
from palimpsest.domain.likeness import cosine
from palimpsest.domain.projection import Shelf, shelf_of
from palimpsest.domain.revisions import says_what_it_said
from palimpsest.domain.scopes import Scope
from palimpsest.domain.search_filters import SearchFilter
from palimpsest.ports.clock import Clock
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.index import FactIndex, Hit, Search
from palimpsest.ports.parallel import Parallel

# spec/read-memory.md §2: a writer waits so long for it, a batch as long as a single one.
TIME_BUDGET = timedelta(milliseconds=500)

# The nearest may be gone from the table and not yet from the index. If so many are, how new the text is stays unknown.
NEAREST = 20

# A batch is embedded a few at a time, so that time that is over costs the last ones their answer and not all of them.
TEXTS_AT_ONCE = 16

# What an answer to the writer does not wait for.
NOT_NOW = (TimeoutError, StoreError, SearchUnavailableError, EmbeddingUnavailableError)

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Novelty:
    """Tells how new a text is: 1 less the highest cosine to another one of its domain, in [0, 1].

    No call raises for want of an index, a model, a store or time: then it is not known. An atom that was written within the
    index's delay is not seen.

    Attributes:
        facts: The truth: what was deleted, replaced or erased since it was indexed does not count.
        index: Proposes the nearest; None where this deployment has none.
        embeddings: What the index's vectors were made with; None where this deployment has none.
        parallel: Lets go of what takes too long.
        clock: The time of day.
    """

    facts: FactRepository
    index: FactIndex | None
    embeddings: Embeddings | None
    parallel: Parallel
    clock: Clock

    def of(self, scope: Scope, domain: str, text: str) -> float | None:
        """Return how new a text is beside the current atoms of a domain in exactly this scope.

        One embedding, one search, one look at the table.

        Args:
            scope: The writer's own, so that the number tells nobody of what they may not see.
            domain: As it is written.
            text: Not blank.

        Returns:
            1 where there is no such atom; None where it is not known in time.
        """
        index, embeddings = self.index, self.embeddings
        if index is None or embeddings is None:
            return None
        home, collection = home_label(scope), Label(LabelKind.DOMAIN, domain)
        labels: LabelGroups = (frozenset({home}), frozenset({collection}))
        search = Search(
            filter=SearchFilter(
                tenant_id=scope.tenant_id, audiences=None, type=ATOM_TYPE, labels=labels
            ),
            limit=NEAREST,
            now=self.clock.now(),
        )

        def ask() -> float | None:
            (vector,) = embeddings.embed_texts([text])
            return self._beside(index.vector_search(vector, search), search)

        return self._in_time(ask, TIME_BUDGET)

    def within(self, texts: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return how new each text of a batch is beside those before it: what is kept already is not looked at.

        Args:
            texts: Domain and text of each, none blank.

        Returns:
            In their order; 1 for the first of a domain. When the time is over, None for all that are left.
        """
        deadline = self.clock.now() + TIME_BUDGET
        known: list[float | None] = []
        before: dict[str, list[Sequence[float]]] = {}
        for domain, vector in self._embedded(texts, deadline):
            others = before.setdefault(domain, [])
            # Hundreds of texts of one domain take longer to compare than the writer is kept waiting.
            if self.clock.now() >= deadline:
                break
            known.append(_novelty(max((cosine(other, vector) for other in others), default=0.0)))
            others.append(vector)
        return [*known, *[None] * (len(texts) - len(known))]

    def _embedded(
        self, texts: Sequence[tuple[str, str]], deadline: datetime
    ) -> Iterator[tuple[str, Sequence[float]]]:
        """Yield domain and vector of each text, in their order, as far as the time reaches."""
        embeddings = self.embeddings
        if embeddings is None:
            return
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = texts[start : start + TEXTS_AT_ONCE]
            ask = partial(embeddings.embed_texts, [text for _, text in chunk])
            vectors = self._in_time(ask, deadline - self.clock.now())
            if vectors is None:
                return
            yield from zip((domain for domain, _ in chunk), vectors, strict=True)

    def _in_time(self, ask: Callable[[], Answer], left: timedelta) -> Answer | None:
        """Return an answer, or None where it does not come, or not in the time that is left."""
        seconds = left.total_seconds()
        if seconds <= 0:
            return None
        try:
            (answer,) = self.parallel.run([ask], seconds=seconds)
        except NOT_NOW:
            return None
        return answer

    def _beside(self, nearest: Sequence[Hit], search: Search) -> float | None:
        """Return how new a text is beside the first of its neighbours, nearest first, that still stands."""
        tenant_id = search.filter.tenant_id
        facts, open_erasures = self.facts.load_many(tenant_id, [hit.fact_id for hit in nearest])
        now = self.clock.now()
        for hit in nearest:
            fact = facts.get(hit.fact_id)
            is_current = shelf_of(fact, now=now, open_erasures=open_erasures) is Shelf.CURRENT
            if fact is not None and is_current and _is_meant(fact, hit, search.filter):
                return _novelty(hit.score)
        return None if len(nearest) == search.limit else _novelty(0.0)


def _is_meant(fact: Fact, hit: Hit, wanted: SearchFilter) -> bool:
    """Tell whether a fact is still what the index found it as."""
    return (
        says_what_it_said(fact, version=hit.version)
        and fact.revision.type == wanted.type
        and meets(labels_of(fact.revision), wanted.labels)
    )


def _novelty(similarity: float) -> float:
    return 1.0 - max(0.0, min(1.0, similarity))
