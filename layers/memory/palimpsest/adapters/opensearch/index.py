"""An index of facts in OpenSearch: Serverless of either generation, or a server of one's own."""

import sys
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.opensearch.capabilities import Collection
from palimpsest.adapters.opensearch.documents import (
    COMPARED_FIELDS,
    Document,
    Standing,
    fact_key,
    fold,
    history_place,
    newest,
    to_cosine,
    to_document,
    to_hit,
    to_indexed_as,
)
from palimpsest.adapters.opensearch.queries import (
    LEAST_DEPTH,
    MAX_DEPTH,
    keyword_body,
    vector_body,
)
from palimpsest.adapters.opensearch.requests import Operation, Requests
from palimpsest.domain.errors import StoreFailedError
from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import Hit, IndexedAs, IndexedFact, Search


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSearchFactIndex:
    """See ``palimpsest.ports.index.FactIndex``. Writes become visible at the server's next refresh.

    ``remove`` takes away what can be seen by then: a fact whose ``put`` shows later must be removed again.

    Attributes:
        requests: To the server.
        collection: What the server can do.
        current: Name of the index of current facts, or an alias of it.
        history: Name of the history index, or an alias of it.
        dimension: Length of its vectors; None where it has none.
    """

    requests: Requests
    collection: Collection
    current: str
    history: str
    dimension: int | None

    def put(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.put``. One request more than a ``retire``, to see what is history by now.

        Raises:
            StoreFailedError: If a vector has another length than those of the index.
        """
        archived = self._find_archived(_key_of(fact) for fact in facts)
        return self._write([f for f in facts if _key_of(f) not in archived], is_current=True)

    def retire(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.retire`` and ``put``."""
        return self._write(facts, is_current=False)

    def archive(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.archive`` and ``put``. Where a document has no id of ours, what cannot be seen yet stays."""
        failed = self._write(facts, is_current=False)
        moved = [fact for fact in facts if fact.fact_id not in failed]
        return failed | self.requests.write(self._departures(moved))

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> frozenset[str]:
        """See ``FactIndex.remove``. Two requests for some hundreds of facts."""
        keys = [fact_key(tenant_id, fact_id) for fact_id in fact_ids]
        found = self.requests.list_documents(f"{self.current},{self.history}", keys)
        return self.requests.write([self._deletion(standing) for standing in found])

    def keyword_search(self, query: str, search: Search) -> list[Hit]:
        """See ``FactIndex.keyword_search``: BM25 as Lucene has it, over all tenants' texts."""
        found = self._search(search, lambda depth: keyword_body(query, search, depth=depth))
        return [to_hit(standing, max(standing.score, sys.float_info.min)) for standing in found]

    def vector_search(self, vector: Sequence[float], search: Search) -> list[Hit]:
        """See ``FactIndex.vector_search``: HNSW; exact where the filter lets fewer through than are looked for.

        Raises:
            StoreFailedError: As ``put``.
        """
        self._check_dimension(vector)
        found = self._search(search, lambda depth: vector_body(vector, search, depth=depth))
        return [to_hit(standing, to_cosine(standing.score)) for standing in found]

    def find_indexed(self, tenant_id: str, fact_ids: Sequence[str]) -> dict[str, IndexedAs]:
        """See ``FactIndex.find_indexed``. Tells what can be seen by now."""
        keys = [fact_key(tenant_id, fact_id) for fact_id in fact_ids]
        found = self.requests.list_documents(self.current, keys, fields=COMPARED_FIELDS)
        return {
            standing.fact_id: to_indexed_as(standing)
            for standing in fold(found, with_history=False)
        }

    def find_archived(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, IndexedAs]:
        """See ``FactIndex.find_archived``. Tells what can be seen by now."""
        found = self._find_archived(
            (fact_key(tenant_id, fact_id), version) for fact_id, version in revisions
        )
        return {(s.fact_id, s.version): to_indexed_as(s) for s in found.values()}

    def _find_archived(
        self, revisions: Iterable[tuple[str, int]]
    ) -> dict[tuple[str, int], Standing]:
        """Return what stands in the history of these revisions, both named by their fact's key and their version."""
        places = [history_place(key, version) for key, version in revisions]
        found = self.requests.list_documents(
            self.history, places, by="place", fields=COMPARED_FIELDS
        )
        return {(str(s.source["fact"]), s.version): s for s in found}

    def _search(
        self, search: Search, body_of: Callable[[int], dict[str, Any] | None]
    ) -> list[Standing]:
        """Search deeper while duplicates leave fewer than are wanted."""
        indexes = f"{self.current},{self.history}" if search.with_history else self.current
        depth = max(search.limit, LEAST_DEPTH)
        while True:
            body = body_of(depth)
            found = [] if body is None else self.requests.search(indexes, body)
            folded = fold(found, with_history=search.with_history)
            if len(folded) >= search.limit or len(found) < depth or depth == MAX_DEPTH:
                return folded[: search.limit]
            depth = min(MAX_DEPTH, 4 * depth)

    def _write(self, facts: Sequence[IndexedFact], *, is_current: bool) -> frozenset[str]:
        for fact in facts:
            if fact.vector is not None:
                self._check_dimension(fact.vector)
        index = self.current if is_current else self.history
        documents = newest(to_document(fact, is_current=is_current) for fact in facts)
        if self.collection.supports_document_ids:
            return self.requests.write([_versioned(index, document) for document in documents])
        return self._replace(index, documents)

    def _replace(self, index: str, documents: Sequence[Document]) -> frozenset[str]:
        """Write beside what stands, then take that away: never the other way round, or a crash loses the fact."""
        standing: dict[str, list[Standing]] = defaultdict(list)
        keys = [str(document.source["fact"]) for document in documents]
        for found in self.requests.list_documents(index, keys):
            standing[str(found.source["place"])].append(found)
        written = [d for d in documents if not _is_settled(d, standing[d.place])]
        failed = self.requests.write([_unversioned(index, document) for document in written])
        surplus = [
            self._deletion(found)
            for document in documents
            if document.fact_id not in failed
            for found in _surplus(document, standing[document.place])
        ]
        return failed | self.requests.write(surplus)

    def _departures(self, facts: Sequence[IndexedFact]) -> list[Operation]:
        """Return what takes these revisions, and earlier ones of their facts, out of the index of current facts."""
        if self.collection.supports_document_ids:
            return [_versioned_deletion(self.current, *_key_of(f), f.fact_id) for f in facts]
        last = {_key_of(fact)[0]: fact.version for fact in facts}
        return [
            self._deletion(found)
            for found in self.requests.list_documents(self.current, last)
            if found.version <= last[str(found.source["fact"])]
        ]

    def _deletion(self, standing: Standing) -> Operation:
        if self.collection.supports_document_ids:
            place = (standing.index, standing.id)
            return _versioned_deletion(*place, standing.version, standing.fact_id)
        target = {"_index": standing.index, "_id": standing.id}
        return Operation("delete", target, None, standing.fact_id)

    def _check_dimension(self, vector: Sequence[float]) -> None:
        if len(vector) != self.dimension:
            raise StoreFailedError("The index holds vectors of another length: build a new one.")


def _versioned(index: str, document: Document) -> Operation:
    """The place is the id; of two writers the higher version stays, whatever order they come in."""
    target: dict[str, Any] = {"_index": index, "_id": document.place}
    target |= {"version": document.version, "version_type": "external_gte"}
    return Operation("index", target, {**document.source, "key": document.place}, document.fact_id)


def _versioned_deletion(index: str, place: str, version: int, fact_id: str) -> Operation:
    """With a version: what is later stays, a later put wins, and the next version is not locked out."""
    target: dict[str, Any] = {"_index": index, "_id": place}
    target |= {"version": version, "version_type": "external_gte"}
    return Operation("delete", target, None, fact_id)


def _key_of(fact: IndexedFact) -> tuple[str, int]:
    return (fact_key(fact.scope.tenant_id, fact.fact_id), fact.version)


def _unversioned(index: str, document: Document) -> Operation:
    source = {**document.source, "key": uuid.uuid4().hex}
    return Operation("index", {"_index": index}, source, document.fact_id)


def _is_settled(document: Document, standing: Sequence[Standing]) -> bool:
    return any(
        found.version > document.version or found.source["digest"] == document.digest
        for found in standing
    )


def _surplus(document: Document, standing: Sequence[Standing]) -> list[Standing]:
    """What stands in the document's place and must go, now that the document or a later one is there."""
    newest_version = max((found.version for found in standing), default=0)
    kept = [
        found
        for found in standing
        if found.version == newest_version
        and (newest_version > document.version or found.source["digest"] == document.digest)
    ]
    return [found for found in standing if found not in kept[:1]]
