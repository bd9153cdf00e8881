"""Index facts: bring the index to where the table is, and count out what is gone from there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from palimpsest.domain.errors import (
    EmbeddingUnavailableError,
    SearchUnavailableError,
    StoreError,
)
from palimpsest.domain.facts import Review, Revision
from palimpsest.domain.projection import FactKey, Notice, Shelf, shelf_of
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.index import FactIndex, IndexedAs, IndexedFact
from palimpsest.ports.rechecks import Rechecks
from palimpsest.use_cases.fact_documents import Draft, FactDocuments

# How many facts share the fate of one call to the model: a text that it cannot bear holds up no more than these.
FACTS_AT_ONCE = 16

NOT_NOW = (StoreError, SearchUnavailableError, EmbeddingUnavailableError)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """The newest revision of a fact of which something is to be found, and where."""

    draft: Draft
    shelf: Shelf

    def is_settled(self, current: IndexedAs | None, archived: IndexedAs | None) -> bool:
        """Tell whether what each of the two indexes holds of the fact and the revision is as it should be."""
        told = self.draft.indexed_as
        wanted = (told, None) if self.shelf is Shelf.CURRENT else (None, told)
        return (current, archived) == wanted


@dataclass(slots=True, kw_only=True)
class _Plan:
    """What is to be done for one tenant."""

    removed: list[str] = field(default_factory=list)
    swept: list[str] = field(default_factory=list)
    standing: list[_Standing] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """Revisions that are written together, each for the method of ``FactIndex`` by its name."""

    retired: list[Draft]
    archived: list[Draft]
    put: list[Draft]

    @property
    def drafts(self) -> list[Draft]:
        """All of them, in the order in which they are written."""
        return [*self.retired, *self.archived, *self.put]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFacts:
    """Projects facts into the index. Safe to be told the same again, late, out of turn, or to be stopped anywhere.

    Attributes:
        facts: The truth; what a notice says is only that it is worth a look.
        index: The projection.
        documents: Makes what is indexed.
        rechecks: For what the index may not show yet.
        clock: The time of day.
    """

    facts: FactRepository
    index: FactIndex
    documents: FactDocuments
    rechecks: Rechecks
    clock: Clock

    def __call__(
        self, notices: Sequence[Notice], *, is_recheck: bool = False
    ) -> frozenset[FactKey]:
        """Bring the index to where the table is, for the facts that the notices name, and count out those that are gone.

        Args:
            notices: In the order that they came; of one fact or many, of one tenant or many.
            is_recheck: Write again what is indexed already, and ask for no further look.

        Returns:
            The facts that could not be projected now: all their notices are to be given again. The others are done.
        """
        failed: set[FactKey] = set()
        by_tenant = sorted(notices, key=lambda notice: notice.key.tenant_id)
        for tenant_id, group in groupby(by_tenant, key=lambda notice: notice.key.tenant_id):
            lost = self._project(tenant_id, list(group), is_recheck=is_recheck)
            failed |= {FactKey(tenant_id=tenant_id, fact_id=fact_id) for fact_id in lost}
        return frozenset(failed)

    def _project(self, tenant_id: str, notices: list[Notice], *, is_recheck: bool) -> set[str]:
        """Return the ids of one tenant's facts that must be tried again."""
        fact_ids = list(dict.fromkeys(notice.key.fact_id for notice in notices))
        try:
            plan = self._plan(tenant_id, fact_ids)
            settled = self._settled(tenant_id, plan, is_recheck=is_recheck)
        except NOT_NOW:
            return set(fact_ids)
        failed = self._count_out(notices)
        failed |= self._remove(tenant_id, plan, is_recheck=is_recheck)
        replaced = _replaced(notices)
        for chunk in _chunks(plan.standing, FACTS_AT_ONCE):
            batch = _batch(chunk, settled, replaced)
            failed |= self._write(tenant_id, batch, is_recheck=is_recheck)
        return failed

    def _plan(self, tenant_id: str, fact_ids: list[str]) -> _Plan:
        facts, open_erasures = self.facts.load_many(tenant_id, fact_ids)
        now = self.clock.now()
        plan = _Plan()
        for fact_id in fact_ids:
            fact = facts.get(fact_id)
            shelf = shelf_of(fact, now=now, open_erasures=open_erasures)
            if fact is not None and shelf is not None:
                draft = Draft.of(fact.revision, is_newest=True)
                plan.standing.append(_Standing(draft=draft, shelf=shelf))
                continue
            plan.removed.append(fact_id)
            if fact is None:
                plan.swept.append(fact_id)
        return plan

    def _settled(self, tenant_id: str, plan: _Plan, *, is_recheck: bool) -> frozenset[str]:
        """Return the ids of the facts that stand where and as they should: they are not written again."""
        if is_recheck or not plan.standing:
            return frozenset()
        keys = {standing.draft.key: standing for standing in plan.standing}
        moved = [key for key, standing in keys.items() if standing.shelf is Shelf.HISTORY]
        current = self.index.find_indexed(tenant_id, [fact_id for fact_id, _ in keys])
        archived = self.index.find_archived(tenant_id, moved) if moved else {}
        return frozenset(
            key[0]
            for key, standing in keys.items()
            if standing.is_settled(current.get(key[0]), archived.get(key))
        )

    def _count_out(self, notices: list[Notice]) -> set[str]:
        """Take what is gone out of the counts; return the ids that failed, whose notices come again."""
        failed = set()
        for gone in (notice.gone for notice in notices if notice.gone is not None):
            try:
                self.facts.count_out(gone, at=self.clock.now())
            except NOT_NOW:
                failed.add(gone.id)
        return failed

    def _remove(self, tenant_id: str, plan: _Plan, *, is_recheck: bool) -> set[str]:
        if not plan.removed:
            return set()
        try:
            if plan.swept:
                self.documents.vectors.remove(tenant_id, plan.swept)
            failed = set(self.index.remove(tenant_id, plan.removed))
            if not is_recheck:
                self._look_again(tenant_id, [i for i in plan.removed if i not in failed])
        except NOT_NOW:
            return set(plan.removed)
        return failed

    def _write(self, tenant_id: str, batch: _Batch, *, is_recheck: bool) -> set[str]:
        """Retire and archive what was replaced, then put what is current; return the ids that failed."""
        drafts = batch.drafts
        if not drafts:
            return set()
        try:
            documents = iter(self.documents.make(tenant_id, drafts))
            failed = set(self._in_turn(batch, documents))
            if not is_recheck:
                # A first version has no predecessor that could still turn up, unless it is itself not to be found any more.
                later = [*batch.archived, *(d for d in batch.put if d.revision.version > 1)]
                ids = [draft.revision.fact_id for draft in later]
                self._look_again(tenant_id, [i for i in ids if i not in failed])
        except NOT_NOW:
            return {draft.revision.fact_id for draft in drafts}
        return failed

    def _in_turn(self, batch: _Batch, documents: Iterator[IndexedFact]) -> Iterator[str]:
        """Write the documents of a batch, which come in its order; yield the ids that failed."""
        for write, drafts in (
            (self.index.retire, batch.retired),
            (self.index.archive, batch.archived),
            (self.index.put, batch.put),
        ):
            if drafts:
                yield from write(list(islice(documents, len(drafts))))

    def _look_again(self, tenant_id: str, fact_ids: list[str]) -> None:
        if fact_ids:
            keys = [FactKey(tenant_id=tenant_id, fact_id=fact_id) for fact_id in fact_ids]
            self.rechecks.schedule(keys)


def _batch(
    chunk: list[_Standing], settled: frozenset[str], replaced: Mapping[str, list[Revision]]
) -> _Batch:
    ids = [standing.draft.revision.fact_id for standing in chunk]
    new = [standing for standing in chunk if standing.draft.revision.fact_id not in settled]
    return _Batch(
        retired=[Draft.of(r, is_newest=False) for i in ids for r in replaced.get(i, ())],
        archived=[standing.draft for standing in new if standing.shelf is Shelf.HISTORY],
        put=[standing.draft for standing in new if standing.shelf is Shelf.CURRENT],
    )


def _replaced(notices: list[Notice]) -> dict[str, list[Revision]]:
    found: dict[str, dict[int, Revision]] = {}
    for notice in notices:
        revision = notice.replaced
        # One that waited for its review was never anybody's to find.
        if revision is not None and revision.review is not Review.PENDING:
            found.setdefault(notice.key.fact_id, {})[revision.version] = revision
    return {fact_id: list(revisions.values()) for fact_id, revisions in found.items()}


def _chunks(standing: list[_Standing], size: int) -> Iterator[list[_Standing]]:
    remaining = iter(standing)
    while chunk := list(islice(remaining, size)):
        yield chunk
