import signal
import subprocess
import sys

import pytest

from local.processes import ProcessMark, start_child
from tests.polling import wait_until

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


@pytest.fixture
def child(tmp_path):
    command = [sys.executable, "-c", STUBBORN, "/some/data"]
    child = start_child(command, log=tmp_path / "log")
    wait_until(lambda: "up" in (tmp_path / "log").read_text(), "the child runs")
    yield child
    child.kill()
    child.wait()


def test_a_process_is_told_by_its_number_its_start_and_its_command_line(child):
    mark = ProcessMark.of(child.pid)

    assert mark.is_running()
    assert mark.runs_with("/some/data")
    assert not mark.runs_with("/some/other")
    assert not mark.runs_with("/some")
    assert not ProcessMark(child.pid, "another time").is_running()


def test_a_process_that_does_not_listen_is_killed(child):
    ProcessMark.of(child.pid).end(patience_seconds=0.1)

    assert child.wait() == -signal.SIGKILL


def test_ending_what_is_gone_does_nothing():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pid = process.pid
        process.wait()

    ProcessMark(pid, "then").end()

    with pytest.raises(ProcessLookupError):
        ProcessMark.of(pid)
