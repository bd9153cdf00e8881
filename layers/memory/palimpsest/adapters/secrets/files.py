"""Key lists in files: for the laptop."""

from pathlib import Path

from palimpsest.adapters.secrets.kept import KeptKeyLists
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError
from palimpsest.ports.clock import Clock


class FileKeyLists(KeptKeyLists):
    """Reads a key list from a file. See ``palimpsest.ports.key_lists.KeyLists``.

    Args:
        path: The file, UTF-8; it should be readable by its owner only.
        clock: Tells when to read again.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        super().__init__(lambda: _read(path), clock)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise StoreUnavailableError("A file with a key list cannot be read.") from error
    except UnicodeDecodeError as error:
        raise StoreFailedError("A file with a key list is not UTF-8.") from error
