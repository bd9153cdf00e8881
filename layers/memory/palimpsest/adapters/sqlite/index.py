"""An index of facts in one SQLite file: full text by FTS5, meaning by exact cosines in numpy. For the laptop."""

import json
import sys
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from palimpsest.adapters.sqlite import documents
from palimpsest.adapters.sqlite.documents import WORDS_TABLES
from palimpsest.adapters.sqlite.files import IndexFile
from palimpsest.adapters.sqlite.vector_cache import VectorCache
from palimpsest.adapters.sqlite.vectors import VectorSearch
from palimpsest.domain.instants import to_epoch_milliseconds
from palimpsest.domain.search_tokens import (
    clauses_of,
    label_clauses_of,
    scope_clauses_of,
    tenant_token,
)
from palimpsest.domain.words import query_words
from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import Hit, IndexedAs, IndexedFact, Search

# A question has some ten. FTS5 parses many more, but each costs a walk through its list.
MAX_QUERY_WORDS = 256

# CROSS JOIN: the words are looked up first, always. The weight 0 keeps filter tokens out of the score. The tenant is asked for
# here and not in the MATCH, where the list of all its facts would be walked through for each search.
_KEYWORD_SEARCH = """
SELECT d.fact_id, d.version, -bm25({table}, 1.0, 0.0) AS score
FROM {table} CROSS JOIN documents AS d ON d.id = {table}.rowid
WHERE {table} MATCH ? AND d.tenant = ? AND d.expires_at > ? AND d.fact_id NOT IN (SELECT value FROM json_each(?)){labels}
ORDER BY score DESC, d.fact_id DESC, d.version DESC
LIMIT ?
"""
# One for each group of labels, in place of {labels}.
_HAS_LABEL = """
AND EXISTS (SELECT 1 FROM labels AS l WHERE l.id = d.id AND l.token IN (SELECT value FROM json_each(?)))
"""
_INDEXED = """
SELECT d.fact_id, d.version, d.text_hash, w.tokens, (SELECT group_concat(token, ' ') FROM labels AS l WHERE l.id = d.id)
FROM documents AS d JOIN {table} AS w ON w.rowid = d.id
WHERE d.tenant = ? AND (d.slot = 0) = ? AND d.fact_id IN (SELECT value FROM json_each(?))
"""


