"""Rebuilds in memory: held to their port by ``tests/contract/test_rebuilds.py``."""

from dataclasses import dataclass, field

from palimpsest.ports.index import FactIndex

from tests.fakes.index import FakeFactIndex


@dataclass
class FakeRebuilds:
    """See ``palimpsest.ports.rebuilds.Rebuilds``.

    Attributes:
        serving: The index that serves now.
        filling: The one that is being filled; None when none is.
    """

    serving: FactIndex = field(default_factory=FakeFactIndex)
    filling: FactIndex | None = None

    def begin(self) -> FactIndex:
        self.filling = self.filling or FakeFactIndex()
        return self.filling

    def find_next(self) -> FactIndex | None:
        return self.filling

    def finish(self) -> None:
        if self.filling is not None:
            self.serving, self.filling = self.filling, None
