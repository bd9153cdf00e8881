"""Get a fact: as it stands, at a version, or as of an instant."""

from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import FactNotFoundError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.reading import may_be_shown
from palimpsest.domain.revisions import was_current_at
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository, Loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class GetFact:
    """Finds one revision of a fact."""

    facts: FactRepository
    clock: Clock

    def __call__(
        self,
        caller: Caller,
        fact_id: str,
        version: int | None = None,
        as_of: datetime | None = None,
    ) -> Revision:
        """Return a revision: the current one, or the one that is asked for.

        Args:
            caller: Who asks.
            fact_id: Any text.
            version: This revision, closed or not; it wins over ``as_of``.
            as_of: The revision that was current then.

        Raises:
            FactNotFoundError: If there is none that this caller may be shown now.
            StoreUnavailableError: If the store does not answer in time.
        """
        loaded = self.facts.load(caller.tenant_id, fact_id, version=version)
        fact = loaded.fact
        if fact is None:
            raise FactNotFoundError(fact_id)
        revision = self._pick(fact, loaded, version, as_of)
        if revision is None or not may_be_shown(
            caller, fact, revision, now=self.clock.now(), open_erasures=loaded.open_erasures
        ):
            raise FactNotFoundError(fact_id)
        return revision

    def _pick(
        self, fact: Fact, loaded: Loaded, version: int | None, as_of: datetime | None
    ) -> Revision | None:
        if version is not None:
            return fact.revision if fact.version == version else loaded.revision
        if as_of is not None:
            return self._as_of(fact, as_of)
        return None if fact.is_closed else fact.revision

    def _as_of(self, fact: Fact, instant: datetime) -> Revision | None:
        revision: Revision | None = fact.revision
        if fact.revision.created_at > instant:
            tenant_id = fact.revision.scope.tenant_id
            revision = self.facts.find_revision_at(tenant_id, fact.id, instant)
        return revision if revision and was_current_at(revision, instant) else None
