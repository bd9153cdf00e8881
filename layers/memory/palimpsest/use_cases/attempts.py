"""Trying a write again, for as long as that can help."""

from collections.abc import Callable
from typing import TypeVar

from palimpsest.domain.errors import StoreUnavailableError, WriteConflictError
from palimpsest.ports.pauses import Pauses

# spec/facts.md §8. Five, with jitter, outlast the bursts that a store's own retries do not; more only queues callers up.
MAX_ATTEMPTS = 5

Result = TypeVar("Result")


def with_attempts(once: Callable[[], Result], pauses: Pauses) -> Result:
    """Return what ``once`` returns, calling it again while it loses races or the store is busy.

    Args:
        once: One whole attempt, its reads included. Must be safe to repeat.
        pauses: Waits between attempts.

    Raises:
        WriteConflictError: If the last of ``MAX_ATTEMPTS`` attempts lost a race.
        StoreUnavailableError: If the store was busy on the last of them.
    """
    for attempt in range(1, MAX_ATTEMPTS):
        try:
            return once()
        except (WriteConflictError, StoreUnavailableError):
            pauses.pause(attempt)
    return once()
