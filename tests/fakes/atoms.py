"""The directory of atoms, read off a fake repository: its tallies are recounted each time."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from palimpsest.domain.atoms import ATOM_TYPE, Atom, atom_of
from palimpsest.domain.audiences import Audience, audience_of
from palimpsest.domain.facts import Fact
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
            gone = self.facts.counted_out
            facts = (fact for fact, _ in self.facts.histories() if (tenant_id, fact.id) not in gone)
            of_tenant = (fact for fact in facts if fact.revision.scope.tenant_id == tenant_id)
            return recounted(
                fact
                for fact in of_tenant
                if audiences is None or audience_of(fact.revision.scope) in audiences
            )

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


def recounted(facts: Iterable[Fact]) -> list[DomainTally]:
    """Return the tallies of these facts, counted one by one."""
    counts: dict[tuple[str, str], tuple[Scope, Counts]] = {}
    for fact in facts:
        scope, share = fact.revision.scope, counted(fact)
        if share is not None:
            name = (scope_hash(scope), share[0])
            _, so_far = counts.get(name, (scope, Counts()))
            counts[name] = (scope, so_far + share[1])
    return [tally_of(scope, domain, total) for (_, domain), (scope, total) in counts.items()]
