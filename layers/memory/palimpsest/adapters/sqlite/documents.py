"""Writing documents into the file, one transaction's worth at a time."""

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from palimpsest.domain.errors import StoreFailedError
from palimpsest.domain.instants import to_epoch_milliseconds
from palimpsest.domain.search_tokens import tenant_token
from palimpsest.domain.words import text_words
from palimpsest.ports.index import IndexedFact

CURRENT_SLOT = 0

# Later than any time that a fact can name.
NEVER = 2**62

# Whoever slept through more removals than these loads everything anew.
KEPT_REMOVALS = 2_000

# By whether it is the table of current facts.
WORDS_TABLES: Mapping[bool, str] = {True: "current_words", False: "history_words"}

_IN_PLACE = "SELECT id, version FROM documents WHERE tenant = ? AND fact_id = ? AND slot = ?"


def put(
    connection: sqlite3.Connection, change: int, fact: IndexedFact, *, is_current: bool
) -> None:
    """Write one document, unless a later version of the fact stands in its place, or it is to be current and history by now.

    Raises:
        StoreFailedError: See ``check_dimension``.
    """
    archived = (tenant_token(fact.scope.tenant_id), fact.fact_id, fact.version)
    if is_current and connection.execute(_IN_PLACE, archived).fetchone() is not None:
        return
    place = (*archived[:2], CURRENT_SLOT) if is_current else archived
    standing = connection.execute(_IN_PLACE, place).fetchone()
    if standing is not None and standing[1] > fact.version:
        return
    expires_at = NEVER if fact.expires_at is None else to_epoch_milliseconds(fact.expires_at)
    told = (fact.version, fact.text_hash, expires_at, change)
    if standing is None:
        (document_id,) = connection.execute(
            "INSERT INTO documents (tenant, fact_id, slot, version, text_hash, expires_at, change)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (*place, *told),
        ).fetchone()
    else:
        document_id = standing[0]
        connection.execute(
            "UPDATE documents SET version = ?, text_hash = ?, expires_at = ?, change = ? WHERE id = ?",
            (*told, document_id),
        )
        _clear(connection, document_id, WORDS_TABLES[is_current])
    _fill(connection, document_id, fact, WORDS_TABLES[is_current])


def archive(connection: sqlite3.Connection, change: int, fact: IndexedFact) -> None:
    """Write a document into the history, and take it and whatever is earlier of its fact out of the current ones.

    Raises:
        StoreFailedError: See ``check_dimension``.
    """
    put(connection, change, fact, is_current=False)
    place = (tenant_token(fact.scope.tenant_id), fact.fact_id, CURRENT_SLOT)
    standing = connection.execute(_IN_PLACE, place).fetchone()
    if standing is not None and standing[1] <= fact.version:
        _delete(connection, change, standing[0], WORDS_TABLES[True])


def remove(connection: sqlite3.Connection, change: int, place: tuple[str, str]) -> None:
    """Take every document of a fact, by tenant's token and fact id, out of all tables."""
    found = connection.execute(
        "SELECT id, slot FROM documents WHERE tenant = ? AND fact_id = ?", place
    ).fetchall()
    for document_id, slot in found:
        _delete(connection, change, document_id, WORDS_TABLES[slot == CURRENT_SLOT])


def forget_old_removals(connection: sqlite3.Connection) -> None:
    """Keep the newest removals and say from when on they are all there."""
    last = connection.execute(
        "SELECT change FROM removals ORDER BY change DESC LIMIT 1 OFFSET ?", (KEPT_REMOVALS,)
    ).fetchone()
    if last is not None:
        connection.execute("DELETE FROM removals WHERE change <= ?", last)
        connection.execute("UPDATE state SET floor = ?", last)


def check_dimension(connection: sqlite3.Connection, vector: Sequence[float]) -> None:
    """Refuse a vector that is not as long as those of the file.

    Raises:
        StoreFailedError: If another model made it.
    """
    (dimension,) = connection.execute("SELECT dimension FROM state").fetchone()
    if dimension not in (None, len(vector)):
        raise StoreFailedError("The index holds vectors of another dimension: build a new one.")


def _delete(
    connection: sqlite3.Connection, change: int, document_id: int, words_table: str
) -> None:
    _clear(connection, document_id, words_table)
    connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))
    connection.execute("INSERT INTO removals VALUES (?, ?)", (change, document_id))


def _clear(connection: sqlite3.Connection, document_id: int, words_table: str) -> None:
    connection.execute("DELETE FROM vectors WHERE id = ?", (document_id,))
    connection.execute("DELETE FROM labels WHERE id = ?", (document_id,))
    connection.execute(f"DELETE FROM {words_table} WHERE rowid = ?", (document_id,))  # noqa: S608 - one of two constants


def _fill(
    connection: sqlite3.Connection, document_id: int, fact: IndexedFact, words_table: str
) -> None:
    labels = sorted(fact.label_tokens)
    tokens = " ".join(sorted(fact.tokens.difference(labels)))
    words = " ".join(text_words(fact.text))
    connection.execute(
        f"INSERT INTO {words_table} (rowid, words, tokens) VALUES (?, ?, ?)",  # noqa: S608 - as above
        (document_id, words, tokens),
    )
    connection.executemany(
        "INSERT INTO labels (id, token) VALUES (?, ?)", [(document_id, token) for token in labels]
    )
    if fact.vector is not None:
        check_dimension(connection, fact.vector)
        connection.execute(
            "INSERT INTO vectors (id, tokens, vector) VALUES (?, ?, ?)",
            (
                document_id,
                " ".join([tokens, *labels]),
                np.asarray(fact.vector, np.float32).tobytes(),
            ),
        )
        connection.execute("UPDATE state SET dimension = ?", (len(fact.vector),))
