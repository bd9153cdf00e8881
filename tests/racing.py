"""Many callers at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Given = TypeVar("Given")
Answer = TypeVar("Answer")
START_SECONDS = 30


def all_at_once(ask: Callable[[Given], Answer], given: Sequence[Given]) -> list[Answer]:
    """Return what each call answers, in order; no call starts before every thread is there."""
    barrier = Barrier(len(given))

    def start(one: Given) -> Answer:
        barrier.wait(START_SECONDS)
        return ask(one)

    with ThreadPoolExecutor(len(given)) as pool:
        return list(pool.map(start, given))
