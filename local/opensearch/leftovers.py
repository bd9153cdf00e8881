"""One server to a data folder, also after the launcher before us was killed.

The launcher holds a file lock on the folder for as long as it lives, and notes down which process
it started. Who gets the lock next and finds such a note ends that process first, but only if it is
really that one: same number, same start time, and the noted argument on its command line.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.data_folder import write_json
from local.processes import ProcessMark

LOCK_NAME = "launcher.lock"
NOTE_NAME = "launched.json"


class FolderInUseError(RuntimeError):
    """Another live launcher uses the data folder."""


@contextmanager
def owned_folder(folder: Path) -> Iterator[None]:
    """Own a data folder: nobody else starts a server on it, and a left-over one is ended.

    Raises:
        FolderInUseError: if a live launcher owns it.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FolderInUseError(
                f"Another launcher runs a server on {folder}. Stop it, or take another data folder."
            ) from error
        _end_leftover(folder)
        yield
    finally:
        os.close(descriptor)


def note_down(folder: Path, pid: int, argument: str) -> None:
    """Remember which process works on the folder, whole or not at all.

    Args:
        folder: The data folder.
        pid: Of the process.
        argument: One that stands on its command line and on no other's.
    """
    mark = ProcessMark.of(pid)
    note = {"pid": mark.pid, "started": mark.started, "argument": argument}
    write_json(folder / NOTE_NAME, note)


def forget(folder: Path) -> None:
    """Drop the note: the process has ended."""
    (folder / NOTE_NAME).unlink(missing_ok=True)


def _end_leftover(folder: Path) -> None:
    try:
        note = json.loads((folder / NOTE_NAME).read_text(encoding="utf-8"))
        mark = ProcessMark(int(note["pid"]), str(note["started"]))
        argument = str(note["argument"])
    # No note, or not as we write it: then nothing in it says surely what to end.
    except (OSError, ValueError, KeyError, TypeError):
        return
    if mark.runs_with(argument):
        mark.end()
    forget(folder)
