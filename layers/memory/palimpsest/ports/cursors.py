"""Cursors: where a list goes on."""

from typing import Protocol


class Cursors(Protocol):
    """Seals a list's position so that only the same caller can continue the same list with it, for a day."""

    def seal(self, position: str, *, binding: str) -> str:
        """Return a cursor.

        Args:
            position: Where the list goes on: an id.
            binding: Everything that must be the same when it comes back: tenant, caller, key limit, path, parameters.

        Returns:
            ``[A-Za-z0-9_=-]`` only, at most 512 characters. Opaque: it tells nothing of the position.
        """
        ...

    def open(self, cursor: str, *, binding: str) -> str:
        """Return the position that ``seal`` was given.

        Raises:
            InvalidCursorError: If it is older than a day, was sealed for another list or caller or was altered, or under a
                key that is not listed any more. The message says which of the three.
        """
        ...
