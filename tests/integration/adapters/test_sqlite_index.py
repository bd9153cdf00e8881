"""What the index in a file promises on top of its port: many openers, kills, strangers' files, room."""

import functools
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from palimpsest.adapters.sqlite import documents
from palimpsest.adapters.sqlite.index import SQLiteFactIndex
from palimpsest.domain.errors import SearchUnavailableError, StoreFailedError
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.ports.index import IndexedAs

from tests.index_world import World, fact_id, ids, numbered, unit
from tests.indexes import IndexUnderTest

WRITE_UNTIL_KILLED = """
import itertools, sys
from pathlib import Path
from palimpsest.adapters.sqlite.index import SQLiteFactIndex
from tests.index_world import World
from tests.indexes import IndexUnderTest

world = World(IndexUnderTest(SQLiteFactIndex(Path(sys.argv[1])), tenant_id=sys.argv[2]))
for number in itertools.count():
    world.put(world.fact(2 * number), world.fact(2 * number + 1))
    print(number, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def world(path: Path) -> Iterator[World]:
    index = SQLiteFactIndex(path)
    yield World(IndexUnderTest(index))
    index.close()


def beside(world: World, path: Path) -> World:
    """Return another opener's view of the same tenant."""
    return World(IndexUnderTest(SQLiteFactIndex(path), tenant_id=world.tenant_id))


def test_each_opener_sees_at_once_what_another_wrote(world: World, path: Path):
    other = beside(world, path)
    assert other.by_both() == [[], []]

    world.put(world.fact(1), world.fact(2))
    seen_first = other.by_both()
    world.put(world.fact(1, "Ana sings", version=2, vector=unit(-1)))
    world.remove(2)

    assert seen_first == [numbered(1, 2)] * 2
    assert ids(other.by_words("chess sings")) == numbered(1)
    assert [(h.version, h.score) for h in other.by_meaning(unit(1))] == [(2, -1)]


