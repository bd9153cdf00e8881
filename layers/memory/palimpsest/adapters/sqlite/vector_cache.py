"""Vectors kept in memory beside the file, brought up to date before every search."""

import sqlite3
import threading
from dataclasses import dataclass

from palimpsest.adapters.sqlite.vectors import VectorDocument, VectorRows

_CHANGED = """
SELECT d.id, d.fact_id, d.version, d.expires_at, v.tokens, v.vector
FROM documents AS d LEFT JOIN vectors AS v ON v.id = d.id
WHERE d.tenant = ? AND d.change > ? AND (d.slot = 0) = ?
"""


@dataclass(slots=True)
class _Kept:
    rows: VectorRows
    change: int


class VectorCache:
    """Each tenant's vectors, loaded when they are first asked for: 4 bytes a number, 150 MB for 100,000 of 384."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], _Kept] = {}
        # Held through a search, too: rows must not move under it.
        self.lock = threading.Lock()

    def rows_of(
        self, connection: sqlite3.Connection, tenant: str, *, is_current: bool
    ) -> VectorRows | None:
        """Return the rows as the file has them now; None when no vector was ever written. The lock must be held."""
        change, floor, dimension = connection.execute(
            "SELECT change, floor, dimension FROM state"
        ).fetchone()
        if dimension is None:
            return None
        kept = self._kept.get((tenant, is_current))
        if kept is None or kept.change < floor or kept.rows.is_mostly_dead:
            kept = self._kept[tenant, is_current] = _Kept(VectorRows(dimension), -1)
        if kept.change < change:
            _catch_up(connection, kept, (tenant, kept.change, is_current))
            kept.change = change
        return kept.rows


def _catch_up(connection: sqlite3.Connection, kept: _Kept, since: tuple[str, int, bool]) -> None:
    if kept.change >= 0:
        gone = connection.execute("SELECT id FROM removals WHERE change > ?", (kept.change,))
        for (document_id,) in gone:
            kept.rows.drop(document_id)
    for document_id, fact_id, version, expires_at, tokens, vector in connection.execute(
        _CHANGED, since
    ):
        if vector is None:
            kept.rows.drop(document_id)
        else:
            document = VectorDocument(
                document_id, fact_id, version, expires_at, tuple(tokens.split())
            )
            kept.rows.add(document, vector)
