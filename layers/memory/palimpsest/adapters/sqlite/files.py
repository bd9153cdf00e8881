"""One SQLite file that holds an index: its tables, its connections, its transactions.

The file is the truth for whoever opens it: several threads, several objects in one process, several processes. Each use
has a connection to itself; SQLite's write-ahead log lets readers go on while one writes, and survives a process that is killed.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palimpsest.domain.errors import SearchUnavailableError, StoreFailedError

# Goes up with any change of the tables below or of how words are cut. An index is rebuilt, not migrated.
LAYOUT = 1

# A writer waits so long for another one, which holds the file for the milliseconds of one batch.
BUSY_TIMEOUT_SECONDS = 5.0
OPENING_PAUSE_SECONDS = 0.01

# slot: 0 for the current revision, else the version of a replaced one. change: counts every write; what was read up to one
# change is brought up to date by what has a higher one. removals: ids that went, for the same purpose; floor: the highest
# change of those that were forgotten since. `porter` stems English; `M*` keeps marks inside words, as
# `palimpsest.domain.words` does. BM25 takes the length of all columns, so `tokens` holds what nearly every document has the
# same number of; labels, of which one has hundreds and the next none, stand beside.
_TABLES = """
CREATE TABLE state (
    layout INTEGER NOT NULL, change INTEGER NOT NULL, floor INTEGER NOT NULL, model TEXT, dimension INTEGER
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, fact_id TEXT NOT NULL, slot INTEGER NOT NULL,
    version INTEGER NOT NULL, text_hash TEXT NOT NULL, expires_at INTEGER NOT NULL, change INTEGER NOT NULL
);
CREATE UNIQUE INDEX places ON documents (tenant, fact_id, slot);
CREATE INDEX changes ON documents (tenant, change);
CREATE TABLE vectors (id INTEGER PRIMARY KEY, tokens TEXT NOT NULL, vector BLOB NOT NULL);
CREATE TABLE removals (change INTEGER NOT NULL, id INTEGER NOT NULL);
CREATE INDEX removed ON removals (change);
CREATE VIRTUAL TABLE current_words USING fts5 (
    words, tokens, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);
CREATE VIRTUAL TABLE history_words USING fts5 (
    words, tokens, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
)
"""
# A file that was made before labels were known gets theirs: its documents are stale, its layout is not another.
_LABELS = """
CREATE TABLE IF NOT EXISTS labels (id INTEGER NOT NULL, token TEXT NOT NULL, PRIMARY KEY (id, token)) WITHOUT ROWID
"""
# FTS5 keeps the words of deleted rows in its segments until they are merged, unless told so. Older ones do not know the option.
_SECURE_DELETE_SINCE = (3, 42)
_SECURE_DELETE = (
    "INSERT INTO current_words (current_words, rank) VALUES ('secure-delete', 1)",
    "INSERT INTO history_words (history_words, rank) VALUES ('secure-delete', 1)",
)


class IndexFile:
    """Connections to one file, made as threads come.

    Args:
        path: The file; made when it is not there, readable by its owner only. Its folder must stand.
        model_id: The model whose vectors the file holds; None where there is none.
    """

    def __init__(self, path: Path, *, model_id: str | None = None) -> None:
        self._path = path
        self._model_id = model_id
        # As many as were ever in use at once, not as many as there ever were threads.
        self._idle: list[sqlite3.Connection] = []
        self._closings = 0
        self._lock = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one state of the file throughout.

        Raises:
            SearchUnavailableError: If SQLite cannot read the file now.
            StoreFailedError: If the file was built by another layout or for another model.
        """
        with self._within("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        """Yield a connection whose writes all happen or none, and the number of this change.

        Raises:
            SearchUnavailableError: If SQLite cannot write the file now, or another writer holds it too long.
            StoreFailedError: As ``reading``.
        """
        with self._within("BEGIN IMMEDIATE") as connection:
            connection.execute("UPDATE state SET change = change + 1")
            change: int = connection.execute("SELECT change FROM state").fetchone()[0]
            yield connection, change

    def close(self) -> None:
        """Close every connection, those in use as soon as they are not; the next use opens new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._closings += 1
        for connection in idle:
            connection.close()

    @contextmanager
    def _within(self, begin: str) -> Iterator[sqlite3.Connection]:
        try:
            with self._taken() as connection:
                connection.execute(begin)
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            # SQLite's message may quote a query, so it stays in the cause.
            raise SearchUnavailableError("The index file cannot be used now.") from error

    @contextmanager
    def _taken(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that nobody else uses meanwhile."""
        with self._lock:
            closings = self._closings
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._open()
        try:
            yield connection
        finally:
            with self._lock:
                is_kept = closings == self._closings and not connection.in_transaction
                if is_kept:
                    self._idle.append(connection)
            if not is_kept:
                connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise SearchUnavailableError("The index file cannot be opened.") from error
        connection = sqlite3.connect(
            self._path,
            timeout=BUSY_TIMEOUT_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # one thread at a time, but not always the same
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        _write_ahead(connection)
        # NORMAL is safe against a killed process; after a power cut the newest writes may be gone, and the stream replays them.
        # What is removed is overwritten: erased text must not stay behind in free pages.
        for pragma in ("synchronous = NORMAL", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
            _create_tables(connection)
        connection.execute(_LABELS)
        self._check(connection)
        connection.execute("UPDATE state SET model = coalesce(model, ?)", (self._model_id,))
        connection.execute("COMMIT")

    def _check(self, connection: sqlite3.Connection) -> None:
        layout, model = connection.execute("SELECT layout, model FROM state").fetchone()
        if layout != LAYOUT:
            raise StoreFailedError("The index file has another layout: build it again.")
        if self._model_id is not None and model not in (None, self._model_id):
            raise StoreFailedError("The index file is of another model: build a new one.")


def _write_ahead(connection: sqlite3.Connection) -> None:
    # The one statement that does not wait for others: when several open a new file at the same time, one of them fails at once.
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(OPENING_PAUSE_SECONDS)
        else:
            return


def _create_tables(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";\n"):
        connection.execute(statement)
    connection.execute("INSERT INTO state VALUES (?, 0, 0, NULL, NULL)", (LAYOUT,))
    if sqlite3.sqlite_version_info >= _SECURE_DELETE_SINCE:
        for statement in _SECURE_DELETE:
            connection.execute(statement)
