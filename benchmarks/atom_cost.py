"""What atoms cost the store: rows of docs/data-model.md's table, beside those of ``request_cost``."""

from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.domain.atoms import text_key
from palimpsest.domain.audiences import audiences_of
from palimpsest.domain.facts import Fact
from palimpsest.domain.homes import home_of
from palimpsest.domain.revisions import Act, delete, replaced_by
from palimpsest.ports.atoms import AtomText
from palimpsest.ports.facts import MAX_CLOSED_TOGETHER, MAX_MOVED_TOGETHER

from benchmarks.metering import Meter, Row
from tests.builders import build_act, build_atom, build_caller

ANA = build_caller("atoms-ana")
HOME = home_of(ANA)
# What one BatchGetItem takes.
TEXTS = 100


@dataclass(frozen=True)
class AtomCosts:
    """Writes into one home, and measures."""

    meter: Meter

    def rows(self) -> list[Row]:
        """Return every row about atoms."""
        return [*self.writes(), *self.reads()]

    def writes(self) -> Iterator[Row]:
        """Yield the rows of what changes atoms; what their doors read before is not in them."""
        facts, cost = self.meter.tables.fact_repository(), self.meter.cost
        plain = build_atom(ids=self.meter.ids, scope=HOME)
        yield cost("atom, written", lambda: facts.add_all([plain]))
        known = self._atom("a", fingerprint="f", external_ref="e")
        yield cost("atom, written with fingerprint and reference", lambda: facts.add_all([known]))
        new, closing = self._successor([self._added(str(n)) for n in range(MAX_CLOSED_TOGETHER)])
        yield cost("atom, written, 32 replaced", lambda: facts.add_all([new], closing))
        moves = [(self._added(f"moved {n}"), 0.5) for n in range(MAX_MOVED_TOGETHER)]
        yield cost(
            "valences of 40 atoms", lambda: facts.move_valences(moves, operation_id="feedback")
        )
        gone = self._added("gone")
        closed = delete(gone, build_act(ids=self.meter.ids))
        yield cost("atom, closed", lambda: facts.close(gone, closed))

    def reads(self) -> Iterator[Row]:
        """Yield the rows of the directory of atoms."""
        atoms, cost = self.meter.tables.atom_directory(), self.meter.cost
        texts = [AtomText(domain="general", key=text_key(str(n))) for n in range(TEXTS)]
        audiences = audiences_of(ANA)
        yield cost("same text, one", lambda: atoms.find_same(HOME, texts[:1]))
        yield cost("same text, 100", lambda: atoms.find_same(HOME, texts))
        yield cost("atoms of a fingerprint", lambda: atoms.find_by_fingerprint(HOME, "f", limit=8))
        yield cost("tallies, a user", lambda: atoms.tallies(ANA.tenant_id, audiences))
        yield cost("tallies, a tenant admin", lambda: atoms.tallies(ANA.tenant_id, None))

    def _atom(self, text: str, **said: str) -> Fact:
        return build_atom(text, ids=self.meter.ids, scope=HOME, **said)

    def _added(self, text: str) -> Fact:
        atom = self._atom(text)
        self.meter.tables.fact_repository().add_all([atom])
        return atom

    def _successor(self, olds: list[Fact]) -> tuple[Fact, list[tuple[Fact, Fact]]]:
        new = build_atom(
            "new", ids=self.meter.ids, scope=HOME, replaces=tuple(old.id for old in olds)
        )
        act: Act = build_act(ids=self.meter.ids, now=new.revision.created_at)
        return new, [(old, replaced_by(old, new.id, act)) for old in olds]