class SQLiteFactIndex:
    """See ``palimpsest.ports.index.FactIndex``. Writes are visible at once, to every process that has the file open.

    Args:
        path: The file; made when it is not there.
        model_id: The model whose vectors come; a file of another model is refused with ``StoreFailedError``.
    """

    def __init__(self, path: Path, *, model_id: str | None = None) -> None:
        self._file = IndexFile(path, model_id=model_id)
        self._vectors = VectorCache()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def put(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.put``. All or none are written, in one transaction.

        Raises:
            StoreFailedError: If a vector has another length than those that stand here.
        """
        return self._write(facts, is_current=True)

    def retire(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.retire`` and ``put``."""
        return self._write(facts, is_current=False)

    def archive(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.archive`` and ``put``."""
        with self._file.writing() as (connection, change):
            for fact in facts:
                documents.archive(connection, change, fact)
            documents.forget_old_removals(connection)
        return frozenset()

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> frozenset[str]:
        """See ``FactIndex.remove``."""
        tenant = tenant_token(tenant_id)
        with self._file.writing() as (connection, change):
            for fact_id in fact_ids:
                documents.remove(connection, change, (tenant, fact_id))
            documents.forget_old_removals(connection)
        return frozenset()

    def keyword_search(self, query: str, search: Search) -> list[Hit]:
        """See ``FactIndex.keyword_search``: BM25 as FTS5 has it, over all tenants' texts."""
        words = query_words(query)[:MAX_QUERY_WORDS]
        (tenant,), *clauses = scope_clauses_of(search.filter)
        labels = label_clauses_of(search.filter)
        if not words or not all([*clauses, *labels]):
            return []
        match = " AND ".join(
            [_column_match("words", words), *(_column_match("tokens", c) for c in clauses)]
        )
        now = to_epoch_milliseconds(search.now)
        asked = [_json_list(group) for group in labels]
        given = (match, tenant, now, _json_list(search.skip), *asked, search.limit)
        statement = partial(_KEYWORD_SEARCH.format, labels=_HAS_LABEL * len(labels))
        with self._file.reading() as connection:
            found = [
                Hit(fact_id=fact_id, version=version, score=max(score, sys.float_info.min))
                for is_current in _shelves(search)
                for fact_id, version, score in connection.execute(
                    statement(table=WORDS_TABLES[is_current]), given
                )
            ]
        return _merged(found, search)

    def vector_search(self, vector: Sequence[float], search: Search) -> list[Hit]:
        """See ``FactIndex.vector_search``: exact, among all that the filter lets through.

        Raises:
            StoreFailedError: As ``put``.
        """
        asked = np.asarray(vector, np.float32)
        clauses = clauses_of(search.filter)
        (tenant,) = clauses[0]
        wanted = VectorSearch(
            # The tenant's own rows are all that is searched, so its clause is needed only when there is no other.
            clauses=clauses[1:] or clauses,
            now=to_epoch_milliseconds(search.now),
            skip=search.skip,
        )
        found: list[Hit] = []
        with self._file.reading() as connection, self._vectors.lock:
            documents.check_dimension(connection, vector)
            for is_current in _shelves(search):
                rows = self._vectors.rows_of(connection, tenant, is_current=is_current)
                ranked = rows.search(asked, wanted, limit=search.limit) if rows else []
                found += (
                    Hit(fact_id=document.fact_id, version=document.version, score=score)
                    for document, score in ranked
                )
        return _merged(found, search)

    def find_indexed(self, tenant_id: str, fact_ids: Sequence[str]) -> dict[str, IndexedAs]:
        """See ``FactIndex.find_indexed``."""
        found = self._find_indexed(tenant_id, fact_ids, is_current=True)
        return {fact_id: told for (fact_id, _), told in found.items()}

    def find_archived(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, IndexedAs]:
        """See ``FactIndex.find_archived``."""
        found = self._find_indexed(tenant_id, {i for i, _ in revisions}, is_current=False)
        return {key: found[key] for key in revisions if key in found}

    def _find_indexed(
        self, tenant_id: str, fact_ids: Collection[str], *, is_current: bool
    ) -> dict[RevisionKey, IndexedAs]:
        statement = _INDEXED.format(table=WORDS_TABLES[is_current])
        given = (tenant_token(tenant_id), is_current, _json_list(fact_ids))
        with self._file.reading() as connection:
            return {
                (fact_id, version): IndexedAs(
                    version=version,
                    text_hash=text_hash,
                    tokens=frozenset(f"{tokens} {labels or ''}".split()),
                )
                for fact_id, version, text_hash, tokens, labels in connection.execute(
                    statement, given
                )
            }

    def _write(self, facts: Sequence[IndexedFact], *, is_current: bool) -> frozenset[str]:
        with self._file.writing() as (connection, change):
            for fact in facts:
                documents.put(connection, change, fact, is_current=is_current)
        return frozenset()


def _shelves(search: Search) -> tuple[bool, ...]:
    return (True, False) if search.with_history else (True,)


def _column_match(column: str, words: Iterable[str]) -> str:
    # Words are letters, digits and marks (palimpsest.domain.words), tokens hex digits: in quotation marks neither is syntax.
    quoted = " OR ".join(f'"{word}"' for word in words)
    return f"{column} : ({quoted})"


def _json_list(texts: Collection[str]) -> str:
    return json.dumps(sorted(texts))


def _merged(hits: list[Hit], search: Search) -> list[Hit]:
    best = {(hit.fact_id, hit.version): hit for hit in sorted(hits, key=lambda hit: hit.score)}
    ranked = sorted(best.values(), key=_rank, reverse=True)
    return ranked[: search.limit]


def _rank(hit: Hit) -> tuple[float, str, int]:
    return (hit.score, hit.fact_id, hit.version)
