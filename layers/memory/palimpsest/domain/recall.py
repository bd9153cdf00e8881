"""The stages of a read: from what searches find to the atoms of an answer (spec/read-memory.md §3).

Pure functions, each from a list of items to a list of items, called in the order in which they stand here. What a stage is not
about it leaves alone: what is selected keeps its scores.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from palimpsest.domain.atoms import Atom
from palimpsest.domain.diversity import MAX_DIVERSE_CANDIDATES, Diverse, diversify
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.likeness import calibrated
from palimpsest.domain.query_times import TimeBounds
from palimpsest.domain.reranking import lifted, reranked
from palimpsest.domain.words import folded

# How far the best hit of the words lifts an atom; others by their share of its score. Measured (docs/retrieval.md): from .626
# to .660 of LoCoMo's evidence above the default floor, and more costs category 1 what it brings to category 4.
WORDS_WEIGHT = 0.15

# How far an atom is lifted that was written in the time which the query names, and how much later still counts: things are told
# days after they happened. Measured: as a filter such bounds lost a fifth of the evidence, as a lift they brought some.
TIME_WEIGHT = 0.1
TIME_GRACE = timedelta(days=7)

# How far a concept of the query that an atom carries lifts it; a neighbour by its share. Above the default floor by itself,
# since it is another reason than likeness, and far below a floor that asks for a match.
ASSOCIATION_WEIGHT = 0.35

Key = tuple[str, int]


class Source(StrEnum):
    """How an atom was found."""

    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    EPISODIC = "episodic"
    CONCEPT_SCOPED = "concept_scoped"
    HEBBIAN_RETRIEVAL = "hebbian_retrieval"


class OrderBy(StrEnum):
    """How an answer is ordered."""

    RELEVANCE = "relevance"
    RECENCY = "recency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An atom that a search found.

    Attributes:
        fact: As it stands now.
        revision: What was found of it: the current one, or with history one that was replaced.
        atom: What that revision holds.
        source: How it was found.
        similarity: Cosine of its text with the query; in [-1, 1].
        words: Its score in a search by words, as a share of the best one's; 0 where the words did not find it.
        widened: Mean of its cosines with the query and with the widened query of a second pass; None where there was none.
    """

    fact: Fact
    revision: Revision
    atom: Atom
    source: Source
    similarity: float
    words: float = 0.0
    widened: float | None = None

    @property
    def key(self) -> Key:
        """What tells it from every other candidate."""
        return self.fact.id, self.revision.version


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadItem:
    """An atom of an answer.

    Attributes:
        fact: As it stands now.
        revision: The one that is shown.
        atom: What that revision holds.
        source: How it was found.
        similarity: Cosine of its text with the query; in [-1, 1].
        likeness: What speaks for it in the query alone; in [0, 1].
        relevance: What it is ranked by; in [0, 1].
    """

    fact: Fact
    revision: Revision
    atom: Atom
    source: Source
    similarity: float
    likeness: float
    relevance: float

    @property
    def key(self) -> Key:
        """What tells it from every other item."""
        return self.fact.id, self.revision.version

    @property
    def created_at(self) -> datetime:
        """When the atom was first written; the same for all its revisions."""
        return self.fact.first_written_at


def joined(by_meaning: Iterable[Candidate], by_words: Iterable[Candidate]) -> list[Candidate]:
    """Return what two searches found, each once: those found by meaning first, with what the words say of them."""
    found = {candidate.key: candidate for candidate in by_meaning}
    for candidate in by_words:
        known = found.get(candidate.key, candidate)
        found[candidate.key] = replace(known, words=candidate.words)
    return list(found.values())


def scored(
    candidates: Iterable[Candidate], query: str, *, noise: float, times: TimeBounds | None = None
) -> list[ReadItem]:
    """Score candidates by what the query says of them.

    Args:
        candidates: In any order.
        query: In the caller's words: a text that is the same words is an exact match, with likeness 1.
        noise: See ``palimpsest.ports.embeddings.Embeddings.noise``.
        times: What the query says of when; None for nothing.

    Returns:
        Best first.
    """
    asked = folded(query)
    return _ranked(_item(c, _likeness(c, asked, noise=noise, times=times)) for c in candidates)


def cleared(items: Iterable[ReadItem], floor: float) -> list[ReadItem]:
    """Return the items whose likeness is at least the floor: what became of an atom before lifts no noise above it."""
    return [item for item in items if item.likeness >= floor]


def associated(shares: Iterable[tuple[Candidate, float]], *, noise: float) -> list[ReadItem]:
    """Score candidates that were found by their concepts.

    Args:
        shares: Each with how strongly it is associated with the query, in [0, 1]: 1 where it carries a concept of the query;
            what is not associated at all is left out.
        noise: As in ``scored``.

    Returns:
        Best first; an atom that was found in two ways stands there twice.
    """
    return _ranked(
        _item(c, lifted(calibrated(c.similarity, noise), ASSOCIATION_WEIGHT * share))
        for c, share in shares
        if share > 0
    )


