"""The folder that holds everything of one service on this machine.

.palimpsest/            0700, all files 0600
  lock                  held while a service runs; says which process
  engines.lock          held by the engines, also when their parent was killed
  dynamodb.sqlite       the tables (dynoxide)
  dynoxide.log          what it said
  index-uri             while the service runs with another index than index.sqlite: where it is
  index.sqlite          facts for searches; can be thrown away and rebuilt
  pump.json             how far the tables' streams are delivered
  failed/               records of the streams that were given up
  cursor-keys.json      seals cursors; made once
  ledger-keys.json      hashes people in the erasure ledger; made once
  tenant                the tenant's id, a UUID; made once
  token                 the first token
  run.json              while the service answers: url, token, tenantId
  engines.json          while children run: pid, start time, endpoint, data
"""

import fcntl
import json
import os
import secrets
import stat
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

FOLDER_MODE = 0o700
FILE_MODE = 0o600
ENGINE_PATIENCE_SECONDS = 3
POLL_SECONDS = 0.02
KEY_BYTES = 32
"""256 bits, as the sealing of cursors wants; 43 characters of URL-safe text."""


class DataFolderError(RuntimeError):
    """The folder cannot be used; the message is for a person."""


@dataclass(frozen=True)
class DataFolder:
    """One data folder, by its whole path. It need not exist before `prepare`."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> "DataFolder":
        """Return the folder at `path`, which may be relative and start with `~`."""
        return cls(path.expanduser().resolve())

    @property
    def token_path(self) -> Path:
        """Where the first token is kept."""
        return self.path / "token"

    @property
    def run_path(self) -> Path:
        """Where scripts look for a running service."""
        return self.path / "run.json"

    @property
    def index_uri_path(self) -> Path:
        """Says where the index is, if it is not the file in this folder."""
        return self.path / "index-uri"

    @property
    def engines_path(self) -> Path:
        """Where the children of a running service are written down."""
        return self.path / "engines.json"

    def prepare(self) -> None:
        """Make the folder, or make sure that it is ours and closed to others.

        Raises:
            DataFolderError: if it holds somebody else's files, or is no folder.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
            names = {entry.name for entry in self.path.iterdir()}
        except OSError as error:
            raise DataFolderError(f"{self.path} cannot be used: {error.strerror}") from error
        # `DATA=~` must not close somebody's home to their group, nor mix our files with theirs.
        if names and "lock" not in names:
            raise DataFolderError(f"{self.path} holds other files: name a folder of its own")
        if stat.S_IMODE(self.path.stat().st_mode) != FOLDER_MODE:
            self.path.chmod(FOLDER_MODE)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for this process; the system lets go when the process ends.

        Raises:
            DataFolderError: if a service runs over it already.
        """
        with self._lock_file("lock") as descriptor:
            if descriptor is None:
                holder = (self.path / "lock").read_text(encoding="utf-8").strip()
                raise DataFolderError(f"{self.path} is in use by process {holder or '?'}")
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            yield

    @contextmanager
    def engines_locked(self, *, patience_seconds: float = ENGINE_PATIENCE_SECONDS) -> Iterator[int]:
        """Hold the folder for the engines, and return the descriptor that they must inherit.

        Args:
            patience_seconds: An engine whose parent was killed needs a moment to die of it.

        Raises:
            DataFolderError: if an engine of an earlier service still runs over it.
        """
        with self._lock_file("engines.lock", patience_seconds=patience_seconds) as descriptor:
            if descriptor is None:
                raise DataFolderError(
                    f"an engine of an earlier service still uses {self.path}: end it first "
                    f"(its command line names that folder)"
                )
            yield descriptor

    def keys_uri(self, name: str) -> str:
        """Return `file:…` of a key file, made of chance if it is not there.

        Args:
            name: Of the file, for example `cursor-keys.json`.
        """
        path = self.path / name
        if not path.exists():
            write_file(path, json.dumps({"keys": [secrets.token_urlsafe(KEY_BYTES)]}) + "\n")
        return f"file:{path}"

    def tenant_id(self) -> str:
        """Return the tenant's id, a UUID, made of chance the first time."""
        path = self.path / "tenant"
        if not path.exists():
            write_file(path, f"{uuid.uuid4()}\n")
        return path.read_text(encoding="utf-8").strip()

    @contextmanager
    def _lock_file(self, name: str, *, patience_seconds: float = 0) -> Iterator[int | None]:
        """Open and lock a file; the descriptor is None where somebody else holds it.

        The file stays: a lock on a removed file would keep nobody out.
        """
        descriptor = os.open(self.path / name, os.O_RDWR | os.O_CREAT, FILE_MODE)
        deadline = time.monotonic() + patience_seconds
        try:
            while not (held := _try_lock(descriptor)) and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS)
            yield descriptor if held else None
        finally:
            os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a file that is there whole, or as it was before, with mode 0600: a reader sees the old text or the new one.

    Raises:
        OSError: If it cannot be written.
    """
    # mkstemp makes 0600, whatever the umask.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_file(path: Path, text: str) -> None:
    """Write a whole file in one step; see `whole_file`."""
    with whole_file(path) as file:
        file.write(text)


def write_json(path: Path, document: Mapping[str, object]) -> None:
    """Write a JSON file as `write_file` does."""
    write_file(path, json.dumps(document, indent=2) + "\n")
