"""List facts: newest first, page by page."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasures
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter, check_filter, matches, matches_kind
from palimpsest.domain.json_text import write_json
from palimpsest.domain.reading import can_find, is_shown_now, may_be_shown
from palimpsest.domain.revisions import was_current_at
from palimpsest.ports.clock import Clock
from palimpsest.ports.cursors import Cursors
from palimpsest.ports.facts import FactQuery, FactRepository, FactWalk
from palimpsest.use_cases.budgets import MAX_ANSWER_BYTES, count_fitting
from palimpsest.use_cases.walks import collect


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """What is asked for.

    Attributes:
        wanted: What the list is narrowed to.
        limit: At most so many facts; 1 to 100.
        as_of: Memory as it stood then; None for now.
        cursor: Where the page before ended; None for the first page.
        list_name: Everything that tells this list from another: its path and all its parameters but cursor and limit.
    """

    wanted: FactFilter = field(default_factory=FactFilter)
    limit: int
    as_of: datetime | None = None
    cursor: str | None = None
    list_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a list.

    Attributes:
        revisions: Newest fact first. May be short, even empty, before the end.
        next_cursor: Where the list goes on; None at its end, and only there.
    """

    revisions: list[Revision]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFacts:
    """Pages through the facts that a caller may see.

    Attributes:
        facts: Where they are kept.
        cursors: Seals where a list goes on.
        clock: The time of day.
        measure: Bytes that a revision takes in the answer as it is sent.
        room: Bytes that an answer may have.
    """

    facts: FactRepository
    cursors: Cursors
    clock: Clock
    measure: Callable[[Revision], int]
    room: int = MAX_ANSWER_BYTES

    def __call__(self, caller: Caller, request: ListRequest) -> Page:
        """Return one page.

        Whoever follows the cursors meets every fact that was there at the start exactly once: order is by the fact's first
        write, which nothing changes.

        Raises:
            ScopeMismatchError: If the filter names another tenant.
            KeyProjectMismatchError: If it names another project than the key is limited to.
            InvalidCursorError: If the cursor does not open for this list and caller.
            StoreUnavailableError: If the store does not answer in time.
        """
        check_filter(request.wanted, caller)
        binding = _binding(caller, request)
        before = self.cursors.open(request.cursor, binding=binding) if request.cursor else None
        walk = self.facts.walk(
            FactQuery(
                caller=caller,
                wanted=request.wanted,
                as_of=request.as_of,
                before=before,
                page_size=request.limit,
            )
        )
        found, position = self._collect(caller, request, walk)
        revisions, cut = self._cut(found)
        position = cut or position
        return Page(
            revisions=revisions,
            next_cursor=self.cursors.seal(position, binding=binding) if position else None,
        )

    def _collect(
        self, caller: Caller, request: ListRequest, walk: FactWalk
    ) -> tuple[list[Revision], str | None]:
        """Return up to a page of revisions, and where the walk goes on: None at its end."""
        wanted, now = request.wanted, self.clock.now()

        def is_wanted(fact: Fact) -> bool:
            if request.as_of is not None:
                kept = fact.revision
                return can_find(caller, fact) and matches_kind(
                    wanted, caller, fact_type=kept.type, scope=kept.scope
                )
            return is_shown_now(caller, fact, wanted, now=now, open_erasures=walk.open_erasures)

        collected = collect(walk, is_wanted, request.limit)
        if request.as_of is None:
            return [fact.revision for fact in collected.facts], collected.resume_before
        as_they_stood = self._as_of(caller, collected.facts, request.as_of, walk.open_erasures)
        # What it was filed under by then may be other than what it is filed under now.
        revisions = [revision for revision in as_they_stood if matches(wanted, revision, caller)]
        return revisions, collected.resume_before

    def _as_of(
        self, caller: Caller, facts: list[Fact], as_of: datetime, open_erasures: OpenErasures
    ) -> list[Revision]:
        """Return the revisions that were current then, in the facts' order; one more read for each changed since."""
        changed = [fact.id for fact in facts if fact.revision.created_at > as_of]
        earlier = self.facts.find_revisions_at(caller.tenant_id, changed, as_of) if changed else {}
        now = self.clock.now()
        revisions = [
            (fact, fact.revision if fact.revision.created_at <= as_of else earlier.get(fact.id))
            for fact in facts
        ]
        return [
            revision
            for fact, revision in revisions
            if revision is not None
            and was_current_at(revision, as_of)
            and may_be_shown(caller, fact, revision, now=now, open_erasures=open_erasures)
        ]

    def _cut(self, found: list[Revision]) -> tuple[list[Revision], str | None]:
        """Return what one answer holds of a page, and the last id in it if something was cut off."""
        count = count_fitting(map(self.measure, found), self.room)
        return found[:count], found[count - 1].fact_id if count < len(found) else None


def _binding(caller: Caller, request: ListRequest) -> str:
    return write_json([caller.tenant_id, caller.name, caller.project_limit, request.list_name])
