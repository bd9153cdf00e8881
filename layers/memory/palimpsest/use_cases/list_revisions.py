"""List a fact's revisions."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import FactNotFoundError
from palimpsest.domain.facts import Revision
from palimpsest.domain.reading import can_find, may_be_shown
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository
from palimpsest.use_cases.budgets import MAX_ANSWER_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """A fact's history.

    Attributes:
        revisions: Newest first, closed ones included.
        is_truncated: Older ones were left out because the answer would have been too large.
    """

    revisions: list[Revision]
    is_truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRevisions:
    """Reads a fact's whole history, as far as one answer can hold it.

    Attributes:
        facts: Where they are kept.
        clock: The time of day.
        measure: Bytes that a revision takes in the answer as it is sent.
    """

    facts: FactRepository
    clock: Clock
    measure: Callable[[Revision], int]

    def __call__(self, caller: Caller, fact_id: str) -> Revisions:
        """Return every revision that the caller may be shown now.

        Raises:
            FactNotFoundError: If there is none.
            StoreUnavailableError: If the store does not answer in time.
        """
        loaded = self.facts.load(caller.tenant_id, fact_id)
        fact = loaded.fact
        if fact is None or not can_find(caller, fact):
            raise FactNotFoundError(fact_id)
        now = self.clock.now()
        shown: list[Revision] = []
        room = MAX_ANSWER_BYTES
        earlier = self.facts.walk_revisions(caller.tenant_id, fact_id)
        for revision in chain([fact.revision], earlier):
            if not may_be_shown(
                caller, fact, revision, now=now, open_erasures=loaded.open_erasures
            ):
                continue
            room -= self.measure(revision)
            if room < 0 and shown:
                return Revisions(revisions=shown, is_truncated=True)
            shown.append(revision)
        if not shown:
            raise FactNotFoundError(fact_id)
        return Revisions(revisions=shown, is_truncated=False)
