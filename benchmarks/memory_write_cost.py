"""What the memory door's writes cost the store: rows of docs/data-model.md's table."""

from collections.abc import Iterator
from dataclasses import dataclass

from palimpsest.domain.atoms import Atom
from palimpsest.domain.revisions import Act
from palimpsest.ports.facts import MAX_CLOSED_TOGETHER
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.atom_facts import AtomFacts
from palimpsest.use_cases.delete_atom import DeleteAtom
from palimpsest.use_cases.rate_atoms import RateAtoms, Rating
from palimpsest.use_cases.write_atom import WriteAtom
from palimpsest.use_cases.write_atoms import WriteAtoms

from benchmarks.metering import Meter, Row
from tests.builders import build_caller
from tests.fakes.lessons import FakeLessons
from tests.fakes.pauses import FakePauses
from tests.fakes.pseudonyms import FakePseudonyms

GIA = build_caller("gia")
MANY = 100


@dataclass(frozen=True)
class MemoryWriteCosts:
    """Writes into one home, and measures. How new a text is, is asked of the index and not in here."""

    meter: Meter

    def rows(self) -> Iterator[Row]:
        """Yield every row about atoms that are written, rated and deleted."""
        cost, write = self.meter.cost, self._write
        yield cost("write an atom", lambda: write("Tea."))
        yield cost("write an atom, the very same", lambda: write("Tea."))
        old = tuple(write(f"old {number}") for number in range(MAX_CLOSED_TOGETHER))
        yield cost("write an atom, 32 replaced", lambda: write("new", old))
        yield self._batch()
        yield self._rating()
        gone = write("gone")
        delete = DeleteAtom(facts=self.meter.tables.fact_repository(), pauses=FakePauses())
        yield cost("delete an atom", lambda: delete(self._begin(), gone))
        yield cost("delete an atom, again", lambda: delete(self._begin(), gone))

    def _write(self, text: str, supersedes: tuple[str, ...] = ()) -> str:
        """Write an atom and return its id, or that of the one that stands."""
        write_atom = WriteAtom(
            atom_facts=self._atom_facts(),
            novelty_of=lambda *_: None,
            lessons=FakeLessons(),
            pauses=FakePauses(),
        )
        return write_atom(self._begin(), Atom(text=text), supersedes).revision.fact_id

    def _batch(self) -> Row:
        write_atoms = WriteAtoms(
            atom_facts=self._atom_facts(),
            novelties_of=lambda texts: [None] * len(texts),
            lessons=FakeLessons(),
            clock=self.meter.clock,
            pauses=FakePauses(),
        )
        atoms = {number: Atom(text=f"many {number}") for number in range(MANY)}
        return self.meter.cost("write 100 atoms", lambda: write_atoms(self._begin(), atoms))

    def _rating(self) -> Row:
        facts = self.meter.tables.fact_repository()
        rate_atoms = RateAtoms(facts=facts, lessons=FakeLessons(), pauses=FakePauses())
        rating = Rating(
            atom_ids=tuple(self._write(f"many {number}") for number in range(MANY)), outcome=1
        )
        return self.meter.cost("rate 100 atoms", lambda: rate_atoms(self._begin(), rating))

    def _atom_facts(self) -> AtomFacts:
        return AtomFacts(
            facts=self.meter.tables.fact_repository(),
            atoms=self.meter.tables.atom_directory(),
            pseudonyms=FakePseudonyms(),
        )

    def _begin(self) -> Act:
        return Acts(clock=self.meter.clock, ids=self.meter.ids).begin(GIA)
