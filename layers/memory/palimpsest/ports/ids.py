"""New ids."""

from typing import Protocol


class Ids(Protocol):
    """Makes ids that nothing else has."""

    def new_id(self) -> str:
        """Return a lower-case UUIDv7; within one process each is greater than the one before, as text too."""
        ...

    def new_secret(self, size: int) -> bytes:
        """Return so many bytes that nobody can guess."""
        ...
