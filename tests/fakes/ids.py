"""Ids that can be foretold, and still sort by the time of their making."""

import threading
import uuid
from dataclasses import dataclass, field

from palimpsest.domain.instants import to_epoch_milliseconds

from tests.fakes.clock import FakeClock

_TIME_SHIFT = 80
_SERIES_SHIFT = 32
_VERSION_7 = 0x7 << 76
_VARIANT = 0b10 << 62


@dataclass
class FakeIds:
    """See ``palimpsest.ports.ids.Ids``. The low bits count up; the high ones are the clock's millisecond, never going back.

    Attributes:
        clock: Gives the millisecond.
        series: Ids of two series differ: for tests whose stores remember each other's.
        made: All that were given out.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    series: int = 0
    made: list[str] = field(default_factory=list)
    _latest: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def new_id(self) -> str:
        with self._lock:
            self._latest = max(self._latest, to_epoch_milliseconds(self.clock.now()))
            count = len(self.made) + 1
            low = self.series << _SERIES_SHIFT | count
            number = (self._latest << _TIME_SHIFT) | _VERSION_7 | _VARIANT | low
            self.made.append(str(uuid.UUID(int=number)))
            return self.made[-1]

    def new_secret(self, size: int) -> bytes:
        return bytes(range(size)) if size < 256 else b"\x01" * size
