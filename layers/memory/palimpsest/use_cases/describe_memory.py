"""Describe a memory: what a caller's atoms are, in numbers."""

from dataclasses import dataclass

from palimpsest.domain.audiences import audiences_of
from palimpsest.domain.callers import Caller
from palimpsest.domain.homes import home_of
from palimpsest.domain.memory_stats import MemoryStats, stats_of
from palimpsest.domain.sight import may_see
from palimpsest.ports.associations import Associations
from palimpsest.ports.atoms import AtomDirectory


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeMemory:
    """Adds up what a caller may see. No atom is read: the store counts them as they are written.

    Attributes:
        atoms: Keeps the counts.
        associations: Counts the edges.
    """

    atoms: AtomDirectory
    associations: Associations

    def __call__(self, caller: Caller) -> MemoryStats:
        """Return the numbers of all that the caller may see; of edges, those of the caller's own scope.

        Raises:
            PermissionDeniedError: If the caller has no scope of their own.
            StoreUnavailableError: If the store does not answer in time.
        """
        home = home_of(caller)
        audiences = None if caller.is_tenant_admin else audiences_of(caller)
        tallies = self.atoms.tallies(caller.tenant_id, audiences)
        return stats_of(
            [tally for tally in tallies if may_see(caller, tally.scope)],
            edges=self.associations.count_edges([home]),
        )
