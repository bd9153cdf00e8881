"""Edges between concepts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from palimpsest.domain.associations import Edge, Lesson
from palimpsest.domain.scopes import Scope

# How many concepts one call asks for: each is a read of its own.
MAX_ASKED = 40


class Associations(Protocol):
    """Keeps, for each exact scope apart, how strongly concepts belong together: one edge for each unordered pair.

    What is learnt shows up in ``neighbours`` a little later. Every method may raise ``StoreUnavailableError`` and
    ``StoreFailedError``.
    """

    def learn(self, lesson: Lesson) -> bool:
        """Add what a lesson teaches to every pair of its concepts, in its scope: all of it, or nothing.

        Sums are added up by the store, so that lessons that come at the same time lose nothing of each other. A lesson that
        strengthens nothing (see ``Growth``) only touches edges that there are.

        Args:
            lesson: What is taught. One with fewer than two different concepts teaches nothing.

        Returns:
            True if it was learnt now, or teaches nothing; False if an event of that id was learnt in that scope within the
            last month.

        Raises:
            WriteConflictError: If another lesson was in the way, or changed which edges there are at the same time; nothing
                was learnt, and trying again helps.
            StoreUnavailableError: If it is not known whether it was learnt; trying again is safe.
        """
        ...

    def neighbours(
        self, scope: Scope, concepts: Sequence[str], *, limit: int, now: datetime
    ) -> dict[str, list[Edge]]:
        """Return the strongest edges of each concept, in exactly this scope.

        One bounded read a concept, side by side: what it costs does not depend on how many edges a concept has.

        Args:
            scope: Of no other one is anything read.
            concepts: At most ``MAX_ASKED``, in canonical form.
            limit: Of edges for each concept, at least 1.
            now: Edges are as they stand at this time.

        Returns:
            By each of the concepts, in their order: at most ``limit`` edges, strongest first; empty for one that is not known.
        """
        ...

    def count_edges(self, scopes: Sequence[Scope]) -> int:
        """Return how many edges these scopes have together; each scope counts once."""
        ...
