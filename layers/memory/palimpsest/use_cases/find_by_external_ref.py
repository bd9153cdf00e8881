"""Find atoms by their writer's own id of them."""

from dataclasses import dataclass

from palimpsest.domain.atoms import atom_of
from palimpsest.domain.callers import Caller
from palimpsest.domain.facts import Fact
from palimpsest.domain.homes import home_of
from palimpsest.domain.reading import is_atom_shown
from palimpsest.ports.atoms import AtomDirectory
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository

# How many atoms of one external id are looked at, whatever was deleted or replaced of them: one read of the store.
MAX_PROPOSED = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class RefRequest:
    """What is asked for.

    Attributes:
        external_ref: As it was written.
        domain: Only atoms of this domain; None for all.
        limit: At most so many atoms.
        with_replaced: Atoms that another one replaced, too.
    """

    external_ref: str
    domain: str | None = None
    limit: int
    with_replaced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FindByExternalRef:
    """Looks atoms of the caller's own scope up by external id.

    Attributes:
        atoms: Proposes ids.
        facts: Says which of them stand.
        clock: The time of day.
    """

    atoms: AtomDirectory
    facts: FactRepository
    clock: Clock

    def __call__(self, caller: Caller, request: RefRequest) -> list[Fact]:
        """Return the newest atoms that were written under this external id, of the newest ``MAX_PROPOSED`` at most.

        Raises:
            PermissionDeniedError: If the caller has no scope of their own.
            StoreUnavailableError: If the store does not answer in time.
        """
        home = home_of(caller)
        proposed = self.atoms.find_by_external_ref(home, request.external_ref, limit=MAX_PROPOSED)
        if not proposed:
            return []
        found, open_erasures = self.facts.load_many(caller.tenant_id, proposed)
        now = self.clock.now()
        shown = [
            found[atom_id]
            for atom_id in proposed
            if atom_id in found
            and is_atom_shown(caller, found[atom_id], now=now, open_erasures=open_erasures)
            and _is_asked_for(found[atom_id], request)
        ]
        return shown[: request.limit]


def _is_asked_for(fact: Fact, request: RefRequest) -> bool:
    """A pointer outlives what it pointed to, and the facts door may have written another id over it."""
    atom = atom_of(fact.revision)
    return (
        atom.external_ref == request.external_ref
        and (request.domain is None or atom.domain == request.domain)
        and (request.with_replaced or not fact.is_replaced)
    )
