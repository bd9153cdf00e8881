"""Requests that change something, with their time and ids."""

from dataclasses import dataclass
from datetime import timedelta

from palimpsest.domain.callers import Caller
from palimpsest.domain.facts import RunStep
from palimpsest.domain.idempotency import Minted
from palimpsest.domain.ids import made_at
from palimpsest.domain.revisions import Act
from palimpsest.ports.clock import Clock
from palimpsest.ports.ids import Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Acts:
    """Begins acts.

    Attributes:
        clock: The time of day.
        ids: New ids.
        unverified_window: How long unverified revisions stay readable; None for ever.
        embedding_model: What this deployment embeds with; None where it does not.
    """

    clock: Clock
    ids: Ids
    unverified_window: timedelta | None = None
    embedding_model: str | None = None

    def begin(
        self, caller: Caller, *, step: RunStep | None = None, minted: Minted | None = None
    ) -> Act:
        """Return a new act of this caller, its clock never before the time that stands in its id.

        A list as of an instant stops at the first id after it (``palimpsest.domain.ids.first_after``); so no fact may be made
        before its own id, though ids are counted up where two fall into one millisecond or the clock steps back.

        Args:
            caller: Who asks.
            step: The agent's run step, where the request names one.
            minted: Ids that stand already, for a request that may be sent again.
        """
        if minted is None:
            minted = Minted(new_id=self.ids.new_id(), operation_id=self.ids.new_id())
        return Act(
            caller=caller,
            now=max(self.clock.now(), made_at(minted.new_id)),
            operation_id=minted.operation_id,
            new_id=minted.new_id,
            is_taken_over=minted.is_taken_over,
            step=step,
            unverified_window=self.unverified_window,
            embedding_model=self.embedding_model,
        )
