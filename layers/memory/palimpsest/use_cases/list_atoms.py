"""List atoms without a query: newest first, page by page."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.facts import Fact
from palimpsest.domain.feeds import Feed
from palimpsest.domain.json_text import write_json
from palimpsest.ports.cursors import Cursors
from palimpsest.use_cases.atom_walks import AtomWalks
from palimpsest.use_cases.budgets import count_fitting


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomsRequest:
    """What is asked for.

    Attributes:
        feed: What the list is narrowed to.
        limit: At most so many atoms; at least 1.
        cursor: Where the page before ended; None for the first page.
        list_name: Everything that tells this list from another: its path and all its parameters but cursor and limit.
    """

    feed: Feed
    limit: int
    cursor: str | None = None
    list_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomPage:
    """A page of atoms.

    Attributes:
        atoms: Newest first. May be short, even empty, before the end.
        next_cursor: Where the list goes on; None at its end, and only there.
    """

    atoms: list[Fact]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAtoms:
    """Pages through the atoms that a caller may see.

    Attributes:
        walk: Finds them.
        cursors: Seals where a list goes on.
        measure: Bytes that an atom takes in the answer as it is sent.
    """

    walk: AtomWalks
    cursors: Cursors
    measure: Callable[[Fact], int]

    def __call__(self, caller: Caller, request: AtomsRequest) -> AtomPage:
        """Return one page.

        Whoever follows the cursors meets every atom that was there at the start and still is exactly once: order is by the
        atom's first write, which nothing changes. What is written meanwhile lies before the first page.

        Raises:
            InvalidCursorError: If the cursor does not open for this list and caller.
            StoreUnavailableError: If the store does not answer in time.
        """
        binding = write_json(
            [caller.tenant_id, caller.name, caller.project_limit, request.list_name]
        )
        before = None
        if request.cursor is not None:
            before = self.cursors.open(request.cursor, binding=binding)
        found = self.walk(caller, request.feed, before=before, limit=request.limit)
        count = count_fitting(map(self.measure, found.facts))
        atoms = found.facts[:count]
        position = atoms[-1].id if count < len(found.facts) else found.resume_before
        return AtomPage(
            atoms=atoms,
            next_cursor=self.cursors.seal(position, binding=binding) if position else None,
        )
