"""Ways to an atom from what its writer knows of it, and tallies of what stands where."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from palimpsest.domain.audiences import Audience
from palimpsest.domain.scopes import Scope
from palimpsest.domain.tallies import DomainTally


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomText:
    """A text in a domain: what stands once in a scope.

    Attributes:
        domain: Its name, as written.
        key: Of the text (``palimpsest.domain.atoms.text_key``).
    """

    domain: str
    key: str


class AtomDirectory(Protocol):
    """Ids of atoms, and tallies; kept in step with the facts by ``FactRepository``, through whatever door they change.

    What the ``find`` methods return are proposals: an atom stays listed after it was deleted, replaced or given another text.
    The fact itself tells, when it is loaded, whether it still is what was looked for. A scope is always meant exactly: not
    one name more, not one less.

    Every read is consistent, and may raise ``StoreUnavailableError`` and ``StoreFailedError``.
    """

    def find_same(self, scope: Scope, texts: Collection[AtomText]) -> dict[AtomText, str]:
        """Return, for each text that any atom of the scope was ever written with, the id of the last that was."""
        ...

    def find_by_fingerprint(self, scope: Scope, fingerprint: str, *, limit: int) -> list[str]:
        """Return the ids of the atoms that were ever written with this fingerprint, newest first, at most ``limit``."""
        ...

    def find_by_external_ref(self, scope: Scope, external_ref: str, *, limit: int) -> list[str]:
        """Return the ids of the atoms that were ever written with this reference, newest first, at most ``limit``."""
        ...

    def tallies(self, tenant_id: str, audiences: Sequence[Audience] | None) -> list[DomainTally]:
        """Return the tallies of every domain in which an atom stands.

        An expired atom counts until it is swept, and some seconds more.

        Args:
            tenant_id: The caller's.
            audiences: Whose scopes to look at. An audience may be wider than sight: ask ``may_see`` of each tally's scope. None
                is the whole tenant, for its admins.

        Returns:
            In no order, one for each (scope, domain).
        """
        ...
