"""What an atom is worth beyond its likeness to a query: what became of it before, and how new it is.

All numbers of this stand here. An atom's *valence* in [-1, 1] says whether it has helped: 0 until somebody tells.
"""

from datetime import timedelta

# How far one outcome moves a valence towards itself. At one half the last outcome weighs as much as all before it: after five
# failures (-.97) one success brings an atom back to where it was (.02), so a wrong lesson is unlearnt as soon as it shows.
VALENCE_RATE = 0.5

# The alpha of spec/read-memory.md §3. At one half, what has always failed keeps half of its relevance and what has always
# helped gains as much: it changes places with its neighbours in the ranking, not with what has nothing to do with the query.
VALENCE_WEIGHT = 0.5

# spec/read-memory.md §3.
RECENCY_WEIGHT = 0.15
RECENCY_HALF_LIFE = timedelta(days=30)


def moved_valence(valence: float | None, outcome: float) -> float:
    """Return an atom's valence after one more outcome.

    Args:
        valence: Before; in [-1, 1], None for an atom of which nothing was told yet.
        outcome: How it went; in [-1, 1].

    Returns:
        In [-1, 1]: the valence moved by its signed error ``outcome - valence``, as Rescorla and Wagner (1972) have it.
    """
    before = valence or 0.0
    return before + VALENCE_RATE * (outcome - before)


def lifted(score: float, by: float) -> float:
    """Return a score after one more reason for it has been found.

    Args:
        score: In [0, 1].
        by: How strong the reason is; in [0, 1].

    Returns:
        Between the score and 1. The lift closes a share of what is missing, so nothing is ever lifted above what has
        nothing missing: the very same text stays first whatever speaks for others.
    """
    return score + (1.0 - score) * by


def reranked(score: float, *, valence: float | None, age: timedelta) -> float:
    """Return the relevance of an atom whose likeness to the query is known.

    Args:
        score: Its likeness; in [0, 1].
        valence: See ``moved_valence``.
        age: Since it was written; what comes from a clock ahead of ours counts as new.

    Returns:
        In [0, 1]: ``score (1 + alpha valence)``, lifted by its recency.
    """
    told = min(1.0, score * (1.0 + VALENCE_WEIGHT * (valence or 0.0)))
    return lifted(told, RECENCY_WEIGHT * _recency(age))


def _recency(age: timedelta) -> float:
    half_lives = max(age, timedelta(0)) / RECENCY_HALF_LIFE
    return float(2.0**-half_lives)
