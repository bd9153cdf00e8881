"""Get an atom by its id."""

from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import AtomNotFoundError
from palimpsest.domain.facts import Fact
from palimpsest.domain.reading import is_atom_shown
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class GetAtom:
    """Finds one atom, one that was replaced too."""

    facts: FactRepository
    clock: Clock

    def __call__(self, caller: Caller, atom_id: str) -> Fact:
        """Return the atom as it stands, or as it stood when another one replaced it.

        Args:
            caller: Who asks.
            atom_id: Any text. A revision's own id finds nothing.

        Raises:
            AtomNotFoundError: If there is none that this caller may be shown now; a deleted one is none.
            StoreUnavailableError: If the store does not answer in time.
        """
        loaded = self.facts.load(caller.tenant_id, atom_id)
        fact, now = loaded.fact, self.clock.now()
        if fact is None or not is_atom_shown(
            caller, fact, now=now, open_erasures=loaded.open_erasures
        ):
            raise AtomNotFoundError("No such atom.")
        return fact
