"""How alike two texts are by their vectors, on a scale that means the same whatever model made them."""

import math
from collections.abc import Sequence
from operator import add, mul


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the cosine of two vectors of unit length and of one model; in [-1, 1]."""
    product: float = sum(map(mul, left, right))
    return max(-1.0, min(1.0, product))


def calibrated(similarity: float, noise: float) -> float:
    """Return a cosine as a likeness in [0, 1].

    Args:
        similarity: A cosine of one model's vectors.
        noise: ``palimpsest.ports.embeddings.Embeddings.noise`` of that model; in [0, 1).

    Returns:
        0 for what has no more in common than unrelated texts, 1 for the same vector.
    """
    return max(0.0, min(1.0, (similarity - noise) / (1.0 - noise)))


def midpoint(left: Sequence[float], right: Sequence[float]) -> tuple[Sequence[float], float]:
    """Return the direction between two vectors of unit length, and what a cosine with it must be multiplied with.

    Returns:
        A vector of unit length; and half the length of the sum, in (0, 1]: that factor times the cosine of any vector with
        the direction is the mean of its cosines with the two. Of opposite vectors, the first one and 0.
    """
    between = list(map(add, left, right))
    length = math.hypot(*between)
    if length == 0.0:
        return left, 0.0
    return [number / length for number in between], length / 2
