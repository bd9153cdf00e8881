"""Writes that cannot be searched yet, on a clock that the test sets.

The indexes behind the gate never refresh by themselves. The gate refreshes one before
the next request when its oldest unseen write is as old as the delay: so a younger write may be seen
early, as with the service's own interval, but none later.
"""

import threading
from collections.abc import Callable, Iterable


class GateClock:
    """Seconds since the start of the test. It stands still until it is moved."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move on."""
        self._now += seconds


class Visibility:
    """Which indexes hold writes that nobody can see, and since when."""

    def __init__(self, clock: Callable[[], float], delay_seconds: float) -> None:
        self._clock = clock
        self._delay_seconds = delay_seconds
        self._lock = threading.Lock()
        self._unseen_since: dict[str, float] = {}

    def wrote(self, indexes: Iterable[str]) -> None:
        """Note a write to each of these."""
        with self._lock:
            for index in indexes:
                self._unseen_since.setdefault(index, self._clock())

    def take_due(self) -> list[str]:
        """Return the indexes whose writes must be seen from now on, each once."""
        with self._lock:
            due = [
                index
                for index, since in self._unseen_since.items()
                if self._clock() - since >= self._delay_seconds
            ]
            for index in due:
                del self._unseen_since[index]
        return due
