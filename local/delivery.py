"""How Lambda delivers a stream's records to a function: again and again, until they are done or given up.

The rules are those of event source mappings for DynamoDB streams ("Using AWS Lambda with Amazon DynamoDB"):

* A shard's records go in order, one batch at a time; the next waits until this one is done or given up.
* Without an error the checkpoint moves behind the batch. With `batchItemFailures` it moves to the *lowest* number in them;
  that record and everything after it come again, those that succeeded too. An item that names no record of the batch, or
  nothing, fails the whole batch; so does an exception.
* Bisecting cuts a failed batch in two, at the failed record where one was named, and consumes no retry.
* A batch whose retries are spent, or a record that is too old, goes to the failure destination, and the shard moves on.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from local.mapping import WITHOUT_END, EventMapping, Record

RETRIES_EXHAUSTED = "RetryAttemptsExhausted"
TOO_OLD = "RecordAgeExceeded"

logger = logging.getLogger(__name__)


class Failures(Protocol):
    """Where records go that are given up."""

    def keep(self, records: Sequence[Record], *, condition: str, attempts: int) -> None:
        """Keep the records for a person to look at."""
        ...


Invoke = Callable[[Mapping[str, Any]], object]
"""Calls the function with an event; raises whatever goes wrong with it."""


def number_of(record: Record) -> int:
    """Return a record's sequence number: records of one shard sort by it."""
    return int(record["dynamodb"]["SequenceNumber"])


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Delivers batches of one shard.

    Args:
        mapping: The rules.
        invoke: Calls the function.
        failures: Where records go that are given up.
        checkpoint: Told the number of a record up to which everything is done, or given up.
        pause: Waits before a try, told how many have failed; False to stop delivering.
        now: Seconds since the epoch.
    """

    mapping: EventMapping
    invoke: Invoke
    failures: Failures
    checkpoint: Callable[[int], None]
    pause: Callable[[int], bool]
    now: Callable[[], float]

    def deliver(self, records: Sequence[Record]) -> bool:
        """Deliver records, in order and in batches, until all are done or given up.

        Returns:
            False if it was stopped before that: what lies behind the checkpoint has to come again.
        """
        size = self.mapping.batch_size
        waiting = deque((records[i : i + size], 0) for i in range(0, len(records), size))
        while waiting:
            batch, attempts = waiting.popleft()
            batch = self._without_old(batch, attempts)
            if not batch:
                continue
            done = self._done(batch)
            if done:
                self.checkpoint(number_of(batch[done - 1]))
            rest = batch[done:]
            if not rest:
                continue
            again = self._again(rest, attempts, has_moved=done > 0)
            waiting.extendleft(reversed(again))
            if again and not self.pause(attempts + 1):
                return False
        return True

    def _done(self, batch: Sequence[Record]) -> int:
        """Call the function; return how many records, from the first, are done."""
        try:
            answer = self.invoke({"Records": list(batch)})
        # Whatever ends a call is for Lambda a failed batch.
        except Exception:  # noqa: BLE001
            logger.warning("A batch failed", extra={"records": len(batch)})
            return 0
        if not self.mapping.reports_failures:
            return len(batch)
        return _done_of(batch, answer)

    def _again(
        self, rest: Sequence[Record], attempts: int, *, has_moved: bool
    ) -> list[tuple[Sequence[Record], int]]:
        """Return what to try next of the records that are not done, or give them up."""
        if self.mapping.is_bisected:
            if has_moved:
                return [(rest, attempts)]
            if len(rest) > 1:
                middle = len(rest) // 2
                return [(rest[:middle], attempts), (rest[middle:], attempts)]
        if self.mapping.retries == WITHOUT_END or attempts < self.mapping.retries:
            return [(rest, attempts + 1)]
        self._give_up(rest, RETRIES_EXHAUSTED, attempts + 1)
        return []

    def _without_old(self, batch: Sequence[Record], attempts: int) -> Sequence[Record]:
        if self.mapping.max_age_seconds == WITHOUT_END:
            return batch
        oldest = self.now() - self.mapping.max_age_seconds
        # They are in order, so that the old ones stand in front.
        old = [r for r in batch if r["dynamodb"]["ApproximateCreationDateTime"] < oldest]
        if old:
            self._give_up(old, TOO_OLD, attempts)
        return batch[len(old) :]

    def _give_up(self, records: Sequence[Record], condition: str, attempts: int) -> None:
        self.failures.keep(records, condition=condition, attempts=attempts)
        self.checkpoint(number_of(records[-1]))


def _done_of(batch: Sequence[Record], answer: object) -> int:
    """Return how many records are done before the lowest one that failed."""
    failures = answer.get("batchItemFailures") if isinstance(answer, Mapping) else None
    if not failures:
        return len(batch)
    places = {record["dynamodb"]["SequenceNumber"]: i for i, record in enumerate(batch)}
    try:
        return min(places[failure["itemIdentifier"]] for failure in failures)
    except (KeyError, TypeError):
        return 0
