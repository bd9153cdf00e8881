"""Follow what was learnt from the concepts of a query to the concepts that belong to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from palimpsest.domain.associations import Edge
from palimpsest.domain.scopes import Scope
from palimpsest.ports.associations import MAX_ASKED, Associations
from palimpsest.ports.clock import Clock

# Of each concept. The strongest few carry nearly all that was learnt, and only ten in all are looked for.
NEIGHBOURS = 8
MAX_EXPANDED = 10

# What was learnt once and long ago; the graph shows nothing below it either (spec/read-memory.md §1).
MIN_PULL = 0.05

# A step leads away from what was asked: a neighbour never counts as much as the concept itself.
STEP = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowAssociations:
    """Finds the neighbours of concepts, in one scope only.

    Attributes:
        associations: What was learnt.
        clock: Edges are as they stand now.
    """

    associations: Associations
    clock: Clock

    def __call__(self, home: Scope, concepts: Iterable[str], *, depth: int) -> dict[str, float]:
        """Return the concepts that belong most to these.

        Args:
            home: The caller's: of no other scope is anything read, or one could read there what others know.
            concepts: Of the query, canonical; the first ``MAX_ASKED`` count.
            depth: How many steps away from them; 1 or 2.

        Returns:
            At most ``MAX_EXPANDED``, strongest first, each with its share in (0, 1): of the strongest pull of its step, so that
            what a young memory knows best leads as far as what an old one does.

        Raises:
            StoreUnavailableError: If the store does not answer in time.
        """
        asked = tuple(concepts)[:MAX_ASKED]
        reached = dict.fromkeys(asked, 1.0)
        next_ones: Mapping[str, float] = reached
        for _ in range(depth):
            step = self._step(home, next_ones, reached)
            next_ones = dict(list(step.items())[:MAX_EXPANDED])
            reached |= next_ones
        expanded = {concept: share for concept, share in reached.items() if concept not in asked}
        return dict(_strongest(expanded)[:MAX_EXPANDED])

    def _step(
        self, home: Scope, shares: Mapping[str, float], reached: Mapping[str, float]
    ) -> dict[str, float]:
        if not shares:
            return {}
        edges = self.associations.neighbours(
            home, list(shares), limit=NEIGHBOURS, now=self.clock.now()
        )
        pulls = _pulls(edges, shares, reached)
        most = max(pulls.values(), default=0.0)
        entered = max(shares.values())
        return dict(
            _strongest({other: STEP * entered * pull / most for other, pull in pulls.items()})
        )


def _pulls(
    edges: Mapping[str, list[Edge]], shares: Mapping[str, float], reached: Mapping[str, float]
) -> dict[str, float]:
    """Return, by concept that is new, the strongest pull that leads to it."""
    pulls: dict[str, float] = {}
    for concept, around in edges.items():
        for edge in around:
            other = edge.other(concept)
            if edge.pull >= MIN_PULL and other not in reached:
                pulls[other] = max(pulls.get(other, 0.0), edge.pull * shares[concept])
    return pulls


def _strongest(shares: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
