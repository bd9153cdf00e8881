"""Read graph: the associations around some concepts, as the caller's own memory has learnt them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.associations import Edge, Pair, strongest_first
from palimpsest.domain.callers import Caller
from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.homes import home_of
from palimpsest.domain.scopes import Scope
from palimpsest.domain.sight import may_see
from palimpsest.ports.associations import MAX_ASKED, Associations
from palimpsest.ports.clock import Clock

# spec/read-memory.md §1, the row of graph.
MAX_SEEDS = 20
MAX_DEPTH = 3
MAX_EDGES = 500
DEFAULT_EDGES = 100

# The same row: whoever walks on from concept to concept and names no floor walks over no weaker edge than this.
FLOOR = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRequest:
    """What is asked.

    Attributes:
        seeds: Where the walk begins; as written, at most ``MAX_SEEDS``.
        depth: How many edges it goes at most, 1 to ``MAX_DEPTH``.
        min_weight: Weaker edges do not exist; None for ``FLOOR`` where the walk may go on from the seeds' neighbours, else for
            none.
        limit: Of edges, 1 to ``MAX_EDGES``.
    """

    seeds: Sequence[str]
    depth: int = 1
    min_weight: float | None = None
    limit: int = DEFAULT_EDGES

    @property
    def floor(self) -> float:
        """The least weight of an edge that exists for this request."""
        if self.min_weight is not None:
            return self.min_weight
        return FLOOR if self.depth > 1 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One concept of a graph.

    Attributes:
        concept: In canonical form.
        degree: How many of the answer's edges it has, at least 1.
    """

    concept: str
    degree: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAnswer:
    """A part of what a memory has learnt.

    Attributes:
        nodes: Every concept of the edges, those with most edges first, equal ones by their names.
        edges: The strongest first, equal ones by their concepts.
        is_truncated: Whether there are more within the depth than were looked at or than the limit lets through.
        min_weight_applied: The least weight that an edge could have.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    is_truncated: bool
    min_weight_applied: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGraph:
    """Walks the edges of the caller's home, breadth first, and of no other scope.

    It makes at most ``MAX_SEEDS`` and, for each further step, ``MAX_ASKED`` reads, side by side: 100 in all, each of at most
    ``limit`` + 1 edges.
    """

    associations: Associations
    clock: Clock

    def __call__(self, caller: Caller, request: GraphRequest) -> GraphAnswer:
        """Return the edges that lie within some steps of the seeds; empty where no seed is known.

        Nearer edges are taken before farther ones, and among equally near ones the stronger.

        Raises:
            PermissionDeniedError: If the caller has no home.
            StoreUnavailableError: If the store does not answer in time.
        """
        home = home_of(caller)
        if not may_see(caller, home):
            return _answer([], request, is_truncated=False)
        return self._walk(home, request, self.clock.now())

    def _walk(self, home: Scope, request: GraphRequest, now: datetime) -> GraphAnswer:
        frontier = [*filter(None, dict.fromkeys(map(canonical_concept, request.seeds)))]
        met = set(frontier)
        kept: dict[Pair, Edge] = {}
        is_cut = False
        for step in range(request.depth):
            for edge in self._edges(home, frontier, request, now):
                kept.setdefault((edge.source, edge.target), edge)
            if len(kept) > request.limit:
                return _answer([*kept.values()][: request.limit], request, is_truncated=True)
            ends = dict.fromkeys(end for edge in kept.values() for end in _ends(edge))
            beyond = [concept for concept in ends if concept not in met]
            if not beyond:
                break
            is_cut = is_cut or (step + 1 < request.depth and len(beyond) > MAX_ASKED)
            met |= set(beyond)
            frontier = beyond[:MAX_ASKED]
        return _answer([*kept.values()], request, is_truncated=is_cut)

    def _edges(
        self, home: Scope, frontier: list[str], request: GraphRequest, now: datetime
    ) -> list[Edge]:
        """Return one step's edges. One more of each concept than the limit: enough to know that there are more."""
        found = self.associations.neighbours(home, frontier, limit=request.limit + 1, now=now)
        edges = (edge for edges in found.values() for edge in edges)
        return strongest_first(edge for edge in edges if edge.weight >= request.floor)


def _ends(edge: Edge) -> Pair:
    return edge.source, edge.target


def _answer(edges: list[Edge], request: GraphRequest, *, is_truncated: bool) -> GraphAnswer:
    degrees: dict[str, int] = {}
    for edge in edges:
        for end in _ends(edge):
            degrees[end] = degrees.get(end, 0) + 1
    nodes = [Node(concept=concept, degree=degree) for concept, degree in degrees.items()]
    return GraphAnswer(
        nodes=tuple(sorted(nodes, key=lambda node: (-node.degree, node.concept))),
        edges=tuple(strongest_first(edges)),
        is_truncated=is_truncated,
        min_weight_applied=request.floor,
    )
