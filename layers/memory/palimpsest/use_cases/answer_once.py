"""Answer a request once, however often it is sent."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import is_being_erased
from palimpsest.domain.errors import (
    EmbeddingUnavailableError,
    IdempotencyInFlightError,
    IdempotencyMismatchError,
    PalimpsestError,
    ReplayWithheldError,
    SearchUnavailableError,
    StoreError,
)
from palimpsest.domain.idempotency import KeptAnswer, Minted, Repeatable
from palimpsest.domain.instants import to_text
from palimpsest.domain.reading import can_find
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.idempotency import IdempotencyRecords
from palimpsest.ports.ids import Ids

# After these it is not known whether something was changed, or it is known that a retry may find it otherwise.
_UNSETTLED = (StoreError, SearchUnavailableError, EmbeddingUnavailableError)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOnce:
    """Runs a request under its sender's key, or gives the answer that it had.

    Attributes:
        records: Of requests.
        facts: Asked before an answer is given again.
        clock: The time of day.
        ids: New ids.
    """

    records: IdempotencyRecords
    facts: FactRepository
    clock: Clock
    ids: Ids

    def __call__(
        self, caller: Caller, request: Repeatable, run: Callable[[Minted], KeptAnswer]
    ) -> tuple[KeptAnswer, bool]:
        """Return an answer, and whether it is one that was given before.

        Args:
            caller: Who asks.
            request: The request, as its sender names it.
            run: Does the work under the ids that it is given. What it raises is raised here, and not kept.

        Raises:
            IdempotencyMismatchError: If the key was sent with another body, at work still or not.
            IdempotencyInFlightError: If somebody is at work on it.
            ReplayWithheldError: If the caller could not get what the first answer holds any more, or it was too large to keep.
        """
        tenant_id, now = caller.tenant_id, self.clock.now()
        minted = Minted(new_id=self.ids.new_id(), operation_id=self.ids.new_id())
        claim = self.records.claim(tenant_id, request, minted, now=now)
        record = claim.record
        if record.body_hash != request.body_hash:
            raise IdempotencyMismatchError("This Idempotency-Key was sent with another body.")
        if record.answer is not None:
            return self._replay(caller, record.answer), True
        if not claim.is_mine:
            raise IdempotencyInFlightError("The first request with this key is still at work.")
        return self._run(caller, request, record.minted, run), False

    def _run(
        self,
        caller: Caller,
        request: Repeatable,
        minted: Minted,
        run: Callable[[Minted], KeptAnswer],
    ) -> KeptAnswer:
        tenant_id = caller.tenant_id
        try:
            answer = run(minted)
        except Exception as error:
            is_refusal = isinstance(error, PalimpsestError) and not isinstance(error, _UNSETTLED)
            # The hold ends by itself; what went wrong first is what is told.
            with suppress(StoreError):
                self.records.let_go(
                    tenant_id, request, minted, is_undone=is_refusal and not minted.is_taken_over
                )
            raise
        with suppress(StoreError):  # the work is done: a retry takes the hold over and finds it
            self.records.keep(tenant_id, request, minted, answer)
        # What a dead owner did may have been long ago: its answer is as old as a kept one.
        if minted.is_taken_over and not self._can_get(caller, answer):
            raise _withheld(answer)
        return answer

    def _replay(self, caller: Caller, answer: KeptAnswer) -> KeptAnswer:
        """Return the kept answer if the caller could still get every fact in it."""
        if answer.body is None or not self._can_get(caller, answer):
            raise _withheld(answer)
        return answer

    def _can_get(self, caller: Caller, answer: KeptAnswer) -> bool:
        if answer.readable_until is not None and answer.readable_until <= self.clock.now():
            return False
        found, open_erasures = self.facts.load_many(caller.tenant_id, answer.fact_ids)
        return len(found) == len(answer.fact_ids) and all(
            can_find(caller, fact) and not is_being_erased(fact.id, fact.named, open_erasures)
            for fact in found.values()
        )


def _withheld(answer: KeptAnswer) -> ReplayWithheldError:
    return ReplayWithheldError(answer.status, to_text(answer.at))
