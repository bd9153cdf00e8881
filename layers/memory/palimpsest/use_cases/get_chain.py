"""Get the chain of an atom: what it replaced and what replaced it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.domain.callers import Caller
from palimpsest.domain.chains import Link, walk_chain
from palimpsest.domain.errors import AtomNotFoundError
from palimpsest.domain.facts import Fact
from palimpsest.domain.reading import is_atom_shown
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository
from palimpsest.use_cases.budgets import count_fitting


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomChain:
    """A chain as one caller sees it.

    Attributes:
        atoms: A predecessor never after its successor.
        dangling: Ids that one of these leads to and that this caller finds nothing under: gone or hidden, told alike.
        is_truncated: There may be more: the look-ups were spent, or the answer would have been too large.
    """

    atoms: list[Fact]
    dangling: tuple[str, ...]
    is_truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GetChain:
    """Follows which atom replaced which. One read for each distance from the atom that is asked for.

    Attributes:
        facts: Where they are kept.
        clock: The time of day.
        measure: Bytes that an atom takes in the answer as it is sent.
    """

    facts: FactRepository
    clock: Clock
    measure: Callable[[Fact], int]

    def __call__(self, caller: Caller, atom_id: str) -> AtomChain:
        """Return the chain that an atom stands in.

        Raises:
            AtomNotFoundError: If this caller finds no such atom.
            StoreUnavailableError: If the store does not answer in time.
        """
        seen = _Seen(self.facts, self.clock, caller)
        start = seen.look_up([atom_id]).get(atom_id)
        if start is None:
            raise AtomNotFoundError("No such atom.")
        chain = walk_chain(start, seen.look_up)
        fitting = count_fitting(self.measure(seen.atoms[i]) for i in chain.nearest)
        kept = frozenset(chain.nearest[:fitting])
        return AtomChain(
            atoms=[seen.atoms[i] for i in chain.ids if i in kept],
            dangling=chain.dangling,
            is_truncated=chain.is_truncated or len(kept) < len(chain.ids),
        )


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a caller has been shown of a chain so far."""

    facts: FactRepository
    clock: Clock
    caller: Caller
    atoms: dict[str, Fact] = field(default_factory=dict)

    def look_up(self, ids: Sequence[str]) -> Mapping[str, Link]:
        found, open_erasures = self.facts.load_many(self.caller.tenant_id, ids)
        now = self.clock.now()
        shown = {
            atom_id: fact
            for atom_id, fact in found.items()
            if is_atom_shown(self.caller, fact, now=now, open_erasures=open_erasures)
        }
        self.atoms.update(shown)
        return {atom_id: _link_of(fact) for atom_id, fact in shown.items()}


def _link_of(fact: Fact) -> Link:
    closing = fact.revision.closing
    return Link(
        id=fact.id,
        replaces=fact.revision.replaces,
        superseded_by=closing.superseded_by if closing else None,
    )
