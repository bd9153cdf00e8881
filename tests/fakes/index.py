"""An index of facts in memory: held to its port by ``tests/contract/test_index.py``."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from palimpsest.domain.search_tokens import clauses_of
from palimpsest.domain.words import query_words, text_words
from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import Hit, IndexedAs, IndexedFact, Search

from tests.fakes.clock import FakeClock
from tests.fakes.faults import Faults

# Enough of English for tests, longest first.
ENDINGS = ("ing", "es", "ed", "s", "e")


@dataclass
class FakeFactIndex:
    """See ``palimpsest.ports.index.FactIndex``: scores are the number of shared words, and the cosine.

    Attributes:
        clock: What the delay is measured on.
        visibility_delay: A write shows in searches this much later.
        overlooks_unseen: ``remove`` and ``archive`` take away only what can be seen by then, as an engine does that has to
            search for what it deletes: an earlier ``put`` that becomes visible afterwards stays.
        faults: What goes wrong with the next call of any kind.
        refused: Facts that cannot be indexed now: every write returns those of them that it was given.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    visibility_delay: timedelta = timedelta(0)
    overlooks_unseen: bool = False
    faults: Faults = field(default_factory=Faults)
    refused: set[str] = field(default_factory=set)
    _current: dict[tuple[str, str], IndexedFact] = field(default_factory=dict)
    _history: dict[tuple[str, str, int], IndexedFact] = field(default_factory=dict)
    _unseen: list[tuple[datetime, Callable[[], None]]] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def put(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        with self._lock:
            self._catch_up()
            new = [fact for fact in facts if _key_of(fact) not in self._history]
            return self._write([(fact.fact_id, self._putting(fact)) for fact in new])

    def retire(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        return self._write([(fact.fact_id, self._retiring(fact)) for fact in facts])

    def archive(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        with self._lock:
            self._catch_up()
            seen = [
                f for f in facts if not self.overlooks_unseen or _key_of(f)[:2] in self._current
            ]
            kept = [(fact.fact_id, self._retiring(fact)) for fact in facts]
            return self._write([*kept, *((f.fact_id, self._departing(f)) for f in seen)])

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> frozenset[str]:
        with self._lock:
            self._catch_up()
            if self.overlooks_unseen:
                fact_ids = [i for i in fact_ids if i in self.refused or self._holds(tenant_id, i)]
            return self._write([(i, self._removing(tenant_id, i)) for i in fact_ids])

    def keyword_search(self, query: str, search: Search) -> list[Hit]:
        words = {_stem(word) for word in query_words(query)}
        return self._search(
            search,
            lambda fact: len(words & {_stem(word) for word in text_words(fact.text)}) or None,
        )

    def vector_search(self, vector: Sequence[float], search: Search) -> list[Hit]:
        return self._search(
            search, lambda fact: None if fact.vector is None else _cosine(vector, fact.vector)
        )

    def find_indexed(self, tenant_id: str, fact_ids: Sequence[str]) -> dict[str, IndexedAs]:
        with self.faults.strike(), self._lock:
            self._catch_up()
            found = {fact_id: self._current.get((tenant_id, fact_id)) for fact_id in fact_ids}
            return {i: fact.indexed_as for i, fact in found.items() if fact is not None}

    def find_archived(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, IndexedAs]:
        with self.faults.strike(), self._lock:
            self._catch_up()
            found = {key: self._history.get((tenant_id, *key)) for key in revisions}
            return {key: fact.indexed_as for key, fact in found.items() if fact is not None}

    def settle(self) -> None:
        """Make every write visible now."""
        with self._lock:
            for _, act in self._unseen:
                act()
            self._unseen.clear()

    def _write(self, acts: Iterable[tuple[str, Callable[[], None]]]) -> frozenset[str]:
        with self.faults.strike(), self._lock:
            visible_at = self.clock.now() + self.visibility_delay
            named = list(acts)
            self._unseen += [(visible_at, act) for i, act in named if i not in self.refused]
            self._catch_up()
            return frozenset(fact_id for fact_id, _ in named) & self.refused

    def _catch_up(self) -> None:
        now = self.clock.now()
        due = [act for visible_at, act in self._unseen if visible_at <= now]
        self._unseen = [(visible_at, act) for visible_at, act in self._unseen if visible_at > now]
        for act in due:
            act()

    def _holds(self, tenant_id: str, fact_id: str) -> bool:
        places = {*self._current, *(place[:2] for place in self._history)}
        return (tenant_id, fact_id) in places

    def _putting(self, fact: IndexedFact) -> Callable[[], None]:
        place = (fact.scope.tenant_id, fact.fact_id)

        def put() -> None:
            standing = self._current.get(place)
            if standing is None or standing.version <= fact.version:
                self._current[place] = fact

        return put

    def _retiring(self, fact: IndexedFact) -> Callable[[], None]:
        def retire() -> None:
            self._history[_key_of(fact)] = fact

        return retire

    def _departing(self, fact: IndexedFact) -> Callable[[], None]:
        place = (fact.scope.tenant_id, fact.fact_id)

        def depart() -> None:
            standing = self._current.get(place)
            if standing is not None and standing.version <= fact.version:
                del self._current[place]

        return depart

    def _removing(self, tenant_id: str, fact_id: str) -> Callable[[], None]:
        def remove() -> None:
            self._current.pop((tenant_id, fact_id), None)
            for place in [p for p in self._history if p[:2] == (tenant_id, fact_id)]:
                del self._history[place]

        return remove

    def _search(self, search: Search, score: Callable[[IndexedFact], float | None]) -> list[Hit]:
        with self.faults.strike(), self._lock:
            self._catch_up()
            current, history = self._current.values(), self._history.values()
            facts = {
                (fact.fact_id, fact.version): fact
                for fact in ([*history, *current] if search.with_history else current)
                if _is_wanted(fact, search)
            }
        scored = [(score(fact), fact) for fact in facts.values()]
        hits = [
            Hit(fact_id=f.fact_id, version=f.version, score=s) for s, f in scored if s is not None
        ]
        hits.sort(key=lambda hit: (hit.score, hit.fact_id, hit.version), reverse=True)
        return hits[: search.limit]


def _key_of(fact: IndexedFact) -> tuple[str, str, int]:
    return (fact.scope.tenant_id, fact.fact_id, fact.version)


def _is_wanted(fact: IndexedFact, search: Search) -> bool:
    return (
        fact.fact_id not in search.skip
        and (fact.expires_at is None or fact.expires_at > search.now)
        and all(clause & fact.tokens for clause in clauses_of(search.filter))
    )


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _cosine(left: Sequence[float], right: Sequence[float]) -> float:
    # Both have unit length.
    return max(-1.0, min(1.0, sum(a * b for a, b in zip(left, right, strict=True))))
