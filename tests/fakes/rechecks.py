"""Rechecks that wait until a test asks for them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.domain.projection import FactKey

from tests.fakes.faults import Faults


@dataclass
class FakeRechecks:
    """See ``palimpsest.ports.rechecks.Rechecks``.

    Attributes:
        faults: What goes wrong with the next call.
        due: What was scheduled and not taken yet, in its order.
    """

    faults: Faults = field(default_factory=Faults)
    due: list[FactKey] = field(default_factory=list)

    def schedule(self, keys: Sequence[FactKey]) -> None:
        with self.faults.strike():
            self.due += keys

    def take(self) -> list[FactKey]:
        """Return what is due, and forget it."""
        taken, self.due = self.due, []
        return taken
