"""Search memory for what answers a query: by meaning, by words, and by the concepts that it is associated with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from palimpsest.domain.atoms import atom_of
from palimpsest.domain.callers import Caller
from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.domain.likeness import cosine, midpoint
from palimpsest.domain.metadata_filters import MetadataFilter
from palimpsest.domain.reading import holds_at
from palimpsest.domain.recall import Candidate, Key, Source
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.index import FactIndex, Hit, Search
from palimpsest.ports.parallel import Parallel
from palimpsest.use_cases.checked_search import Ask, CheckedSearch, Leg, Survivor
from palimpsest.use_cases.text_vectors import TextVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What is looked for.

    Attributes:
        caller: Who asks.
        query: In their words.
        wanted: What every search is narrowed to.
        metadata: What every atom's metadata must hold.
        with_history: Whether revisions that were replaced compete, and atoms that do not hold now.
        depth: Candidates that each search proposes.
        begun: When the read began.
        deadline: When it must be done.
    """

    caller: Caller
    query: str
    wanted: FactFilter
    metadata: tuple[MetadataFilter, ...] = ()
    with_history: bool = False
    depth: int
    begun: datetime
    deadline: datetime

    def wanted_of(self, leg: Leg) -> list[Survivor]:
        """Return what a search found, but for atoms that do not hold now or whose metadata are not as wanted."""
        return [survivor for survivor in leg.survivors if self.takes(survivor.revision)]

    def takes(self, revision: Revision) -> bool:
        """Tell whether an atom holds now, by its own words, and its metadata are as wanted."""
        metadata = atom_of(revision).metadata if self.metadata else {}
        return (self.with_history or holds_at(revision, self.begun)) and all(
            one.takes(metadata) for one in self.metadata
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Associated:
    """Which concepts have atoms of their own in the answer.

    Attributes:
        named: Those of the query, canonical.
        learnt: Their neighbours, each with its share in (0, 1).
        depth: Candidates that each of the two searches proposes.
    """

    named: frozenset[str]
    learnt: Mapping[str, float]
    depth: int

    def share_of(self, candidate: Candidate) -> float:
        """Return how strongly an atom is associated with the query; 0 where it carries none of the concepts."""
        carried = set(map(canonical_concept, candidate.atom.concepts))
        if candidate.source is Source.CONCEPT_SCOPED:
            return 1.0 if carried & self.named else 0.0
        return max((self.learnt[concept] for concept in carried & self.learnt.keys()), default=0.0)

    def reached_by(self, found: Iterable[Candidate]) -> tuple[str, ...]:
        """Return the neighbours that one of these atoms carries, strongest first."""
        carried = {canonical_concept(concept) for one in found for concept in one.atom.concepts}
        return tuple(concept for concept in self.learnt if concept in carried)


@dataclass(slots=True, kw_only=True)
class Recalled:
    """What the searches found, best first each.

    Attributes:
        by_meaning: By the query's vector.
        by_words: By its words.
        associated: By its concepts, then by their neighbours.
    """

    by_meaning: list[Candidate] = field(default_factory=list)
    by_words: list[Candidate] = field(default_factory=list)
    associated: list[Candidate] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallAtoms:
    """Searches for one request.

    Attributes:
        facts: The truth.
        index: Proposes candidates.
        texts: What the request's texts mean.
        parallel: Runs the searches side by side.
        clock: The time of day.
    """

    facts: FactRepository
    index: FactIndex
    texts: TextVectors
    parallel: Parallel
    clock: Clock

    def __call__(self, recall: Recall, associated: Associated | None) -> Recalled:
        """Run all searches of a query at once.

        Raises:
            SemanticUnavailableError: If the embeddings do not answer.
            SearchUnavailableError: If the index does not answer in time.
            StoreUnavailableError: If the table does not answer in time.
        """
        legs = {
            Source.SEMANTIC: Leg(ask=self._by_meaning(recall.query), depth=recall.depth),
            Source.KEYWORD: Leg(
                ask=lambda search: self.index.keyword_search(recall.query, search),
                depth=recall.depth,
            ),
            **self._concept_legs(recall.query, associated),
        }
        self._search(recall, list(legs.values()))
        found = {source: recall.wanted_of(leg) for source, leg in legs.items()}
        cosines = self._cosines(recall.query, found)
        best = max((s.score for s in legs[Source.KEYWORD].survivors), default=1.0)
        return Recalled(
            by_meaning=_candidates(Source.SEMANTIC, found.pop(Source.SEMANTIC), cosines),
            by_words=[
                replace(candidate, words=survivor.score / best)
                for survivor in found.pop(Source.KEYWORD)
                for candidate in _candidates(Source.KEYWORD, [survivor], cosines)
            ],
            associated=[
                candidate
                for source, survivors in found.items()
                for candidate in _candidates(source, survivors, cosines)
            ],
        )

    def widened(self, recall: Recall, first: Recalled, text: str) -> Recalled:
        """Search once more by the query and by a wider text, and rank by both.

        Args:
            recall: As it was looked for first.
            first: What was found then; its words and associations stay.
            text: The query with more of what it is about.

        Returns:
            Candidates with the mean of their cosines with both texts. One search finds them: that mean is, but for a factor,
            the cosine with the vector between the two.

        Raises:
            PalimpsestError: As when it is called.
        """
        between, factor = midpoint(self.texts.of_query(recall.query), self.texts.of_query(text))
        leg = Leg(ask=lambda s: self.index.vector_search(between, s), depth=recall.depth)
        self._search(recall, [leg])
        found = recall.wanted_of(leg)
        known = {c.key: c.similarity for c in (*first.by_meaning, *first.by_words)}
        means = {s.key: s.score * factor for s in found}
        unmeant = [c.revision for c in first.by_words if c.key not in means]
        vectors = self.texts.of_revisions(
            [*unmeant, *(s.revision for s in found if s.key not in known)]
        )
        asked = self.texts.of_query(recall.query)
        known |= {k: cosine(asked, v) for k, v in vectors.items() if k not in known}
        means |= {k: cosine(between, v) * factor for k, v in vectors.items() if k not in means}
        return Recalled(
            by_meaning=[
                replace(candidate, widened=means[candidate.key])
                for candidate in _candidates(Source.SEMANTIC, found, known)
            ],
            by_words=[replace(c, widened=means.get(c.key)) for c in first.by_words],
            associated=first.associated,
        )

    def _search(self, recall: Recall, legs: list[Leg]) -> None:
        search = CheckedSearch(
            facts=self.facts,
            parallel=self.parallel,
            clock=self.clock,
            time_budget=recall.deadline - self.clock.now(),
        )
        search(recall.caller, recall.wanted, legs, with_history=recall.with_history)

    def _by_meaning(self, text: str) -> Ask:
        return lambda search: self.index.vector_search(self.texts.of_query(text), search)

    def _concept_legs(self, query: str, associated: Associated | None) -> dict[Source, Leg]:
        """Return a search for each way of being associated that has any concepts: the best atoms that carry one."""
        if associated is None:
            return {}
        groups = {
            Source.CONCEPT_SCOPED: associated.named,
            Source.HEBBIAN_RETRIEVAL: frozenset(associated.learnt),
        }
        return {
            source: Leg(ask=self._among(query, concepts), depth=associated.depth)
            for source, concepts in groups.items()
            if concepts
        }

    def _among(self, text: str, concepts: frozenset[str]) -> Ask:
        labels = frozenset(Label(LabelKind.CONCEPT, concept) for concept in concepts)
        ask = self._by_meaning(text)

        def narrowed(search: Search) -> list[Hit]:
            wanted = replace(search.filter, labels=(*search.filter.labels, labels))
            return ask(replace(search, filter=wanted))

        return narrowed

    def _cosines(self, query: str, found: Mapping[Source, list[Survivor]]) -> dict[Key, float]:
        """Return the cosine of the query with everything that was found and has a vector."""
        cosines = {
            survivor.key: survivor.score
            for source, survivors in found.items()
            if source is not Source.KEYWORD
            for survivor in survivors
        }
        by_words = found[Source.KEYWORD]
        missing = [survivor.revision for survivor in by_words if survivor.key not in cosines]
        if missing:
            asked = self.texts.of_query(query)
            vectors = self.texts.of_revisions(missing)
            cosines |= {key: cosine(asked, vector) for key, vector in vectors.items()}
        return cosines


def candidate_of(fact: Fact, revision: Revision, source: Source, similarity: float) -> Candidate:
    """Return a revision that was found, as a candidate."""
    return Candidate(
        fact=fact,
        revision=revision,
        atom=atom_of(revision),
        source=source,
        similarity=similarity,
    )


def _candidates(
    source: Source, survivors: Sequence[Survivor], cosines: Mapping[Key, float]
) -> list[Candidate]:
    # What has no vector has nothing in common with the query that anybody could measure.
    return [candidate_of(s.fact, s.revision, source, cosines.get(s.key, 0.0)) for s in survivors]
