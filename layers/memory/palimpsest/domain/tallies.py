"""Tallies: how many atoms stand in a domain of a scope, and what their importance and valence come to.

Only atoms that stand are counted: not deleted, not replaced. A store keeps its tallies by adding what a write changes; a
recount of all facts must come to the same, to the last digit, so all arithmetic is of decimals (``palimpsest.domain.atoms``).
"""

from dataclasses import dataclass
from decimal import Decimal

from palimpsest.domain.atoms import ATOM_TYPE, atom_of, decimal_of
from palimpsest.domain.facts import Fact
from palimpsest.domain.scopes import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What some atoms come to; a difference may be negative.

    Attributes:
        atoms: How many.
        fingerprints: How many of them have one.
        importance: The sum of theirs.
        valence: The sum of theirs; one without any counts as 0.
    """

    atoms: int = 0
    fingerprints: int = 0
    importance: Decimal = Decimal(0)
    valence: Decimal = Decimal(0)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            atoms=self.atoms + other.atoms,
            fingerprints=self.fingerprints + other.fingerprints,
            importance=self.importance + other.importance,
            valence=self.valence + other.valence,
        )

    def __neg__(self) -> "Counts":
        return Counts(
            atoms=-self.atoms,
            fingerprints=-self.fingerprints,
            importance=-self.importance,
            valence=-self.valence,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainTally:
    """What stands in one domain of one exact scope.

    Attributes:
        scope: The exact scope.
        domain: Its name, as written.
        atoms: How many stand; at least 1.
        fingerprints: How many of them have a fingerprint.
        importance_sum: Of their importance.
        valence_sum: Of their valence.
    """

    scope: Scope
    domain: str
    atoms: int
    fingerprints: int
    importance_sum: float
    valence_sum: float


def tally_of(scope: Scope, domain: str, counts: Counts) -> DomainTally:
    """Return a tally as it is told."""
    return DomainTally(
        scope=scope,
        domain=domain,
        atoms=counts.atoms,
        fingerprints=counts.fingerprints,
        importance_sum=float(counts.importance),
        valence_sum=float(counts.valence),
    )


def counted(fact: Fact) -> tuple[str, Counts] | None:
    """Return the domain in which a fact is counted, and what it adds there; None for one that is no atom or has ended."""
    if fact.revision.type != ATOM_TYPE or fact.is_closed:
        return None
    atom = atom_of(fact.revision)
    return atom.domain, Counts(
        atoms=1,
        fingerprints=0 if atom.fingerprint is None else 1,
        importance=decimal_of(atom.importance),
        valence=decimal_of(fact.valence or 0),
    )
