"""What goes wrong when a test says so."""

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from tests.gate.exchange import Answer, Request

# How the service says it, by status; the 502 comes from something in front of it and is no JSON.
# Synapse-Repository-Services#5689 (402), NASA-PDS/registry#340 (500, 502).
KINDS = {
    400: ("mapper_parsing_exception", "failed to parse"),
    402: ("service_quota_exceeded_exception", "maximum OCU capacity reached"),
    404: ("index_not_found_exception", "no such index"),
    409: ("version_conflict_engine_exception", "version conflict"),
    429: ("too_many_requests_exception", "request rate is too high"),
    500: ("internal_failure", "internal server error"),
    503: ("service_unavailable_exception", "no healthy upstream"),
}
BAD_GATEWAY = Answer(502, b"<html><h1>502 Bad Gateway</h1></html>", {"content-type": "text/html"})


class Loss(Enum):
    """When the connection breaks: before the request was done, or before its answer was sent."""

    OF_THE_REQUEST = auto()
    OF_THE_ANSWER = auto()


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong with one request.

    Attributes:
        status: It is answered with this and not done; None lets it through.
        loss: Its connection breaks.
        hold_seconds: It waits so long first, as while a collection wakes up.
        path_part: It happens to the next request whose path holds this.
    """

    status: int | None = None
    loss: Loss | None = None
    hold_seconds: float = 0.0
    path_part: str = ""


class Faults:
    """A queue of faults. Each happens once, to the first request that it fits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Fault] = []
        self._items: deque[int | None] = deque()
        self._awake = threading.Event()

    def add(self, *faults: Fault) -> None:
        """Let these happen, in order."""
        with self._lock:
            self._waiting.extend(faults)

    def answer_next(self, *statuses: int, path_part: str = "") -> None:
        """Answer the next requests with these and do nothing else."""
        self.add(*(Fault(status=status, path_part=path_part) for status in statuses))

    def fail_next_items(self, *statuses: int | None) -> None:
        """Fail the next items of bulks with these, in order; None lets an item through."""
        with self._lock:
            self._items.extend(statuses)

    def take(self, request: Request) -> Fault | None:
        """Return what happens to this request, once."""
        with self._lock:
            for fault in self._waiting:
                if fault.path_part in request.path:
                    self._waiting.remove(fault)
                    return fault
        return None

    def take_items(self, count: int) -> Sequence[int | None]:
        """Return what happens to the next items of a bulk, as many as it has."""
        with self._lock:
            taken = [self._items.popleft() for _ in range(min(count, len(self._items)))]
        return [*taken, *[None] * (count - len(taken))]

    def hold(self, seconds: float) -> None:
        """Wait as long as a fault says, or until `release`."""
        self._awake.wait(seconds)

    def release(self) -> None:
        """Let every request go on that is held now or later: the gate closes."""
        self._awake.set()


def answer_for(status: int) -> Answer:
    """Return the service's answer of this status."""
    return BAD_GATEWAY if status == 502 else Answer.refusal(status, *KINDS[status])
