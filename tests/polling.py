"""The one way in which tests wait: for a condition, with a deadline."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")
INTERVAL_SECONDS = 0.02


def wait_until(
    ask: Callable[[], Answer],
    what: str,
    *,
    seconds: float = 20,
    interval_seconds: float = INTERVAL_SECONDS,
) -> Answer:
    """Return the first true answer of `ask`; fail with `what` when `seconds` are over."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(interval_seconds)
