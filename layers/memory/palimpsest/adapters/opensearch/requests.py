"""Sending requests: again while that can help, and each item of a bulk looked at."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException

from palimpsest.adapters.opensearch.documents import SHOWN_FIELDS, Standing
from palimpsest.adapters.opensearch.errors import TRANSIENT_STATUSES, index_errors, is_transient
from palimpsest.adapters.opensearch.queries import documents_body
from palimpsest.ports.pauses import Pauses

# Serverless takes 10 MiB; a hundred documents with vectors of 1,024 numbers are some 2 MB (VectorDBBench#802).
MAX_BULK_ITEMS = 100
MAX_BULK_BYTES = 4_000_000

# One page of a listing; a fact seldom has more than one or two documents.
PAGE_SIZE = 1_000
# So many keys in one listing keep its body small.
KEYS_AT_ONCE = 500

# What a bulk says of an item.
OK, CREATED, NOT_FOUND, CONFLICT = 200, 201, 404, 409


@dataclass(frozen=True, slots=True)
class Operation:
    """One line or two of a bulk.

    Attributes:
        name: `index` or `delete`.
        target: Index, id, version.
        source: The document; None for a deletion.
        fact_id: Who is told about when it fails.
    """

    name: str
    target: Mapping[str, Any]
    source: Mapping[str, Any] | None
    fact_id: str

    def lines(self) -> str:
        """Return it as it stands in a bulk's body; ASCII, so that any text passes."""
        parts = (
            [{self.name: self.target}]
            if self.source is None
            else [{self.name: self.target}, self.source]
        )
        return "".join(json.dumps(part) + "\n" for part in parts)

    def is_done(self, status: int) -> bool:
        """Tell whether an item's status means that the index is as wanted.

        A conflict is a newer version that stands already; a deletion finds nothing when it comes again.
        """
        as_wanted = {CONFLICT} if self.name == "index" else {CONFLICT, NOT_FOUND}
        return status in {OK, CREATED} | as_wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Sends requests to one server.

    Attributes:
        client: See ``clients``.
        pauses: Waits between attempts.
        attempts: How often one request is sent in all.
    """

    client: OpenSearch
    pauses: Pauses
    attempts: int

    def search(self, indexes: str, body: Mapping[str, Any]) -> list[Standing]:
        """Return what a search finds, in its order.

        Raises:
            SearchUnavailableError, StoreFailedError: See ``errors.index_errors``.
        """
        return [_standing(hit) for hit in self._hits(indexes, body)]

    def list_documents(
        self,
        indexes: str,
        keys: Iterable[str],
        *,
        by: str = "fact",
        fields: Sequence[str] = SHOWN_FIELDS,
    ) -> Iterator[Standing]:
        """Yield every visible document of these facts or in these places.

        Args:
            indexes: Names, parted by commas.
            keys: As ``queries.documents_body``, and so are ``by`` and ``fields``.
            by: The field that holds them.
            fields: What is read of each.

        Raises:
            SearchUnavailableError, StoreFailedError: See ``errors.index_errors``.
        """
        ordered = sorted(set(keys))
        for start in range(0, len(ordered), KEYS_AT_ONCE):
            after: Sequence[Any] = ()
            while True:
                some = ordered[start : start + KEYS_AT_ONCE]
                body = documents_body(some, by=by, fields=fields, page_size=PAGE_SIZE, after=after)
                hits = self._hits(indexes, body)
                yield from map(_standing, hits)
                if len(hits) < PAGE_SIZE:
                    break
                after = hits[-1]["sort"]

    def write(self, operations: Sequence[Operation]) -> frozenset[str]:
        """Carry out operations, in order.

        Returns:
            Ids of the facts of which at least one operation failed.

        Raises:
            SearchUnavailableError, StoreFailedError: If a whole bulk failed; what came before it is done.
        """
        failed: set[str] = set()
        for batch in _batches(operations):
            failed |= self._write_batch(batch)
        return frozenset(failed)

    def _write_batch(self, batch: Sequence[Operation]) -> set[str]:
        waiting, failed = list(batch), set[str]()
        for attempt in range(1, self.attempts + 1):
            body = "".join(operation.lines() for operation in waiting)
            statuses = _statuses(self._send("POST", "/_bulk", body=body))
            answered = list(zip(waiting, statuses, strict=True))
            undone = [(op, status) for op, status in answered if not op.is_done(status)]
            waiting = [op for op, status in undone if status in TRANSIENT_STATUSES]
            failed |= {op.fact_id for op, status in undone if status not in TRANSIENT_STATUSES}
            if not waiting:
                break
            if attempt < self.attempts:
                self.pauses.pause(attempt)
        return failed | {operation.fact_id for operation in waiting}

    def _hits(self, indexes: str, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        answer = self._send("POST", f"/{indexes}/_search", body=body)
        hits: list[Mapping[str, Any]] = answer["hits"]["hits"]
        return hits

    def _send(self, method: str, path: str, *, body: Any) -> Any:
        with index_errors():
            for attempt in range(1, self.attempts):
                try:
                    return self.client.transport.perform_request(method, path, body=body)
                except OpenSearchException as error:
                    if not is_transient(error):
                        raise
                self.pauses.pause(attempt)
            return self.client.transport.perform_request(method, path, body=body)


def _standing(hit: Mapping[str, Any]) -> Standing:
    return Standing(
        index=hit["_index"], id=hit["_id"], score=hit.get("_score") or 0.0, source=hit["_source"]
    )


def _statuses(answer: Mapping[str, Any]) -> list[int]:
    return [int(told["status"]) for item in answer["items"] for told in item.values()]


def _batches(operations: Sequence[Operation]) -> Iterator[list[Operation]]:
    batch: list[Operation] = []
    size = 0
    for operation in operations:
        length = len(operation.lines())
        if batch and (len(batch) == MAX_BULK_ITEMS or size + length > MAX_BULK_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(operation)
        size += length
    if batch:
        yield batch
