"""Processes that the laptop starts: told apart, ended, and bound to the life of their parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.05
# Fields of /proc/<pid>/stat after the name, which may itself hold blanks; see proc(5).
STATE_FIELD, START_TIME_FIELD = 0, 19
# Asks Linux to kill this process when its parent ends, then becomes the program. A parent that
# was gone before the question would never be missed, so it is looked for once more.
LAUNCHER = """
import ctypes, os, sys
parent = int(sys.argv[1])
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() != parent:
    sys.exit("the parent is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""


@dataclass(frozen=True)
class ProcessMark:
    """What tells one process from any other, also after its number was given away again.

    Args:
        pid: Its number.
        started: When it started, as the system writes it; opaque, only to be compared.
    """

    pid: int
    started: str

    @classmethod
    def of(cls, pid: int) -> "ProcessMark":
        """Return the mark of a running process.

        Raises:
            ProcessLookupError: if there is none with this number.
        """
        started = _started(pid)
        if started is None:
            raise ProcessLookupError(pid)
        return cls(pid, started)

    def is_running(self) -> bool:
        """Tell whether this very process is still there."""
        return _started(self.pid) == self.started

    def runs_with(self, argument: str) -> bool:
        """Tell whether it is still there and has `argument` on its command line."""
        return self.is_running() and argument in _command_line(self.pid)

    def end(self, *, patience_seconds: float = 5) -> None:
        """End it: SIGTERM first, SIGKILL when `patience_seconds` are over; wait until it is gone."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.is_running():
                os.kill(self.pid, number)
            if _wait_until_gone(self, patience_seconds):
                return


def start_child(
    command: Sequence[str], *, log: Path, keep_open: Sequence[int] = ()
) -> "subprocess.Popen[bytes]":
    """Start a program that does not outlive this process, as far as the system can promise that.

    On Linux the kernel kills it with its parent (the thread that called this must live on).
    It is no part of the terminal's group, so that Ctrl-C reaches only the parent, which ends it
    when nothing needs it any more.

    Args:
        command: The program, with its whole path, and its arguments.
        log: Where its output is added.
        keep_open: File descriptors that it inherits.
    """
    launch = [sys.executable, "-ISc", LAUNCHER, str(os.getpid())]
    bound = [*launch, *command] if sys.platform == "linux" else list(command)
    with log.open("ab") as output:
        return subprocess.Popen(
            bound,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=tuple(keep_open),
            start_new_session=True,
        )


def _started(pid: int) -> str | None:
    if sys.platform != "linux":
        return _ask_ps(pid, "lstart") or None
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    # A zombie has ended: it only waits for its parent to notice.
    return None if fields[STATE_FIELD] == "Z" else fields[START_TIME_FIELD]


def _command_line(pid: int) -> list[str]:
    if sys.platform != "linux":
        return _ask_ps(pid, "command").split(" ")
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [os.fsdecode(part) for part in line.split(b"\0")]


def _ask_ps(pid: int, column: str) -> str:
    command = ["/bin/ps", "-ww", "-o", f"{column}=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _wait_until_gone(mark: ProcessMark, patience_seconds: float) -> bool:
    deadline = time.monotonic() + patience_seconds
    while mark.is_running():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True
