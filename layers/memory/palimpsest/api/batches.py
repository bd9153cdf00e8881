"""Batches of records, as Lambda hands them over from a stream or a queue, and the partial answer that it understands."""

import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from aws_lambda_powertools import Logger

Record = Mapping[str, Any]
Told = TypeVar("Told")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Generic[Told]):
    """One kind of record.

    Attributes:
        identify: From a record to the name by which Lambda knows it in ``batchItemFailures``.
        read: From a record to what it tells; raises ``ValueError`` for one that cannot be read.
        work: Does what a batch's records tell; returns the keys of what could not be done now.
        said: What the batch's log line says besides its counts.
    """

    identify: Callable[[Record], str]
    read: Callable[[Record], Sequence[Told]]
    work: Callable[[Sequence[Told]], Collection[Hashable]]
    said: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchApplication(Generic[Told]):
    """Does what a batch tells.

    Attributes:
        sources: By the records' ``eventSource``.
        key_of: From what is told to the key under which it is done, or not, as a whole.
        logger: One line for each batch: counts and a duration.
        line: The message of that line.
        things: How the line calls what has a key.
    """

    sources: Mapping[str, Source[Told]]
    key_of: Callable[[Told], Hashable]
    logger: Logger
    line: str
    things: str

    def __call__(self, event: Mapping[str, Any], _context: object) -> dict[str, Any]:
        """Return which records are to come again: Lambda redelivers a stream from the lowest of them, a queue each."""
        started = time.perf_counter()
        records: list[Record] = event["Records"]
        if not records:
            return {"batchItemFailures": []}
        source = self.sources[records[0]["eventSource"]]
        told = [self._read(source, record) for record in records]
        together = [one for each in told for one in each or ()]
        failed = source.work(together) if together else ()
        again = [
            source.identify(record)
            for record, each in zip(records, told, strict=True)
            if each is None or any(self.key_of(one) in failed for one in each)
        ]
        fields = {
            "records": len(records),
            self.things: len(set(map(self.key_of, together))),
            "failed": len(again),
            **source.said,
            "duration_ms": round((time.perf_counter() - started) * 1000, 1),
        }
        self.logger.info(self.line, extra=fields)
        return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in again]}

    def _read(self, source: Source[Told], record: Record) -> Sequence[Told] | None:
        """Return what a record tells, or None if it cannot be read: Lambda's limits decide what becomes of it."""
        try:
            return source.read(record)
        except ValueError as error:
            fields = {"record": source.identify(record), "error": type(error).__name__}
            self.logger.error("record_unreadable", extra=fields)  # noqa: TRY400 - a trace would quote it
            return None
