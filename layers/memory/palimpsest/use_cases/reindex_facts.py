"""Reindex facts: fill an index anew from the table, and let it take the old one's place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palimpsest.domain.errors import SearchUnavailableError
from palimpsest.domain.facts import Fact
from palimpsest.domain.projection import FactKey, Notice
from palimpsest.ports.census import Census
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.pauses import Pauses
from palimpsest.ports.rebuilds import Rebuilds
from palimpsest.use_cases.index_facts import IndexFacts

MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a rebuild is.

    Attributes:
        facts: Looked at so far.
        items: About how many items the table has in all, other things than facts included; 0 if nobody knows.
    """

    facts: int
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexFacts:
    """Rebuilds the index while writes go on. Safe to be stopped and started again.

    Attributes:
        census: All facts.
        facts: Their histories.
        rebuilds: The index to be filled.
        index_facts: Projects; its own index is not written here.
        pauses: Waits before a page is tried again.
    """

    census: Census
    facts: FactRepository
    rebuilds: Rebuilds
    index_facts: IndexFacts
    pauses: Pauses

    def __call__(self, tell: Callable[[Progress], None]) -> Progress:
        """Fill, then let the new index serve.

        Args:
            tell: Told how far it is, after each page.

        Raises:
            SearchUnavailableError: If a page failed ``MAX_ATTEMPTS`` times: nothing has changed places; starting again goes on.
            StoreUnavailableError: If the table does not answer.
        """
        fill = replace(self.index_facts, index=self.rebuilds.begin())
        progress = Progress(facts=0, items=self.census.estimate_items())
        after: str | None = None
        while True:
            page = self.census.read(after)
            self._project(fill, page.facts)
            progress = replace(progress, facts=progress.facts + len(page.facts))
            tell(progress)
            after = page.resume_after
            if after is None:
                break
        self.rebuilds.finish()
        return progress

    def _project(self, fill: IndexFacts, facts: Sequence[Fact]) -> None:
        waiting = [notice for fact in facts for notice in self._notices(fact)]
        for attempt in range(1, MAX_ATTEMPTS + 1):
            failed = fill(waiting, is_recheck=True) if waiting else frozenset()
            waiting = [notice for notice in waiting if notice.key in failed]
            if not waiting:
                return
            if attempt < MAX_ATTEMPTS:
                self.pauses.pause(attempt)
        raise SearchUnavailableError(f"{len(failed)} facts could not be indexed: try again later.")

    def _notices(self, fact: Fact) -> list[Notice]:
        """Return notices of a fact and, if something of it is to be found, of each revision that its next one replaced."""
        tenant_id = fact.revision.scope.tenant_id
        key = FactKey(tenant_id=tenant_id, fact_id=fact.id)
        if fact.version == 1 or (fact.is_closed and not fact.is_replaced):
            return [Notice(key=key)]
        earlier = self.facts.walk_revisions(tenant_id, fact.id)
        return [Notice(key=key, replaced=revision) for revision in earlier]
