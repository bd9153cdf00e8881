"""What the memory door's reads without a query cost the store: rows of docs/data-model.md's table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from palimpsest.domain.facts import Fact
from palimpsest.domain.feeds import Feed
from palimpsest.domain.homes import home_of
from palimpsest.use_cases.atom_walks import AtomWalks
from palimpsest.use_cases.check_health import CheckHealth
from palimpsest.use_cases.describe_memory import DescribeMemory
from palimpsest.use_cases.find_by_external_ref import FindByExternalRef, RefRequest
from palimpsest.use_cases.get_atom import GetAtom
from palimpsest.use_cases.get_chain import GetChain
from palimpsest.use_cases.list_atoms import AtomsRequest, ListAtoms

from benchmarks.metering import Meter, Row
from tests.builders import build_atom, build_caller, build_successor
from tests.fakes.cursors import FakeCursors

MANY, PAGE, ALL = 300, 20, 500
FAY = build_caller("fay")


@dataclass(frozen=True)
class MemoryCosts:
    """Fills the memory of somebody who has nothing else, and measures over it."""

    meter: Meter

    def rows(self) -> Iterator[Row]:
        """Yield every row about lists of atoms, single ones and numbers."""
        facts, clock = self.meter.tables.fact_repository(), self.meter.clock
        middle = self._fill()
        get_atom = GetAtom(facts=facts, clock=clock)
        get_chain = GetChain(facts=facts, clock=clock, measure=lambda _: 1)
        yield self._list("recent, 20 of 300", Feed(), PAGE)
        yield self._list("recent, 20 of 300, with history", Feed(with_replaced=True), PAGE)
        yield self._list("recent, a domain of one old atom of 300", Feed(domain="rare"), PAGE)
        yield self._list("export, 300", Feed(), ALL)
        yield self.meter.cost("one atom", lambda: get_atom(FAY, middle.id))
        yield self.meter.cost("chain of five, from its middle", lambda: get_chain(FAY, middle.id))
        yield self._by_external_ref()
        yield self._stats()
        yield self.meter.cost("health", CheckHealth(facts=facts))

    def _fill(self) -> Fact:
        """Write an atom of a domain of its own, a chain of five, and many others; return the middle of the chain."""
        facts = self.meter.tables.fact_repository()
        self._add("rare", domain="rare", external_ref="r")
        chain = [self._add("chain")]
        for number in range(4):
            after, closed = build_successor(chain[-1], f"chain {number}", ids=self.meter.ids)
            facts.add_all([after], [(chain[-1], closed)])
            chain.append(after)
        for number in range(MANY - len(chain) - 1):
            self._add(f"atom {number}")
        return chain[2]

    def _add(self, text: str, **fields: Any) -> Fact:
        atom = build_atom(text, ids=self.meter.ids, scope=home_of(FAY), caller=FAY, **fields)
        self.meter.tables.fact_repository().add(atom)
        return atom

    def _list(self, operation: str, feed: Feed, limit: int) -> Row:
        list_atoms = ListAtoms(
            walk=AtomWalks(facts=self.meter.tables.fact_repository(), clock=self.meter.clock),
            cursors=FakeCursors(),
            measure=lambda _: 1,
        )
        asked = AtomsRequest(feed=feed, limit=limit, list_name="cost")
        return self.meter.cost(operation, lambda: list_atoms(FAY, asked))

    def _by_external_ref(self) -> Row:
        find = FindByExternalRef(
            atoms=self.meter.tables.atom_directory(),
            facts=self.meter.tables.fact_repository(),
            clock=self.meter.clock,
        )
        asked = RefRequest(external_ref="r", limit=PAGE)
        return self.meter.cost("atoms of an external id", lambda: find(FAY, asked))

    def _stats(self) -> Row:
        describe = DescribeMemory(
            atoms=self.meter.tables.atom_directory(),
            associations=self.meter.tables.associations(),
        )
        return self.meter.cost("stats", lambda: describe(FAY))
