"""Doing things side by side."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Parallel(Protocol):
    """Runs tasks that wait on other machines, so that together they take as long as the slowest and not as their sum."""

    def run(self, tasks: Sequence[Callable[[], Result]], *, seconds: float) -> list[Result]:
        """Run all tasks and return their results in the tasks' order.

        Args:
            tasks: Safe to run at the same time as each other; may be empty.
            seconds: How long they are waited for, all together; above 0. A task that is too late ends unheard.

        Raises:
            TimeoutError: If one has not ended by then, and none has failed.
            Exception: Whatever the first of the failed tasks, in their order, raised; the others are not waited for.
        """
        ...
