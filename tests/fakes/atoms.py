"""The directory of atoms, read off a fake repository: its tallies are recounted each time."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from palimpsest.domain.atoms import ATOM_TYPE, Atom, atom_of
from palimpsest.domain.audiences import Audience, audience_of
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.scopes import Scope
from palimpsest.domain.tallies import Counts, DomainTally, counted, tally_of
from palimpsest.ports.atoms import AtomText

from tests.fakes.facts import FakeFactRepository
from tests.fakes.faults import Faults


@dataclass
class FakeAtomDirectory:
    """See ``palimpsest.ports.atoms.AtomDirectory``.

    Attributes:
        facts: The store that it stands on.
        faults: What goes wrong with the next read.
    """

    facts: FakeFactRepository
    faults: Faults = field(default_factory=Faults)

    def find_same(self, scope: Scope, texts: Collection[AtomText]) -> dict[AtomText, str]:
        with self.faults.strike():
            known, where = self.facts.atom_texts, scope_hash(scope)
            return {text: known[where, text] for text in texts if (where, text) in known}

    def find_by_fingerprint(self, scope: Scope, fingerprint: str, *, limit: int) -> list[str]:
        return self._find(scope, lambda atom: atom.fingerprint == fingerprint, limit)

    def find_by_external_ref(self, scope: Scope, external_ref: str, *, limit: int) -> list[str]:
        return self._find(scope, lambda atom: atom.external_ref == external_ref, limit)

    def tallies(self, tenant_id: str, audiences: Sequence[Audience] | None) -> list[DomainTally]:
        with self.faults.strike():
            counts: dict[tuple[str, str], tuple[Scope, Counts]] = {}
            for fact, _ in self.facts.histories():
                scope, share = fact.revision.scope, counted(fact)
                is_asked_for = audiences is None or audience_of(scope) in audiences
                if share is None or scope.tenant_id != tenant_id or not is_asked_for:
                    continue
                name = (scope_hash(scope), share[0])
                _, before = counts.get(name, (scope, Counts()))
                counts[name] = (scope, before + share[1])
            return [tally_of(scope, name[1], total) for name, (scope, total) in counts.items()]

    def _find(self, scope: Scope, is_wanted: Callable[[Atom], bool], limit: int) -> list[str]:
        with self.faults.strike():
            found = [
                fact.id
                for fact, revisions in self.facts.histories()
                if fact.revision.type == ATOM_TYPE
                and fact.revision.scope == scope
                and any(is_wanted(atom_of(revision)) for revision in revisions)
            ]
            return sorted(found, reverse=True)[:limit]
