"""Batches of records, as Lambda hands them over from a stream or a queue, and the partial answer that it understands."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools import Logger

from palimpsest.domain.projection import FactKey, Notice

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One kind of record.

    Attributes:
        identify: From a record to the name by which Lambda knows it in ``batchItemFailures``.
        read: From a record to what it tells; raises ``ValueError`` for one that cannot be read.
        is_recheck: It asks for a second look.
    """

    identify: Callable[[Record], str]
    read: Callable[[Record], Sequence[Notice]]
    is_recheck: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchApplication:
    """Projects the facts that a batch tells of.

    Attributes:
        sources: By the records' ``eventSource``.
        index_facts: Projects facts; returns those that could not be projected now. The second argument: a second look.
        logger: One line for each batch: counts and a duration.
    """

    sources: Mapping[str, Source]
    index_facts: Callable[[Sequence[Notice], bool], frozenset[FactKey]]
    logger: Logger

    def __call__(self, event: Mapping[str, Any], _context: object) -> dict[str, Any]:
        """Return which records are to come again: Lambda redelivers a stream from the lowest of them, a queue each."""
        started = time.perf_counter()
        records: list[Record] = event["Records"]
        if not records:
            return {"batchItemFailures": []}
        source = self.sources[records[0]["eventSource"]]
        told = [self._read(source, record) for record in records]
        notices = [notice for each in told for notice in each or ()]
        failed = self.index_facts(notices, source.is_recheck) if notices else frozenset()
        again = [
            source.identify(record)
            for record, each in zip(records, told, strict=True)
            if each is None or any(notice.key in failed for notice in each)
        ]
        fields = {
            "records": len(records),
            "facts": len({notice.key for notice in notices}),
            "failed": len(again),
            "is_recheck": source.is_recheck,
            "duration_ms": round((time.perf_counter() - started) * 1000, 1),
        }
        self.logger.info("batch_projected", extra=fields)
        return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in again]}

    def _read(self, source: Source, record: Record) -> Sequence[Notice] | None:
        """Return what a record tells, or None if it cannot be read: Lambda's limits decide what becomes of it."""
        try:
            return source.read(record)
        except ValueError as error:
            fields = {"record": source.identify(record), "error": type(error).__name__}
            self.logger.error("record_unreadable", extra=fields)  # noqa: TRY400 - a trace would quote it
            return None
