"""What a memory holds, in numbers: the sums of the tallies that its reader may see."""

from collections.abc import Iterable
from dataclasses import dataclass

from palimpsest.domain.atoms import rounded
from palimpsest.domain.tallies import DomainTally


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStats:
    """Numbers of all the atoms that somebody may see and that nothing replaced.

    Attributes:
        atoms: How many.
        fingerprints: How many of them can be found by a fingerprint.
        edges: Pairs of concepts that their own scope has learnt.
        domains: Every domain that one of them stands in, sorted.
        average_valence: -1 to 1; 0 where there is none.
        average_importance: 0 to 1; 0 where there is none.
    """

    atoms: int
    fingerprints: int
    edges: int
    domains: tuple[str, ...]
    average_valence: float
    average_importance: float


def stats_of(tallies: Iterable[DomainTally], *, edges: int) -> MemoryStats:
    """Return the sums of tallies.

    Args:
        tallies: Only those that may be seen; a domain of several scopes has several.
        edges: As it stands in the answer.
    """
    standing = [tally for tally in tallies if tally.atoms > 0]
    atoms = sum(tally.atoms for tally in standing)
    valence = sum(tally.valence_sum for tally in standing)
    importance = sum(tally.importance_sum for tally in standing)
    return MemoryStats(
        atoms=atoms,
        fingerprints=sum(tally.fingerprints for tally in standing),
        edges=edges,
        domains=tuple(sorted({tally.domain for tally in standing})),
        average_valence=rounded(valence / atoms) if atoms else 0.0,
        average_importance=rounded(importance / atoms) if atoms else 0.0,
    )
