"""Find the atom that a fingerprint names: an exact match of an episode, whatever its words."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from palimpsest.domain.atoms import ATOM_TYPE, atom_of
from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasures
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.reading import is_retrieved_from_past, is_retrieved_now
from palimpsest.domain.scopes import Scope
from palimpsest.ports.atoms import AtomDirectory
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository

# Of the atoms that were ever written with one fingerprint: the newest may have been deleted or given another.
MAX_PROPOSALS = 10

# As far as a chain is followed anywhere (seed page 004), so that no history, however long, holds up a read.
MAX_LOOK_UPS = 64

Shown = tuple[Fact, Revision]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindEpisode:
    """Finds what is pinned to the top of an answer.

    Attributes:
        facts: The truth.
        atoms: Proposes ids.
        clock: The time of day.
    """

    facts: FactRepository
    atoms: AtomDirectory
    clock: Clock

    def __call__(self, caller: Caller, home: Scope, fingerprint: str) -> list[Shown]:
        """Return the revision with this fingerprint, and behind it what stands in its place now, if it was replaced.

        Only atoms of exactly the caller's home are looked at, in whatever domain.

        Returns:
            At most two, each with its fact; none where nothing that may be shown has the fingerprint.

        Raises:
            StoreUnavailableError: If the store does not answer in time.
        """
        proposed = self.atoms.find_by_fingerprint(home, fingerprint, limit=MAX_PROPOSALS)
        if not proposed:
            return []
        facts, open_erasures = self.facts.load_many(caller.tenant_id, proposed)
        here = [facts[i] for i in proposed if i in facts and facts[i].revision.scope == home]
        for fact in here:
            revision = self._with_fingerprint(fact, fingerprint)
            if revision is not None and self._may_show(caller, fact, revision, open_erasures):
                return [(fact, revision), *self._tip_of(caller, fact, revision)]
        return []

    def _with_fingerprint(self, fact: Fact, fingerprint: str) -> Revision | None:
        """Return the newest revision of a fact that has the fingerprint."""
        for revision in self._revisions_of(fact):
            if revision.type == ATOM_TYPE and atom_of(revision).fingerprint == fingerprint:
                return revision
        return None

    def _revisions_of(self, fact: Fact) -> Iterator[Revision]:
        yield fact.revision
        earlier = self.facts.walk_revisions(fact.revision.scope.tenant_id, fact.id)
        yield from islice(earlier, MAX_LOOK_UPS)

    def _tip_of(self, caller: Caller, fact: Fact, revision: Revision) -> list[Shown]:
        """Return what stands at the end of the replacements; nothing where that is gone, or is the revision itself."""
        tip, open_erasures = fact, None
        for _ in range(MAX_LOOK_UPS):
            closing = tip.revision.closing
            if closing is None or closing.superseded_by is None:
                break
            found, open_erasures = self.facts.load_many(caller.tenant_id, [closing.superseded_by])
            if closing.superseded_by not in found:
                return []
            tip = found[closing.superseded_by]
        if (tip.id, tip.version) == (fact.id, revision.version):
            return []
        if open_erasures is None:
            open_erasures = self.facts.get_open_erasures(caller.tenant_id)
        is_shown = is_retrieved_now(
            caller,
            tip,
            FactFilter(type=ATOM_TYPE),
            now=self.clock.now(),
            open_erasures=open_erasures,
        )
        return [(tip, tip.revision)] if is_shown else []

    def _may_show(
        self, caller: Caller, fact: Fact, revision: Revision, open_erasures: OpenErasures
    ) -> bool:
        return is_retrieved_from_past(
            caller, fact, revision, now=self.clock.now(), open_erasures=open_erasures
        )
