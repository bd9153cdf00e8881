import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from local.opensearch.leftovers import FolderInUseError, forget, note_down, owned_folder

WORKS_ON_IT = "--data=here"


@contextmanager
def process_on(argument: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has the argument on its command line and waits until it is ended."""
    command = [sys.executable, "-c", "import sys; sys.stdin.read()", argument]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        yield process


def test_a_left_over_server_is_ended_before_the_next_one_starts(tmp_path: Path) -> None:
    with process_on(WORKS_ON_IT) as leftover:
        note_down(tmp_path, leftover.pid, WORKS_ON_IT)

        with owned_folder(tmp_path):
            pass

        assert leftover.wait() < 0


def test_a_process_that_does_not_work_on_the_folder_is_left_alone(tmp_path: Path) -> None:
    with process_on("elsewhere") as stranger:
        note_down(tmp_path, stranger.pid, WORKS_ON_IT)

        with owned_folder(tmp_path):
            pass

        assert stranger.poll() is None


def test_a_process_that_has_the_pid_of_an_earlier_one_is_left_alone(tmp_path: Path) -> None:
    with process_on(WORKS_ON_IT) as stranger:
        note_down(tmp_path, stranger.pid, WORKS_ON_IT)
        note = json.loads((tmp_path / "launched.json").read_text())
        (tmp_path / "launched.json").write_text(json.dumps({**note, "started": "17"}))

        with owned_folder(tmp_path):
            pass

        assert stranger.poll() is None


def test_a_broken_note_blocks_nothing(tmp_path: Path) -> None:
    (tmp_path / "launched.json").write_text('{"pid": ')

    with owned_folder(tmp_path):
        forget(tmp_path)

    assert not (tmp_path / "launched.json").exists()


def test_a_folder_that_is_owned_is_refused_until_it_is_given_up(tmp_path: Path) -> None:
    with owned_folder(tmp_path), pytest.raises(FolderInUseError), owned_folder(tmp_path):
        pass

    with owned_folder(tmp_path):
        pass