def ranked_again(items: Iterable[ReadItem], now: datetime) -> list[ReadItem]:
    """Rank by relevance: what became of each atom, and how new it is, weighed with its likeness."""
    return _ranked(
        replace(
            item,
            relevance=reranked(item.likeness, valence=item.fact.valence, age=now - item.created_at),
        )
        for item in items
    )


def pinned(candidates: Iterable[Candidate]) -> list[ReadItem]:
    """Return what a fingerprint names, in its order: an exact match, whatever its words say."""
    return [_item(candidate, 1.0) for candidate in candidates]


def cut(
    items: Sequence[ReadItem],
    count: int,
    *,
    diversity: float = 0.0,
    vectors: Mapping[Key, Sequence[float]],
    noise: float,
) -> list[ReadItem]:
    """Return those that make the answer: the best, or with diversity the best that do not repeat each other.

    Args:
        items: Best first.
        count: At most so many; at 200 or more, diversity changes nothing.
        diversity: See ``diversify``.
        vectors: By key; those that are missing count as unlike all others.
        noise: As in ``scored``.
    """
    if not is_diverse(diversity, count):
        return list(items[: max(count, 0)])
    pool = items[:MAX_DIVERSE_CANDIDATES]
    diverse = [Diverse(relevance=i.relevance, vector=vectors.get(i.key)) for i in pool]
    selected = diversify(diverse, count=count, diversity=diversity, noise=noise)
    return [pool[position] for position in selected]


def is_diverse(diversity: float, count: int) -> bool:
    """Tell whether a cut looks at diversity at all."""
    return diversity > 0 and count < MAX_DIVERSE_CANDIDATES


def in_slots(items: Sequence[ReadItem], taken: Iterable[ReadItem], slots: int) -> list[ReadItem]:
    """Return the associated atoms that stand beside what the search found.

    Half of the slots are for what only learning leads to, where there is so much: what carries the query's own concepts is
    always associated more strongly, and would take them all.

    Args:
        items: Best first; may hold some twice, found in both ways.
        taken: What is in the answer already.
        slots: See ``association_slots``.
    """
    seen = {item.key for item in taken}
    new: dict[Key, ReadItem] = {}
    for item in items:
        if item.key not in seen:
            new.setdefault(item.key, item)
    learnt = [i for i in new.values() if i.source is Source.HEBBIAN_RETRIEVAL]
    named = [i for i in new.values() if i.source is not Source.HEBBIAN_RETRIEVAL]
    for_learnt = min(len(learnt), max((slots + 1) // 2, slots - len(named)))
    chosen = {item.key for item in (*learnt[:for_learnt], *named[: slots - for_learnt])}
    return [item for item in new.values() if item.key in chosen]


def association_slots(top_k: int) -> int:
    """Return how many associated atoms may stand beside so many that the search found.

    Half as many, so that what was asked for stays the larger part; five at most, since a model's context pays for each.
    """
    return min(5, (top_k + 1) // 2)


def in_order(items: Iterable[ReadItem], order_by: OrderBy) -> list[ReadItem]:
    """Return the same items in the order asked for: as they come, or newest first, equal ones as they come."""
    if order_by is OrderBy.RELEVANCE:
        return list(items)
    return sorted(items, key=lambda item: item.created_at, reverse=True)


def _item(candidate: Candidate, likeness: float) -> ReadItem:
    return ReadItem(
        fact=candidate.fact,
        revision=candidate.revision,
        atom=candidate.atom,
        source=candidate.source,
        similarity=candidate.similarity,
        likeness=likeness,
        relevance=likeness,
    )


def _likeness(candidate: Candidate, asked: str, *, noise: float, times: TimeBounds | None) -> float:
    if folded(candidate.atom.text) == asked:
        return 1.0
    similarity = candidate.similarity if candidate.widened is None else candidate.widened
    likeness = lifted(calibrated(similarity, noise), WORDS_WEIGHT * candidate.words)
    if times is not None and _is_of(times, candidate.fact.first_written_at):
        likeness = lifted(likeness, TIME_WEIGHT)
    return likeness


def _is_of(times: TimeBounds, instant: datetime) -> bool:
    told_by = None if times.end is None else times.end + TIME_GRACE
    return replace(times, end=told_by).holds(instant)


def _ranked(items: Iterable[ReadItem]) -> list[ReadItem]:
    """Return items by relevance; of equals the one that is more alike, then the newer."""
    newest_first = sorted(items, key=lambda item: item.key, reverse=True)
    return sorted(newest_first, key=lambda item: (-item.relevance, -item.likeness))
