"""Read a memory several times in one request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TypeAlias

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import PalimpsestError, SearchUnavailableError
from palimpsest.ports.clock import Clock
from palimpsest.ports.parallel import Parallel
from palimpsest.use_cases.read_requests import ReadAnswer, ReadRequest

# A read makes several searches side by side itself: so many reads keep some thirty connections busy, as many as one processor
# can read answers from while the others wait.
SIDE_BY_SIDE = 8

# An answer, or why there is none.
Outcome: TypeAlias = ReadAnswer | PalimpsestError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBatch:
    """Makes many reads, a few at a time.

    Attributes:
        read: Makes one.
        parallel: Runs a few of them side by side.
        clock: The time of day.
        time_budget: For all of them together.
    """

    read: Callable[[Caller, ReadRequest], ReadAnswer]
    parallel: Parallel
    clock: Clock
    time_budget: timedelta

    def __call__(self, caller: Caller, requests: Sequence[ReadRequest]) -> list[Outcome]:
        """Return an outcome for each request, in their order. One that fails takes no other with it.

        When the time is over, what has no answer yet has a ``SearchUnavailableError``.
        """
        deadline = self.clock.now() + self.time_budget
        outcomes: list[Outcome] = []
        for start in range(0, len(requests), SIDE_BY_SIDE):
            some = requests[start : start + SIDE_BY_SIDE]
            seconds = (deadline - self.clock.now()).total_seconds()
            outcomes += self._read_some(caller, some, seconds)
        return outcomes

    def _read_some(
        self, caller: Caller, requests: Sequence[ReadRequest], seconds: float
    ) -> list[Outcome]:
        too_late: list[Outcome] = [
            SearchUnavailableError("The reads together took too long.") for _ in requests
        ]
        if seconds <= 0:
            return too_late
        tasks = [partial(self._outcome, caller, request) for request in requests]
        try:
            return self.parallel.run(tasks, seconds=seconds)
        except TimeoutError:
            return too_late

    def _outcome(self, caller: Caller, request: ReadRequest) -> Outcome:
        try:
            return self.read(caller, request)
        except PalimpsestError as error:
            return error
