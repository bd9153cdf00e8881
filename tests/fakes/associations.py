"""Associations in memory: held to their port by ``tests/contract/test_associations.py``."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from palimpsest.domain.associations import Edge, Growth, Lesson, Pair, edge_at, strongest_first
from palimpsest.domain.scopes import Scope
from palimpsest.ports.associations import MAX_ASKED

from tests.fakes.faults import Faults


@dataclass
class _Kept:
    sums: Growth
    count: int
    updated_at: datetime


@dataclass
class FakeAssociations:
    """See ``palimpsest.ports.associations.Associations``.

    Attributes:
        faults: What goes wrong with the next call of any kind.
        asked: How many concepts each call of ``neighbours`` asked for.
    """

    faults: Faults = field(default_factory=Faults)
    asked: list[int] = field(default_factory=list)
    _edges: dict[tuple[str, Pair], _Kept] = field(default_factory=dict)
    _events: set[tuple[str, str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def learn(self, lesson: Lesson) -> bool:
        with self.faults.strike(), self._lock:
            place = _place(lesson.scope)
            if not lesson.pairs:
                return True
            if (place, lesson.event_id) in self._events:
                return False
            self._events.add((place, lesson.event_id))
            growth = lesson.growth
            for pair in lesson.pairs:
                kept = self._edges.get((place, pair))
                if kept is not None:
                    kept.sums += growth
                    kept.count, kept.updated_at = kept.count + 1, lesson.at
                elif growth.strength:
                    self._edges[place, pair] = _Kept(growth, 1, lesson.at)
            return True

    def neighbours(
        self, scope: Scope, concepts: Sequence[str], *, limit: int, now: datetime
    ) -> dict[str, list[Edge]]:
        assert len(concepts) <= MAX_ASKED
        with self.faults.strike(), self._lock:
            self.asked.append(len(concepts))
            edges = [
                edge_at(now, pair, kept.sums, count=kept.count, updated_at=kept.updated_at)
                for (place, pair), kept in self._edges.items()
                if place == _place(scope)
            ]
            return {
                concept: strongest_first(e for e in edges if concept in (e.source, e.target))[
                    :limit
                ]
                for concept in concepts
            }

    def count_edges(self, scopes: Sequence[Scope]) -> int:
        with self.faults.strike(), self._lock:
            places = {_place(scope) for scope in scopes}
            return sum(place in places for place, _ in self._edges)


def _place(scope: Scope) -> str:
    return repr(sorted(scope.items()))
