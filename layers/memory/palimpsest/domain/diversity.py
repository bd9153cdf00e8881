"""Which of many candidates make the answer: the best, or the best that do not repeat each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.likeness import calibrated, cosine

# spec/read-memory.md §3. A pick compares each candidate with the one picked before: 200 by 199 cosines at most, half a second.
MAX_DIVERSE_CANDIDATES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Diverse:
    """One candidate of a selection.

    Attributes:
        relevance: In [0, 1].
        vector: ``(d,)`` floats of unit length; None where there is none: it counts as unlike all others.
    """

    relevance: float
    vector: Sequence[float] | None


def diversify(
    candidates: Sequence[Diverse], *, count: int, diversity: float, noise: float
) -> list[int]:
    """Select candidates one at a time, each the one that best trades its relevance against its likeness to those picked.

    Args:
        candidates: Best first; at most ``MAX_DIVERSE_CANDIDATES``.
        count: How many are wanted; at least 1.
        diversity: Weight of the likeness, in [0, 1]; relevance has the rest.
        noise: See ``calibrated``.

    Returns:
        Positions of those selected, in the order of the candidates: at most ``count``, always with the first.

    Source:
        Carbonell and Goldstein, SIGIR 1998 (maximal marginal relevance), their λ being ``1 - diversity``. Unlike there, cosines
        are calibrated as relevance is: between .8 and 1, as e5 gives them, they would hardly tell a copy from another text.
    """
    picked = [0] if candidates and count > 0 else []
    left = list(range(1, len(candidates)))
    likeness = [0.0] * len(candidates)  # of each to the nearest of those picked
    while left and len(picked) < count:
        for i in left:
            likeness[i] = max(likeness[i], _likeness(candidates[i], candidates[picked[-1]], noise))
        # Of equals the better ranked: `max` takes the first.
        best = max(
            left,
            key=lambda i: (1 - diversity) * candidates[i].relevance - diversity * likeness[i],
        )
        picked.append(best)
        left.remove(best)
    return sorted(picked)


def _likeness(left: Diverse, right: Diverse, noise: float) -> float:
    if left.vector is None or right.vector is None:
        return 0.0
    return calibrated(cosine(left.vector, right.vector), noise)
