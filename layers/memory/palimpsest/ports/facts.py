"""Facts as they are kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasures
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter

# Which revision: the id of its fact, and its version.
RevisionKey = tuple[str, int]

# A transaction takes 100 items. An atom brings itself, two people, three pointers and its domain's tally; one that is replaced
# or moved brings itself and its domain's tally.
MAX_ADDED_TOGETHER = 14
MAX_CLOSED_TOGETHER = 32
MAX_MOVED_TOGETHER = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What one look at a fact finds.

    Attributes:
        fact: As it stands now; None when there is none with this id.
        revision: The revision that was asked for, when one was; else None.
        open_erasures: The tenant's, read at the same time.
    """

    fact: Fact | None
    open_erasures: OpenErasures
    revision: Revision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactQuery:
    """Which facts a list walks through.

    Attributes:
        caller: Whose audiences are read.
        wanted: Used to read fewer partitions; what comes back may still fail it.
        as_of: Closed facts come too, and none that was first written later; None for the present.
        with_closed: Closed facts come too, for a list that shows what was replaced.
        before: Only facts with a lower id; None to start from the newest.
        page_size: About how many facts the list wants.
    """

    caller: Caller
    wanted: FactFilter = field(default_factory=FactFilter)
    as_of: datetime | None = None
    with_closed: bool = False
    before: str | None = None
    page_size: int = 25

    @property
    def takes_closed(self) -> bool:
        """Whether facts come that are closed now."""
        return self.with_closed or self.as_of is not None


class FactWalk(Protocol):
    """A walk through facts, newest first by id, each at most once, read lazily and within a budget.

    What it yields may not be for the caller's eyes: sight, filter, expiry and erasure are the reader's to check.
    """

    @property
    def open_erasures(self) -> OpenErasures:
        """The tenant's, read no later than the first fact."""
        ...

    def __iter__(self) -> Iterator[Fact]:
        """Yield facts until there are no more, or the budget of reads is spent."""
        ...

    @property
    def resume_before(self) -> str | None:
        """After the last yield: where the walk goes on if its budget ended it; None if there is nothing more."""
        ...

    @property
    def has_unread(self) -> bool:
        """Whether something may follow what was yielded so far."""
        ...


