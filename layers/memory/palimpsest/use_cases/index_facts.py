"""Index facts: bring the index to where the table is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from palimpsest.domain.errors import (
    EmbeddingUnavailableError,
    SearchUnavailableError,
    StoreError,
)
from palimpsest.domain.facts import Fact, Review, Revision
from palimpsest.domain.projection import FactKey, Notice, belongs_in_index
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.index import FactIndex, IndexedAs
from palimpsest.ports.rechecks import Rechecks
from palimpsest.use_cases.fact_documents import Draft, FactDocuments

# How many facts share the fate of one call to the model: a text that it cannot bear holds up no more than these.
FACTS_AT_ONCE = 16

NOT_NOW = (StoreError, SearchUnavailableError, EmbeddingUnavailableError)


@dataclass(slots=True, kw_only=True)
class _Plan:
    """What is to be done for one tenant."""

    removed: list[str] = field(default_factory=list)
    swept: list[str] = field(default_factory=list)
    current: list[Fact] = field(default_factory=list)


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
        """Bring the index to where the table is, for the facts that the notices name.

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
            known = self._known(tenant_id, plan, is_recheck=is_recheck)
        except NOT_NOW:
            return set(fact_ids)
        failed = self._remove(tenant_id, plan, is_recheck=is_recheck)
        replaced = _replaced(notices)
        for facts in _chunks(plan.current, FACTS_AT_ONCE):
            drafts = [Draft.of(fact.revision, is_current=True) for fact in facts]
            new = [d for d in drafts if known.get(d.revision.fact_id) != d.indexed_as]
            old = [
                Draft.of(revision, is_current=False)
                for fact in facts
                for revision in replaced.get(fact.id, ())
            ]
            failed |= self._write(tenant_id, new, old, is_recheck=is_recheck)
        return failed

    def _plan(self, tenant_id: str, fact_ids: list[str]) -> _Plan:
        facts, open_erasures = self.facts.load_many(tenant_id, fact_ids)
        now = self.clock.now()
        plan = _Plan()
        for fact_id in fact_ids:
            fact = facts.get(fact_id)
            if fact is not None and belongs_in_index(fact, now=now, open_erasures=open_erasures):
                plan.current.append(fact)
                continue
            plan.removed.append(fact_id)
            if fact is None:
                plan.swept.append(fact_id)
        return plan

    def _known(self, tenant_id: str, plan: _Plan, *, is_recheck: bool) -> dict[str, IndexedAs]:
        """Return by what facts are found already, by fact id; one that is found as it should be is not written again."""
        if is_recheck or not plan.current:
            return {}
        return self.index.find_indexed(tenant_id, [fact.id for fact in plan.current])

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

    def _write(
        self, tenant_id: str, new: list[Draft], old: list[Draft], *, is_recheck: bool
    ) -> set[str]:
        """Retire what was replaced, then put what is current; return the ids that failed."""
        drafts = [*old, *new]
        if not drafts:
            return set()
        try:
            documents = self.documents.make(tenant_id, drafts)
            failed = set(self.index.retire(documents[: len(old)])) if old else set()
            failed |= self.index.put(documents[len(old) :]) if new else set()
            if not is_recheck:
                # A first version has no predecessor that could still turn up.
                later = [d.revision.fact_id for d in new if d.revision.version > 1]
                self._look_again(tenant_id, [i for i in later if i not in failed])
        except NOT_NOW:
            return {draft.revision.fact_id for draft in drafts}
        return failed

    def _look_again(self, tenant_id: str, fact_ids: list[str]) -> None:
        if fact_ids:
            keys = [FactKey(tenant_id=tenant_id, fact_id=fact_id) for fact_id in fact_ids]
            self.rechecks.schedule(keys)


def _replaced(notices: list[Notice]) -> dict[str, list[Revision]]:
    found: dict[str, dict[int, Revision]] = {}
    for notice in notices:
        revision = notice.replaced
        # One that waited for its review was never anybody's to find.
        if revision is not None and revision.review is not Review.PENDING:
            found.setdefault(notice.key.fact_id, {})[revision.version] = revision
    return {fact_id: list(revisions.values()) for fact_id, revisions in found.items()}


def _chunks(facts: list[Fact], size: int) -> Iterator[list[Fact]]:
    remaining = iter(facts)
    while chunk := list(islice(remaining, size)):
        yield chunk
