"""What one call costs the store: how many requests, items and capacity units."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.dynamodb import Tables
from tests.fakes.clock import FakeClock
from tests.fakes.ids import FakeIds
from tests.wire import Wire


@dataclass(frozen=True)
class Row:
    """One operation and what it cost."""

    operation: str
    calls: dict[str, int]
    items_read: int
    read_units: float
    write_units: float


@dataclass(frozen=True)
class Meter:
    """Runs operations over loaded tables and says what each cost."""

    tables: Tables
    wire: Wire
    clock: FakeClock
    ids: FakeIds

    def cost(self, operation: str, act: Callable[[], object]) -> Row:
        """Return what one call of ``act`` cost."""
        self.wire.reset()
        act()
        return Row(
            operation,
            dict(sorted(self.wire.calls.items())),
            self.wire.items_read,
            self.wire.read_units,
            self.wire.write_units,
        )
