"""Reconcile the index: say where it differs from the table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from palimpsest.domain.facts import Fact
from palimpsest.domain.projection import FactKey, Shelf, shelf_of
from palimpsest.ports.census import Census
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository, RevisionKey
from palimpsest.ports.index import FactIndex, IndexedAs
from palimpsest.use_cases.fact_documents import Draft

# What one look at table and index takes.
FACTS_AT_ONCE = 200


class Fault(StrEnum):
    """How the index is wrong about a fact."""

    MISSING = "missing"
    STALE = "stale"
    SUPERFLUOUS = "superfluous"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One fact about which table and index disagree."""

    key: FactKey
    fault: Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileIndex:
    """Compares the index with the table, fact by fact. A fact that was written a moment ago may stand in the result.

    What the index holds of a fact that the table has no more is not seen: an index can be asked about facts, not listed. Nor is
    the history of a fact's earlier revisions: what stands there of a fact is compared for its newest one, which another fact
    replaced. ``ReindexFacts`` makes all of it anew.

    Attributes:
        census: All facts.
        facts: The truth, read again beside the index.
        index: To be compared.
        clock: The time of day.
    """

    census: Census
    facts: FactRepository
    index: FactIndex
    clock: Clock

    def __call__(self) -> Iterator[Difference]:
        """Yield the differences, as they are found.

        Raises:
            SearchUnavailableError: If the index does not answer in time.
            StoreUnavailableError: If the table does not answer in time.
        """
        after: str | None = None
        while True:
            page = self.census.read(after)
            by_tenant = sorted(page.facts, key=_tenant_of)
            for tenant_id, group in groupby(by_tenant, key=_tenant_of):
                facts = list(group)
                for start in range(0, len(facts), FACTS_AT_ONCE):
                    yield from self._compare(tenant_id, facts[start : start + FACTS_AT_ONCE])
            after = page.resume_after
            if after is None:
                return

    def _compare(self, tenant_id: str, facts: Sequence[Fact]) -> Iterator[Difference]:
        fact_ids = [fact.id for fact in facts]
        current = self.index.find_indexed(tenant_id, fact_ids)
        archived = self.index.find_archived(tenant_id, [_revision_of(fact) for fact in facts])
        standing, open_erasures = self.facts.load_many(tenant_id, fact_ids)
        now = self.clock.now()
        for seen in facts:
            fact = standing.get(seen.id)
            shelf = shelf_of(fact, now=now, open_erasures=open_erasures)
            wanted = Draft.of((fact or seen).revision, is_newest=True).indexed_as
            faults = (
                _fault(
                    wanted, archived.get(_revision_of(fact or seen)), is_due=shelf is Shelf.HISTORY
                ),
                _fault(wanted, current.get(seen.id), is_due=shelf is Shelf.CURRENT),
            )
            # One is enough: whoever repairs it brings both to where the table is.
            for fault in [fault for fault in faults if fault is not None][:1]:
                yield Difference(key=FactKey(tenant_id=tenant_id, fact_id=seen.id), fault=fault)


def _tenant_of(fact: Fact) -> str:
    return fact.revision.scope.tenant_id


def _revision_of(fact: Fact) -> RevisionKey:
    return (fact.id, fact.version)


def _fault(wanted: IndexedAs, found: IndexedAs | None, *, is_due: bool) -> Fault | None:
    """Return how an index is wrong about a revision that is due in it as wanted, or not due in it at all."""
    if not is_due:
        return None if found is None else Fault.SUPERFLUOUS
    if found is None:
        return Fault.MISSING
    return None if found == wanted else Fault.STALE
