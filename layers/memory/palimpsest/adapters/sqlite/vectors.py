"""The vectors of one tenant in memory, and exact search among those that a filter lets through.

Rows are only ever added: a changed document dies in its row and comes back in a new one, so that the rows of a token are a list
that grows at its end. When more than half are dead, the caller builds the whole anew.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int32]

FIRST_CAPACITY = 1024

# So many rows at a time are picked into one buffer that stays in the processor's cache (750 kB at 384 numbers) and keeps the
# product below the size at which a BLAS wakes its threads. Measured on two busy processors: 2,900 of 100,000 rows in 0.5 ms,
# in one piece 4 to 14.
BLOCK_ROWS = 512

# A cosine of 32 bits is off by less.
FLOAT32_ERROR = 1e-5

# Digits that a score keeps: equal vectors score alike wherever they stand in memory.
SCORE_DIGITS = 7


@dataclass(frozen=True, slots=True)
class VectorDocument:
    """What a search needs of a document beside its vector."""

    id: int
    fact_id: str
    version: int
    expires_at: int
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSearch:
    """Which documents may be found.

    Attributes:
        clauses: A document carries at least one token of each; at least one clause.
        now: What is over by then (epoch milliseconds) is left out.
        skip: Fact ids that are left out.
    """

    clauses: Sequence[frozenset[str]]
    now: int
    skip: frozenset[str]


class VectorRows:
    """Documents with their vectors.

    Args:
        dimension: Length of every vector.
    """

    def __init__(self, dimension: int) -> None:
        self._matrix: Floats = np.empty((FIRST_CAPACITY, dimension), np.float32)
        self._block: Floats = np.empty((BLOCK_ROWS, dimension), np.float32)
        self._expires_at = np.empty(FIRST_CAPACITY, np.int64)
        self._documents: list[VectorDocument] = []
        self._row_of: dict[int, int] = {}
        self._rows_of_token: dict[str, array[int]] = {}

    @property
    def is_mostly_dead(self) -> bool:
        """Whether building anew would save more than half of the memory."""
        return len(self._documents) > max(FIRST_CAPACITY, 2 * len(self._row_of))

    def add(self, document: VectorDocument, vector: bytes) -> None:
        """Add a document, or replace it."""
        self.drop(document.id)
        row = len(self._documents)
        if row == len(self._matrix):
            self._grow()
        self._matrix[row] = np.frombuffer(vector, np.float32)
        self._expires_at[row] = document.expires_at
        self._documents.append(document)
        self._row_of[document.id] = row
        for token in document.tokens:
            self._rows_of_token.setdefault(token, array("i")).append(row)

    def drop(self, document_id: int) -> None:
        """Let a document be found no more; one that is not here is no trouble."""
        row = self._row_of.pop(document_id, None)
        if row is not None:
            self._expires_at[row] = np.iinfo(np.int64).min
            self._matrix[row] = 0  # nothing of an erased fact stays

    def search(
        self, vector: Floats, search: VectorSearch, *, limit: int
    ) -> list[tuple[VectorDocument, float]]:
        """Return at most so many documents with their cosines, best first, ties by fact id and version, newest first."""
        rows = self._meeting(search.clauses)
        rows = rows[self._expires_at[rows] > search.now]
        if search.skip:
            is_wanted = [self._documents[row].fact_id not in search.skip for row in rows]
            rows = rows[np.array(is_wanted, np.bool_)]
        nearest = self._nearest(rows, vector, limit)
        # What may be returned is scored again in 64 bits: equal vectors then score alike wherever they stand.
        exact = self._matrix[nearest].astype(np.float64) @ vector.astype(np.float64)
        scores = np.clip(np.round(exact, SCORE_DIGITS), -1.0, 1.0)
        scored = [(self._documents[r], float(s)) for r, s in zip(nearest, scores, strict=True)]
        scored.sort(key=lambda pair: (pair[1], pair[0].fact_id, pair[0].version), reverse=True)
        return scored[:limit]

    def _nearest(self, rows: Rows, vector: Floats, limit: int) -> Rows:
        if len(rows) <= limit:
            return rows
        cosines = self._cosines(rows, vector)
        last = np.partition(cosines, len(rows) - limit)[len(rows) - limit]
        nearest: Rows = rows[cosines >= last - FLOAT32_ERROR]
        return nearest

    def _cosines(self, rows: Rows, vector: Floats) -> Floats:
        cosines = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), BLOCK_ROWS):
            block = rows[start : start + BLOCK_ROWS]
            # "clip" writes into the buffer at once; the default goes through another one, to leave it untouched on an error.
            picked = np.take(
                self._matrix, block, axis=0, out=self._block[: len(block)], mode="clip"
            )
            cosines[start : start + len(block)] = picked @ vector
        return cosines

    def _meeting(self, clauses: Sequence[frozenset[str]]) -> Rows:
        by_clause = sorted((self._any_of(clause) for clause in clauses), key=len)
        rows = by_clause[0]
        for others in by_clause[1:]:
            is_met = np.zeros(len(self._documents), np.bool_)
            is_met[others] = True
            rows = rows[is_met[rows]]
        return rows

    def _any_of(self, clause: Iterable[str]) -> Rows:
        found = [self._rows_of_token[token] for token in clause if token in self._rows_of_token]
        if not found:
            return np.empty(0, np.int32)
        # Views would keep the lists from growing, so these are copies. A document meets a clause by one token as a rule; an org
        # beside one of its projects by two, hence `unique`.
        if len(found) == 1:
            return np.array(found[0], np.int32)
        return np.unique(np.concatenate([np.array(rows, np.int32) for rows in found]))

    def _grow(self) -> None:
        size, dimension = self._matrix.shape
        matrix = np.empty((2 * size, dimension), np.float32)
        matrix[:size] = self._matrix
        expires_at = np.empty(2 * size, np.int64)
        expires_at[:size] = self._expires_at
        self._matrix, self._expires_at = matrix, expires_at