@pytest.mark.parametrize("number", range(5))
def test_many_may_open_a_new_file_at_once(path: Path, number: int):
    barrier = threading.Barrier(8)
    found: list[dict[str, IndexedAs]] = []

    def open_and_ask() -> None:
        index = SQLiteFactIndex(path)
        barrier.wait()
        found.append(index.find_indexed("tenant", ["fact"]))
        index.close()

    threads = [threading.Thread(target=open_and_ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [{}] * 8


def test_threads_write_and_search_side_by_side(world: World):
    wrong: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for n in range(number, number + 10):
                world.put(world.fact(n))
                assert fact_id(n) in world.by_both(limit=100)[0]
        except BaseException as error:
            wrong.append(error)
            raise

    threads = [threading.Thread(target=work, args=(10 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert world.by_both(limit=100) == [numbered(*range(40))] * 2


def test_a_killed_writer_leaves_whole_batches(world: World, path: Path):
    command = [sys.executable, "-c", WRITE_UNTIL_KILLED, str(path), world.tenant_id]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 20:
                writer.send_signal(signal.SIGKILL)
        writer.wait()

    by_words, by_meaning = world.by_both(limit=100_000)
    assert by_words == by_meaning
    assert len(by_words) >= 42
    assert len(by_words) % 2 == 0
    world.put(world.fact(1, "It still takes writes", version=2))
    assert ids(world.by_words("writes")) == numbered(1)


def test_the_file_is_its_owners_only(world: World, path: Path):
    world.put(world.fact(1))

    modes = {file.stat().st_mode & 0o777 for file in path.parent.glob("index.sqlite*")}

    assert modes == {0o600}


def test_a_file_of_another_model_is_refused(path: Path):
    first = World(IndexUnderTest(SQLiteFactIndex(path, model_id="model-a/8")))
    first.put(first.fact(1))

    again = SQLiteFactIndex(path, model_id="model-a/8")
    other = SQLiteFactIndex(path, model_id="model-b/8")

    assert again.find_indexed(first.tenant_id, numbered(1))
    with pytest.raises(StoreFailedError, match="another model"):
        other.find_indexed(first.tenant_id, numbered(1))


def test_a_vector_of_another_dimension_is_refused_and_nothing_of_its_batch_stays(world: World):
    world.put(world.fact(1))

    with pytest.raises(StoreFailedError, match="dimension"):
        world.put(world.fact(2), world.fact(3, vector=[1.0, 0.0]))
    with pytest.raises(StoreFailedError, match="dimension"):
        world.by_meaning([1.0, 0.0])

    assert world.by_both() == [numbered(1)] * 2


def test_a_file_of_another_layout_is_refused(world: World, path: Path):
    world.put(world.fact(1))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE state SET layout = layout + 1")
        connection.commit()

    with pytest.raises(StoreFailedError, match="layout"):
        beside(world, path).by_both()


def test_a_file_from_before_labels_were_known_serves_and_its_documents_are_stale(
    world: World, path: Path
):
    chess = frozenset({Label(LabelKind.CONCEPT, "chess")})
    labelled = world.fact(1, labels=chess)
    world.put(replace(labelled, labels=frozenset()))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE labels")
        connection.commit()

    again = beside(world, path)
    assert again.by_both() == [numbered(1)] * 2
    found = again.under_test.index.find_indexed(world.tenant_id, numbered(1))
    assert found[fact_id(1)] != labelled.indexed_as

    again.put(labelled)
    assert again.by_both(again.everything(labels=(chess,))) == [numbered(1)] * 2


def test_nothing_of_a_removed_fact_stays_among_the_labels(world: World, path: Path):
    world.put(world.fact(1, labels=frozenset({Label(LabelKind.CONCEPT, "chess")})))

    world.remove(1)

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM labels").fetchone() == (0,)


def test_a_damaged_file_is_unavailable_and_its_error_says_nothing_of_the_query(path: Path):
    path.write_bytes(b"no database at all " * 1000)
    index = SQLiteFactIndex(path)

    with pytest.raises(SearchUnavailableError) as caught:
        World(IndexUnderTest(index)).by_words("secret")

    assert "secret" not in str(caught.value)


def test_a_folder_that_is_not_there_is_unavailable(tmp_path: Path):
    index = SQLiteFactIndex(tmp_path / "nowhere" / "index.sqlite")

    with pytest.raises(SearchUnavailableError):
        World(IndexUnderTest(index)).by_both()


def test_an_index_works_on_after_it_was_closed(world: World):
    world.put(world.fact(1))

    world.under_test.index.close()  # type: ignore[attr-defined]  # the port has no close; this one does

    assert world.by_both() == [numbered(1)] * 2


def test_whoever_slept_through_too_many_removals_starts_anew(world: World, path: Path):
    sleeper = beside(world, path)
    world.put(*(world.fact(n) for n in range(10)))
    assert sleeper.by_both() == [numbered(*range(10))] * 2
    many = documents.KEPT_REMOVALS

    for start in range(100, 100 + many + 2, 1000):
        numbers = range(start, start + 1000)
        world.put(*(world.fact(n, "", vector=None) for n in numbers))
        world.remove(*numbers)
    world.remove(3)

    left = numbered(*(n for n in range(10) if n != 3))
    assert sleeper.by_both() == [left] * 2


def test_vectors_that_change_often_do_not_fill_the_memory(world: World):
    for version in range(1, 40):
        world.put(*(world.fact(n, version=version) for n in range(100)))
        world.by_meaning(unit(1))

    hits = world.by_meaning(unit(1), limit=1000)

    assert len(hits) == 100
    assert {hit.version for hit in hits} == {39}


def test_an_expired_document_comes_back_with_a_later_revision(world: World):
    world.put(world.fact(1, expires_at=world.now - timedelta(days=1)))
    assert world.by_both() == [[], []]

    world.put(world.fact(1, version=2))

    assert world.by_both() == [numbered(1)] * 2


def test_what_is_removed_leaves_the_file(world: World, path: Path):
    world.put(world.fact(1, "xylophone"), world.fact(2))

    world.remove(1)

    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        stored = connection.execute("SELECT count(*) FROM current_words_content").fetchone()[0]
    assert stored == 1


def test_threads_that_come_and_go_leave_no_open_file_behind(tmp_path):
    index = SQLiteFactIndex(tmp_path / "index.sqlite")
    ask = functools.partial(index.find_indexed, "tenant", ["fact"])
    _in_new_threads(ask, times=3)
    before = len(list(Path("/proc/self/fd").iterdir()))

    _in_new_threads(ask, times=50)

    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    index.close()


def _in_new_threads(call, *, times):
    for _ in range(times):
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