class FactRepository(Protocol):
    """The truth: facts with all their revisions, each tenant's apart from every other's.

    What facts of some types bring along, such as the tallies of ``AtomDirectory``, changes with them in the same transaction,
    whichever method writes.

    Every method may raise ``StoreUnavailableError`` (throttled, or no answer in time) and ``StoreFailedError``. All reads but
    the walk of a list are consistent: they see every write that was answered before.
    """

    def load(self, tenant_id: str, fact_id: str, *, version: int | None = None) -> Loaded:
        """Look at a fact and at the open erasures, in one consistent read.

        Args:
            tenant_id: The caller's.
            fact_id: Any text; one that is no id finds nothing.
            version: Of the revision to find with it.
        """
        ...

    def load_many(
        self, tenant_id: str, fact_ids: Sequence[str]
    ) -> tuple[dict[str, Fact], OpenErasures]:
        """Look at many facts and at the open erasures, consistently and side by side.

        Args:
            tenant_id: The caller's.
            fact_ids: Any texts, in any order; repeats count once.

        Returns:
            By id, the facts that there are, as they stand now, deleted ones too; and the tenant's open erasures.
        """
        ...

    def load_revisions(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, Revision]:
        """Look at many earlier revisions, consistently and side by side.

        Args:
            tenant_id: The caller's.
            revisions: Any texts and numbers, in any order; repeats count once.

        Returns:
            Those that there are, without any that stands now: ``load_many`` has that.
        """
        ...

    def find_revision_at(self, tenant_id: str, fact_id: str, instant: datetime) -> Revision | None:
        """Return the newest revision that was made at or before an instant, closed since or not; None when there is none."""
        ...

    def walk_revisions(self, tenant_id: str, fact_id: str) -> Iterator[Revision]:
        """Yield the earlier revisions of a fact, newest first, without the one that stands now; read lazily."""
        ...

    def walk(self, query: FactQuery) -> FactWalk:
        """Start a walk through facts. It may lag a write by milliseconds."""
        ...

    def find_revisions_at(
        self, tenant_id: str, fact_ids: list[str], instant: datetime
    ) -> dict[str, Revision]:
        """Return, by fact id, what ``find_revision_at`` finds for each, read side by side."""
        ...

    def get_open_erasures(self, tenant_id: str) -> OpenErasures:
        """Return the tenant's open erasures, read consistently."""
        ...

    def add(self, fact: Fact) -> None:
        """Keep a new fact and a pointer for everybody whom it names, all or nothing.

        Adding the same fact again (same id and operation id) changes nothing and succeeds.

        Raises:
            WriteConflictError: If another fact has this id, or a transaction is in the way.
            TooLargeError: If it is over the store's budget with all its fields.
        """
        ...

    def replace(self, before: Fact, closed: Revision, after: Fact) -> None:
        """Move a fact to its next revision: one is closed, one opened, pointers added for newly named people, all or nothing.

        Doing the same again (same operation id) changes nothing and succeeds.

        Args:
            before: As it was read.
            closed: Its revision, closed.
            after: The fact with its new revision, version ``before.version + 1``.

        Raises:
            WriteConflictError: If the fact is not at ``before.version`` any more, was closed or given another valence, or a
                transaction is in the way.
            TooLargeError: If it is over the store's budget with all its fields.
        """
        ...

    def add_all(
        self,
        facts: Sequence[Fact],
        closing: Sequence[tuple[Fact, Fact]] = (),
        *,
        stale: frozenset[str] = frozenset(),
    ) -> None:
        """Keep new facts and close others, all or nothing.

        Doing the same again (same first fact, same operation id) changes nothing and succeeds.

        Args:
            facts: At least one. Up to ``MAX_ADDED_TOGETHER`` atoms fit beside no ``closing``.
            closing: Facts as they were read, each with the same fact closed. Up to ``MAX_CLOSED_TOGETHER`` fit beside one atom.
            stale: Ids of facts that were found to say what a new one says and to have ended, at most 60; those in ``closing``
                need not be named.

        Raises:
            DuplicateFactError: If the last atom that was written with the very same text, in the domain and scope of a new one,
                is not in ``stale``; or two of the new ones are alike. Whether it still stands is not looked at.
            WriteConflictError: If another fact has one of these ids, one in ``closing`` is not as it was read, or a transaction
                is in the way.
            TooLargeError: If one fact is over the store's budget, or all together over a transaction's, in bytes or number.
        """
        ...

    def move_valences(self, moves: Sequence[tuple[Fact, float]], *, operation_id: str) -> None:
        """Give facts another valence, all or nothing. No revision is made.

        Doing the same again (same operation id) changes nothing and succeeds, unless another request has moved them since.

        Args:
            moves: Facts as they were read, each with its new valence, -1 to 1; kept to six places. At least one, at most
                ``MAX_MOVED_TOGETHER``, no fact twice.
            operation_id: Of the request.

        Raises:
            WriteConflictError: If a fact is not as it was read, or a transaction is in the way.
            TooLargeError: If the facts together are over a transaction's bytes, which atoms of their own door never are.
        """
        ...

    def count_out(self, fact: Fact, *, at: datetime) -> None:
        """Take a fact that is gone out of every count and off every entity, all or nothing and only once.

        Being told the same again, at the same time or within a month, changes nothing and succeeds. A fact of a type that
        brings nothing along costs no call, nor does one that had ended before: it was counted out when it ended. Pointers to
        atoms stay: they propose, and a fact that is gone is not there to be found.

        The sweep's notice calls it. What erases facts takes them away and leaves the counting to that notice, or calls this
        itself: whoever comes second finds it done.

        Args:
            fact: As it last stood. Whether it is gone is not looked at.
            at: Now.

        Raises:
            WriteConflictError: If another writer changed the same counts at the same time.
        """
        ...

    def close(self, before: Fact, after: Fact) -> None:
        """Close a fact's current revision, or one that another fact has replaced once more, and open none.

        Doing the same again (same operation id of the closing) changes nothing and succeeds.

        Args:
            before: As it was read.
            after: The fact with its revision closed.

        Raises:
            WriteConflictError: If the fact is not at ``before.version`` any more, was given another valence, or is closed by
                another request.
        """
        ...
