"""Key lists: the secrets under which cursors are sealed and people are named."""

from typing import Protocol

from palimpsest.domain.sealing_keys import SealingKey


class KeyLists(Protocol):
    """Gives the sealing keys of one purpose, and follows their rotation."""

    def list_keys(self) -> tuple[SealingKey, ...]:
        """Return the keys: the first one seals, every listed one opens.

        A list may be kept for five minutes, so a new key is listed behind the old one that long before it comes first. When
        it cannot be read again, the last known one goes on being used.

        Returns:
            At least one.

        Raises:
            StoreUnavailableError: If no list was ever read and it cannot be read now.
            StoreFailedError: If no list was ever read and what lies there is no key list, or may not be read.
        """
        ...
