"""A key list that is kept in memory for a while and then read again."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from palimpsest.domain.errors import StoreError
from palimpsest.domain.sealing_keys import SealingKey, sealing_keys_from_text
from palimpsest.ports.clock import Clock

# Short enough to rotate a key within one coffee, long enough that Secrets Manager is called some 288 times a day and container.
KEPT = timedelta(minutes=5)
# After a failed reading, so that a store that hangs does not slow every request down.
RETRY_AFTER = timedelta(seconds=30)

_logger = logging.getLogger(__name__)


class KeptKeyLists:
    """Keeps what a reader returns. See ``palimpsest.ports.key_lists.KeyLists``.

    Args:
        read: Returns the text of the list; raises a ``StoreError`` when it cannot.
        clock: Tells when to read again.
    """

    def __init__(self, read: Callable[[], str], clock: Clock) -> None:
        self._read = read
        self._clock = clock
        self._keys: tuple[SealingKey, ...] = ()
        self._read_at: datetime | None = None
        self._good_for = KEPT
        self._lock = threading.Lock()

    def list_keys(self) -> tuple[SealingKey, ...]:
        """See ``KeyLists.list_keys``."""
        with self._lock:
            now = self._clock.now()
            if not self._is_fresh(now):
                self._read_again(now)
            return self._keys

    def _is_fresh(self, now: datetime) -> bool:
        # A clock that stepped back tells nothing of the list's age, so the list is read again.
        return self._read_at is not None and timedelta(0) <= now - self._read_at < self._good_for

    def _read_again(self, now: datetime) -> None:
        try:
            self._keys = sealing_keys_from_text(self._read())
            self._good_for = KEPT
        except StoreError:
            if not self._keys:
                raise
            _logger.warning("a key list could not be read again; the last known one is used")
            self._good_for = RETRY_AFTER
        self._read_at = now
