"""Associations: how strongly two concepts belong together, by what a memory has lived through.

A *lesson* is one event that says so: an atom was written, an atom answered a query, or somebody said how well it served. It
strengthens every pair of its concepts by one sum, so that lessons may arrive in any order and at the same time. An edge that
nobody strengthens fades by half in ``HALF_LIFE``.

Source:
    Cormack, Shkapenyuk, Srivastava and Xu, "Forward Decay", ICDE 2009, with an exponential: a lesson is scaled *up* by the
    time of its event and never touched again, and a reader scales down by the time of reading. What is stored is a plain
    sum, and the order of two edges never changes while nobody teaches, so that the store can keep them in order.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import combinations

from palimpsest.domain.scopes import Scope

# spec/read-memory.md §4: what one event may cost. Ten concepts are 45 pairs: stored both ways, with marker and count, 92 of the
# 100 items that a transaction holds.
MAX_CONCEPTS = 10

# How much an event strengthens a pair. A weight is 1 - exp(-sum), so that these are about the weights of a pair with one
# event behind it: .26, .10 and, for the best outcome, .26.
#   That somebody put two concepts into one memory says most.
STOOD_IN_ONE_ATOM = 0.3
#   To be found is no proof of use, and whatever is found often is found more often: a third, against that spiral.
ANSWERED_A_QUERY = 0.1
#   Somebody looked at it and said that it served: as much as writing it anew. Scaled by the outcome.
SERVED = 0.3

# A pair that was written once falls below the graph's floor of .05 after seven months and a half, one that only ever
# answered a single query after three.
HALF_LIFE = timedelta(days=90)

# Before anybody used this service, so that exponents are positive; close to it, so that they stay small.
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
# A sum is stored as a whole number of millionths: DynamoDB keeps 38 digits exactly and refuses more, and sums of whole numbers
# only grow to the left. 2^85 takes 26 digits of the 32 that are left, the others are for a million lessons in one half-life.
UNIT = 10**6
MAX_HALF_LIVES = 85
# Until 2045, that is. From then on lessons stop to grow and edges to fade, so that nothing breaks; before then, every sum
# must be divided by 2^n, and EPOCH moved on by as many half-lives.

# How many neutral outcomes an edge is born with: the first real one then moves its valence half the way and not the whole.
PRIOR_OUTCOMES = 1.0

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One event that teaches how concepts belong together.

    Attributes:
        event_id: Of the event; a lesson with an id that was learnt already teaches nothing.
        scope: Where it is learnt, and nowhere else.
        concepts: In canonical form (see ``palimpsest.domain.concepts``), the most telling first; only the first
            ``MAX_CONCEPTS`` different ones count.
        amount: How much it strengthens each pair; 0 or more.
        outcome: How well it served, from -1 to 1; None where nobody said. It scales the amount; a bad one
            strengthens nothing.
        at: When the event was.
    """

    event_id: str
    scope: Scope
    concepts: tuple[str, ...]
    amount: float
    at: datetime
    outcome: float | None = None

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of its concepts, in order, the lesser concept first: at most 45."""
        distinct = list(dict.fromkeys(self.concepts))[:MAX_CONCEPTS]
        return tuple(combinations(sorted(distinct), 2))

    @property
    def growth(self) -> "Growth":
        """What it adds to each of its pairs."""
        scale = _scale(self.at)
        if self.outcome is None:
            return Growth(strength=_units(self.amount * scale))
        return Growth(
            strength=_units(self.amount * max(self.outcome, 0.0) * scale),
            outcomes=_units(scale),
            outcome_sum=_units(self.outcome * scale),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What is summed up for a pair: whole numbers, in millionths, each scaled up by the time of its event.

    Attributes:
        strength: Of the pair. 0 teaches no new pair: a bad outcome says nothing about two concepts that never met.
        outcomes: How many outcomes there were.
        outcome_sum: Of these, each from -1 to 1.
    """

    strength: int = 0
    outcomes: int = 0
    outcome_sum: int = 0

    def __add__(self, other: "Growth") -> "Growth":
        """Return both together."""
        return Growth(
            strength=self.strength + other.strength,
            outcomes=self.outcomes + other.outcomes,
            outcome_sum=self.outcome_sum + other.outcome_sum,
        )

    def weight_at(self, now: datetime) -> float:
        """Return how strong a pair with these sums is: from 0 to 1, fading as time goes by."""
        return 1.0 - math.exp(-self.strength / UNIT / _scale(now))

    def valence_at(self, now: datetime) -> float:
        """Return how well a pair with these sums served: from -1 to 1, and 0 where nobody said.

        The mean of its outcomes, the newer ones counting more, and of ``PRIOR_OUTCOMES`` neutral ones now: each outcome moves
        it by a part of the signed error, outcome - valence, and without new ones it goes back to 0.
        """
        scale = _scale(now)
        return self.outcome_sum / UNIT / scale / (self.outcomes / UNIT / scale + PRIOR_OUTCOMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Two concepts that belong together, at one time.

    Attributes:
        source: The lesser concept as texts compare, in canonical form.
        target: The other one.
        weight: How strongly, from 0 to 1.
        valence: How well it served, from -1 to 1; 0 where nobody said.
        count: How many lessons taught it; at least 1.
        updated_at: The time of the lesson that was stored last.
    """

    source: str
    target: str
    weight: float
    valence: float
    count: int
    updated_at: datetime

    def other(self, concept: str) -> str:
        """Return the concept at the far end."""
        return self.target if concept == self.source else self.source

    @property
    def pull(self) -> float:
        """The weight, lessened by a bad valence: what a search that follows edges goes by.

        A good valence is in the weight already.
        """
        return self.weight * (1.0 + min(self.valence, 0.0))


def edge_at(now: datetime, pair: Pair, sums: Growth, *, count: int, updated_at: datetime) -> Edge:
    """Return an edge as it stands at a time."""
    return Edge(
        source=pair[0],
        target=pair[1],
        weight=sums.weight_at(now),
        valence=sums.valence_at(now),
        count=count,
        updated_at=updated_at,
    )


def strongest_first(edges: Iterable[Edge]) -> list[Edge]:
    """Return edges by weight, equal ones by their concepts: one order everywhere."""
    return sorted(edges, key=lambda edge: (-edge.weight, edge.source, edge.target))


def _scale(at: datetime) -> float:
    """Return what an event of a time counts for, as a multiple of one at ``EPOCH``; never below 1."""
    half_lives = (at - EPOCH) / HALF_LIFE
    return float(2.0 ** min(max(half_lives, 0.0), MAX_HALF_LIVES))


def _units(value: float) -> int:
    return round(value * UNIT)
