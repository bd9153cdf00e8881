"""How several rankings of the same facts become one."""

from collections.abc import Sequence

# Of the paper below. The API promises the scores that it gives (spec/facts.md §11), so it is no knob.
RRF_K = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, k: float = RRF_K
) -> list[tuple[str, float]]:
    """Fuse several rankings of facts into one.

    Args:
        rankings: Lists of fact ids, each best first and without repeats; lengths may differ.
        k: Flattens the weight of the first ranks; a positive number, no unit.

    Returns:
        Pairs of fact id and score, best first. Scores lie in (0, len(rankings) / (k + 1)];
        equal scores keep the order of first appearance.

    Source:
        Cormack, Clarke and Buettcher, SIGIR 2009, with their k = 60; ranks start at 1 as there.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, fact_id in enumerate(ranking, start=1):
            scores[fact_id] = scores.get(fact_id, 0.0) + 1 / (k + rank)
    # A dict keeps the order of first appearance, and sorting keeps it among equals.
    return sorted(scores.items(), key=lambda pair: pair[1], reverse=True)
