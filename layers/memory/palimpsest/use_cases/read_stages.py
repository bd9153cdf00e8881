"""One read on its way through its stages: fingerprint, search, associations, ranking, cut, filters, order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.atoms import ATOM_TYPE
from palimpsest.domain.callers import Caller
from palimpsest.domain.concepts import canonical_concept, concepts_in
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.domain.likeness import cosine
from palimpsest.domain.query_times import times_in
from palimpsest.domain.recall import (
    ReadItem,
    Source,
    associated,
    association_slots,
    cleared,
    cut,
    in_order,
    in_slots,
    is_diverse,
    joined,
    pinned,
    ranked_again,
    scored,
)
from palimpsest.domain.scopes import Scope
from palimpsest.domain.strategies import MAX_DEPTH, Plan
from palimpsest.domain.widening import widened_query, widening_concepts
from palimpsest.use_cases.find_episode import FindEpisode
from palimpsest.use_cases.follow_associations import FollowAssociations
from palimpsest.use_cases.read_meter import Meter
from palimpsest.use_cases.read_requests import ReadAnswer, ReadRequest
from palimpsest.use_cases.recall_atoms import (
    Associated,
    Recall,
    RecallAtoms,
    Recalled,
    candidate_of,
)
from palimpsest.use_cases.text_vectors import TextVectors

# Candidates where copies may be passed over, or much be left out afterwards (spec/read-memory.md §3: 200).
DEEP = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStages:
    """Goes through the stages of one read, in the order of spec/read-memory.md §3.

    Attributes:
        caller: Who asks.
        request: What they ask.
        plan: How it is read, by request, strategy and deployment together.
        begun: When the read began: what recency and "yesterday" are counted from.
        deadline: When its searches must be done.
        meter: Measures the phases.
        noise: See ``palimpsest.ports.embeddings.Embeddings.noise``.
        texts: What the texts of this read mean.
        find_episode: Looks a fingerprint up.
        follow: Leads from concepts to their neighbours.
        search: Finds candidates.
    """

    caller: Caller
    request: ReadRequest
    plan: Plan
    begun: datetime
    deadline: datetime
    meter: Meter
    noise: float
    texts: TextVectors
    find_episode: FindEpisode
    follow: FollowAssociations
    search: RecallAtoms

    def __call__(self, home: Scope | None) -> ReadAnswer:
        """Return the answer.

        Args:
            home: Where fingerprints are looked up and associations are read; None for neither.

        Raises:
            PalimpsestError: As ``ReadMemory`` says.
        """
        concepts = self._concepts()
        pins = self._pins(home)
        beside = self._associated(home, concepts)
        found = self.search(self._recall(), beside)
        found, wide = self._widened(found, concepts)
        top = [*pins, *self._top(found, pins)]
        items = [*top, *self._slots(found, beside, top)]
        items = [item for item in items if self.request.takes(item)]
        learnt = () if beside is None else beside.reached_by(found.associated)
        return ReadAnswer(
            items=in_order(items, self.plan.order_by),
            episodic_hit=bool(pins),
            query_concepts=concepts,
            expanded_concepts=tuple(dict.fromkeys((*learnt, *wide))),
            search_time_ms=self.meter.milliseconds_since(self.begun),
            timings=self.meter.costs,
        )

    def _concepts(self) -> tuple[str, ...]:
        """Return what the query is about: as the request says, else by its words."""
        named = filter(None, map(canonical_concept, self.request.concepts))
        return tuple(dict.fromkeys(named)) or concepts_in(self.request.query)

    def _pins(self, home: Scope | None) -> list[ReadItem]:
        fingerprint = self.request.fingerprint
        if home is None or fingerprint is None:
            return []
        with self.meter.phase("episodic_ms"):
            shown = self.find_episode(self.caller, home, fingerprint)
            if not shown:
                return []
            asked = self.texts.of_query(self.request.query)
            vectors = self.texts.of_revisions(revision for _, revision in shown)
            cosines = {key: cosine(asked, vector) for key, vector in vectors.items()}
        return pinned(
            candidate_of(
                fact, revision, Source.EPISODIC, cosines.get((fact.id, revision.version), 0.0)
            )
            for fact, revision in shown
        )

    def _associated(self, home: Scope | None, concepts: Sequence[str]) -> Associated | None:
        """Return which concepts have slots; None where the plan has no associations."""
        if not self.plan.include_associations:
            return None
        learnt: Mapping[str, float] = {}
        if home is not None and concepts:
            with self.meter.phase("associations_ms"):
                learnt = self.follow(home, concepts, depth=self.plan.association_depth)
        # As many may be in the answer already.
        depth = self.request.top_k + association_slots(self.request.top_k)
        return Associated(named=frozenset(concepts), learnt=learnt, depth=min(depth, MAX_DEPTH))

    def _recall(self) -> Recall:
        domains = self.request.domains
        labels = (
            ()
            if domains is None
            else (frozenset(Label(LabelKind.DOMAIN, domain) for domain in domains),)
        )
        is_deep = self.request.is_narrowed or self._diversity > 0
        depth = max(self.plan.depth, self.request.top_k, DEEP if is_deep else 0)
        return Recall(
            caller=self.caller,
            query=self.request.query,
            wanted=FactFilter(type=ATOM_TYPE, labels=labels),
            metadata=self.request.metadata,
            with_history=self.request.include_history,
            depth=min(depth, MAX_DEPTH),
            begun=self.begun,
            deadline=self.deadline,
        )

    @property
    def _diversity(self) -> float:
        diversity = self.request.diversity
        return diversity if is_diverse(diversity, self.request.top_k) else 0.0

    def _widened(
        self, first: Recalled, concepts: Sequence[str]
    ) -> tuple[Recalled, tuple[str, ...]]:
        """Return what a second pass finds, and by which concepts it was widened; the first pass where there is none."""
        if not self.plan.two_pass:
            return first, ()
        found = self._scored(first)
        wide = widening_concepts(found, concepts) if cleared(found, self.plan.min_relevance) else ()
        if not wide:
            return first, ()
        with self.meter.phase("second_pass_ms"):
            text = widened_query(self.request.query, wide)
            return self.search.widened(self._recall(), first, text), wide

    def _scored(self, found: Recalled) -> list[ReadItem]:
        query = self.request.query
        return scored(
            joined(found.by_meaning, found.by_words),
            query,
            noise=self.noise,
            times=times_in(query, self.begun) if self.plan.uses_times else None,
        )

    def _top(self, found: Recalled, pins: Sequence[ReadItem]) -> list[ReadItem]:
        """Return the best of what the search found, in the places that the pins leave."""
        with self.meter.phase("rank_ms"):
            clear = cleared(self._scored(found), self.plan.min_relevance)
            taken = {item.key for item in pins}
            ranked = [i for i in ranked_again(clear, self.begun) if i.key not in taken]
        count = self.request.top_k - len(pins)
        if not self._diversity:
            return cut(ranked, count, vectors={}, noise=self.noise)
        with self.meter.phase("diversity_ms"):
            pool = ranked[:DEEP]
            return cut(
                pool,
                count,
                diversity=self._diversity,
                vectors=self.texts.of_revisions(item.revision for item in pool),
                noise=self.noise,
            )

    def _slots(
        self, found: Recalled, beside: Associated | None, top: Sequence[ReadItem]
    ) -> list[ReadItem]:
        """Return the associated atoms that come, too."""
        if beside is None:
            return []
        shares = ((candidate, beside.share_of(candidate)) for candidate in found.associated)
        clear = cleared(associated(shares, noise=self.noise), self.plan.min_relevance)
        ranked = ranked_again(clear, self.begun)
        return in_slots(ranked, top, association_slots(self.request.top_k))
