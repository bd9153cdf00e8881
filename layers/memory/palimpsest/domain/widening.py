"""How a first pass widens the query of a second: by what the atoms that it found are about."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.recall import ReadItem

# Measured (docs/retrieval.md): three concepts of three atoms brought less, and more of more atoms lead away from the question.
WIDENING_ATOMS = 5
WIDENING_CONCEPTS = 5


def widening_concepts(found: Sequence[ReadItem], named: Collection[str]) -> tuple[str, ...]:
    """Return the concepts that the best atoms of a first pass add to a query.

    A concept counts by how relevant the atoms are that carry it, and by how few others do: what everything that was found
    is about tells nothing more apart.

    Args:
        found: Best first; the first ``WIDENING_ATOMS`` widen, all say how common a concept is.
        named: The query's own concepts, canonical, which it has already.

    Returns:
        At most ``WIDENING_CONCEPTS``, canonical, the most telling first.
    """
    carried = [dict.fromkeys(map(canonical_concept, item.atom.concepts)) for item in found]
    common = Counter(concept for concepts in carried for concept in concepts)
    weights: dict[str, float] = {}
    for item, concepts in list(zip(found, carried, strict=True))[:WIDENING_ATOMS]:
        for concept in concepts:
            rarity = math.log(len(found) / common[concept])
            if concept and concept not in named and rarity > 0:
                weights[concept] = weights.get(concept, 0.0) + item.likeness * rarity
    strongest = sorted(weights, key=lambda concept: (-weights[concept], concept))
    return tuple(strongest[:WIDENING_CONCEPTS])


def widened_query(query: str, concepts: Sequence[str]) -> str:
    """Return the text of a second pass: the query, and behind it what it is about, too."""
    return f"{query} {', '.join(concepts)}"
