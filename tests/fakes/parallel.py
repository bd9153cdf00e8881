"""One after the other, in their order: what runs side by side elsewhere can be followed step by step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Result = TypeVar("Result")


@dataclass
class FakeParallel:
    """See ``palimpsest.ports.parallel.Parallel``.

    Attributes:
        is_late: The next run takes too long.
        waits: The seconds that each run was given.
    """

    is_late: bool = False
    waits: list[float] = field(default_factory=list)

    def run(self, tasks: Sequence[Callable[[], Result]], *, seconds: float) -> list[Result]:
        assert seconds > 0
        self.waits.append(seconds)
        if self.is_late and tasks:
            raise TimeoutError
        return [task() for task in tasks]
