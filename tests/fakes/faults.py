"""Faults that a test can ask a fake for, one after the other."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from palimpsest.domain.errors import StoreError, StoreUnavailableError


@dataclass
class Faults:
    """What goes wrong next."""

    _before: deque[StoreError] = field(default_factory=deque)
    _dropped: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fail_next(self, error: StoreError, *, times: int = 1) -> None:
        """Let the next calls raise this error and do nothing."""
        self._before.extend([error] * times)

    def drop_answers(self, times: int = 1) -> None:
        """Let the next calls do their work and then raise ``StoreUnavailableError``, as if the answer was lost."""
        self._dropped += times

    @contextmanager
    def strike(self) -> Iterator[None]:
        """Surround the work of one call."""
        with self._lock:
            error = self._before.popleft() if self._before else None
        if error is not None:
            raise error
        yield
        with self._lock:
            is_dropped, self._dropped = self._dropped > 0, max(self._dropped - 1, 0)
        if is_dropped:
            raise StoreUnavailableError("The answer was lost.")
