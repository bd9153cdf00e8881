"""Which operation and which client a test shows: what the table of docs/conformance.md is made from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])

# The official clients, as the table names them.
CLIENTS = {"sync": "kindgi, sync", "async": "kindgi, async", "cli": "kindgi-cli"}
MEMORY_CLIENTS = {
    "mnemoverse-sync": "mnemoverse, sync",
    "mnemoverse-async": "mnemoverse, async",
}


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        operation: As the official document names it.
        what: What of it was tried.
        clients: The clients that have it.
    """

    operation: str
    what: str
    clients: tuple[str, ...]


ROWS: dict[str, Row] = {}
"""By the name of the test."""


def covers(
    operation: str, what: str, *, clients: Sequence[str] = tuple(CLIENTS)
) -> Callable[[Test], Test]:
    """Say what a test shows."""

    def note(test: Test) -> Test:
        ROWS[test.__name__] = Row(operation, what, tuple(clients))
        return test

    return note
