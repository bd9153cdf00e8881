"""What learning and the graph cost the store: rows of docs/data-model.md's table, beside those of ``request_cost``."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from palimpsest.domain.associations import MAX_CONCEPTS, STOOD_IN_ONE_ATOM, Lesson
from palimpsest.domain.homes import home_of
from palimpsest.use_cases.read_graph import GraphRequest, ReadGraph

from benchmarks.metering import Meter, Row
from tests.builders import build_caller

# A concept that three thousand others stand beside, and one that has as many neighbours as are asked for.
HOT, FEW = 3_000, 20
ANA = build_caller("ana")
HOME = home_of(ANA)


@dataclass(frozen=True)
class AssociationCosts:
    """Fills one home with edges and measures over them."""

    meter: Meter
    _events: Iterator[int] = field(default_factory=count)

    def rows(self) -> list[Row]:
        """Return every row about associations."""
        return [*self.learning(), *self.reading()]

    def learning(self) -> Iterator[Row]:
        """Yield the rows of lessons."""
        ten = [f"ten {number}" for number in range(MAX_CONCEPTS)]
        yield self._learn("learn, two concepts that never met", "tea", "rain")
        yield self._learn("learn, two concepts that met before", "tea", "rain")
        yield self._learn("learn, ten concepts that never met", *ten)
        yield self._learn("learn, ten concepts that met before", *ten)
        yield self._learn("learn, an event that comes again", "tea", "rain", event_id="e0")

    def reading(self) -> Iterator[Row]:
        """Yield the rows of neighbours and of the graph."""
        self._surround("cold", FEW)
        self._surround("hot", HOT)
        yield self._neighbours("neighbours, 20 of a concept that has 20", "cold")
        yield self._neighbours("neighbours, 20 of a concept that has 3,000", "hot")
        yield self._graph("graph, one seed", GraphRequest(seeds=["hot"]))
        yield self._graph(
            "graph, 20 seeds, three steps", GraphRequest(seeds=_seeds(), depth=3, limit=500)
        )
        yield self.meter.cost(
            "number of edges", lambda: self.meter.tables.associations().count_edges([HOME])
        )

    def _surround(self, concept: str, size: int) -> None:
        """Give a concept so many neighbours, a lesson for each nine of them."""
        names = [f"{concept} {number}" for number in range(size)]
        for start in range(0, size, MAX_CONCEPTS - 1):
            lesson = self._lesson(concept, *names[start : start + MAX_CONCEPTS - 1])
            self.meter.tables.associations().learn(lesson)

    def _learn(self, operation: str, *concepts: str, event_id: str | None = None) -> Row:
        lesson = self._lesson(*concepts, event_id=event_id)
        return self.meter.cost(operation, lambda: self.meter.tables.associations().learn(lesson))

    def _neighbours(self, operation: str, concept: str) -> Row:
        associations = self.meter.tables.associations()
        now = self.meter.clock.now()
        return self.meter.cost(
            operation, lambda: associations.neighbours(HOME, [concept], limit=FEW, now=now)
        )

    def _graph(self, operation: str, request: GraphRequest) -> Row:
        read_graph = ReadGraph(
            associations=self.meter.tables.associations(), clock=self.meter.clock
        )
        return self.meter.cost(operation, lambda: read_graph(ANA, request))

    def _lesson(self, *concepts: str, event_id: str | None = None) -> Lesson:
        return Lesson(
            event_id=event_id or f"e{next(self._events)}",
            scope=HOME,
            concepts=concepts,
            amount=STOOD_IN_ONE_ATOM,
            at=self.meter.clock.now(),
        )


def _seeds() -> list[str]:
    return [f"hot {number}" for number in range(0, HOT, HOT // 20)]
