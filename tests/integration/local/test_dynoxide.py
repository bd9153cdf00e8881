import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from local.dynoxide import DynoxideFailedError, dynamodb_client, running_dynoxide
from local.dynoxide_binary import find_binary
from local.processes import ProcessMark
from local.tables import create_tables
from local.template import Template
from tests.polling import wait_until

ROOT = Path(__file__).parents[3]
FIXTURE = ROOT / "tests/unit/local/template.yaml"


@pytest.fixture(scope="module")
def binary():
    return find_binary(os.environ, say=print)


def test_what_was_written_is_there_after_a_stop_and_a_start(tmp_path, binary):
    tables = Template.read(FIXTURE).tables()
    item = {"pk": {"S": "a"}, "sk": {"S": "b"}}

    with running_dynoxide(tmp_path, binary=binary) as engine:
        made = create_tables(dynamodb_client(engine.endpoint), tables)
        dynamodb_client(engine.endpoint).put_item(TableName="ThingsTable", Item=item)
    with running_dynoxide(tmp_path, binary=binary) as engine:
        made_again = create_tables(dynamodb_client(engine.endpoint), tables)
        found = dynamodb_client(engine.endpoint).get_item(TableName="ThingsTable", Key=item)

    assert (made, made_again) == (["ThingsTable"], [])
    assert found["Item"] == item
    assert not engine.mark.is_running()


def test_the_stream_records_have_the_index_that_keeps_writes_flat(tmp_path, binary):
    with running_dynoxide(tmp_path, binary=binary) as engine:
        create_tables(dynamodb_client(engine.endpoint), Template.read(FIXTURE).tables())

    query = (
        "EXPLAIN QUERY PLAN SELECT MAX(CAST(sequence_number AS INTEGER)) "
        "FROM _stream_records WHERE table_name = 'ThingsTable'"
    )
    with closing(sqlite3.connect(engine.database)) as connection:
        plan = " ".join(row[3] for row in connection.execute(query))
    assert "palimpsest_stream_sequence" in plan


def test_the_engine_dies_with_a_parent_that_is_killed(tmp_path, binary):
    program = """
        import sys, time
        from pathlib import Path
        from local.dynoxide import running_dynoxide
        with running_dynoxide(Path(sys.argv[1]), binary=Path(sys.argv[2])) as engine:
            print(engine.mark.pid, flush=True)
            time.sleep(60)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path), str(binary)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        engine = ProcessMark.of(int(parent.stdout.readline()))

        os.kill(parent.pid, signal.SIGKILL)

        if sys.platform == "linux":
            wait_until(lambda: not engine.is_running(), "the engine is gone")
    engine.end()
    assert not engine.is_running()


def test_an_engine_that_does_not_start_says_why(tmp_path, binary):
    (tmp_path / "dynamodb.sqlite").mkdir()

    with (
        pytest.raises((DynoxideFailedError, sqlite3.OperationalError), match="open"),
        running_dynoxide(tmp_path, binary=binary),
    ):
        pass


def test_a_program_that_is_no_dynoxide_says_what_it_said(tmp_path):
    program = tmp_path / "dynoxide"
    program.write_text("#!/bin/sh\necho 'no such option' >&2\nexit 2\n")
    program.chmod(0o700)

    with (
        pytest.raises(DynoxideFailedError, match="no such option"),
        running_dynoxide(tmp_path, binary=program),
    ):
        pass
