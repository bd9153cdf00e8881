"""Many partitions read as one: newest first by id, lazily, and never more pages than a budget allows."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from palimpsest.adapters.dynamodb.attributes import Item
from palimpsest.adapters.dynamodb.plans import PartitionRead

# Beyond the first page of each partition. A list that needs more answers a short page and goes on with its cursor.
MAX_FURTHER_PAGES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One item that a partition holds.

    Attributes:
        fact_id: Of the fact.
        item: As the index holds it.
        is_whole: Whether that is all of HEAD.
    """

    fact_id: str
    item: Item
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPage:
    """One page of one partition.

    Attributes:
        candidates: Newest first.
        last_read: The last id that was read, whether or not it is among the candidates; None if the partition has ended.
    """

    candidates: Sequence[Candidate]
    last_read: str | None


# Reads a page of a partition: only ids below the second argument, where there is one.
FetchPage = Callable[[PartitionRead, str | None], IndexPage]


@dataclass(slots=True)
class _Partition:
    read: PartitionRead
    unread: deque[Candidate]
    last_read: str | None

    @property
    def position(self) -> str | None:
        """No id above this one is still to come from here; None if nothing is."""
        return self.unread[0].fact_id if self.unread else self.last_read

    def add(self, page: IndexPage) -> None:
        self.unread.extend(page.candidates)
        self.last_read = page.last_read


@dataclass(slots=True)
class Merge:
    """Partitions that are read as one.

    Args:
        pages: The first page of each partition, already read.
        fetch: Reads the following ones.
    """

    pages: Sequence[tuple[PartitionRead, IndexPage]]
    fetch: FetchPage
    _partitions: list[_Partition] = field(init=False)
    _pages_left: int = field(default=MAX_FURTHER_PAGES, init=False)
    _last_taken: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._partitions = [
            _Partition(read, deque(page.candidates), page.last_read) for read, page in self.pages
        ]

    @property
    def has_unread(self) -> bool:
        """Whether anything may follow: something was read and not taken, or a partition has not ended."""
        return self._leader() is not None

    @property
    def resume_before(self) -> str | None:
        """Where to go on, once ``take`` gave nothing: the newest of the last ids of what has not ended; None at the end."""
        leader = self._leader()
        return None if leader is None or leader.unread else leader.last_read

    def take(self, limit: int) -> list[Candidate]:
        """Return up to so many next candidates, each fact once; none at the end, or when the budget is spent.

        Reads a page only if it would otherwise return nothing.
        """
        taken = self._take_read(limit)
        while not taken:
            leader = self._leader()
            if leader is None or self._pages_left == 0:
                return []
            self._pages_left -= 1
            leader.add(self.fetch(leader.read, leader.last_read))
            taken = self._take_read(limit)
        return taken

    def _take_read(self, limit: int) -> list[Candidate]:
        taken: list[Candidate] = []
        while len(taken) < limit:
            leader = self._leader()
            if leader is None or not leader.unread:
                break
            candidate = leader.unread.popleft()
            # A fact may lie in two partitions: of an org and of a project there, or current and closed while it moves.
            if candidate.fact_id != self._last_taken:
                taken.append(candidate)
                self._last_taken = candidate.fact_id
        return taken

    def _leader(self) -> _Partition | None:
        """Return the partition whose next id is the newest; of two alike one that need not be read."""
        self._partitions = [p for p in self._partitions if p.position is not None]
        return max(self._partitions, key=lambda p: (p.position or "", bool(p.unread)), default=None)
