"""API keys that a warm function has seen lately."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from palimpsest.domain.api_keys import ApiKey
from palimpsest.ports.api_keys import ApiKeyRepository
from palimpsest.ports.clock import Clock

# spec/facts.md §3: for so long a revoked token may still be taken.
KEPT = timedelta(seconds=60)
# A key with 200 grants takes some 50 KB, so this stays below a tenth of a small function's memory.
MAX_KEPT = 256


@dataclass(slots=True, kw_only=True)
class KeptApiKeys:
    """Remembers found keys for a minute. See ``palimpsest.ports.api_keys.ApiKeyRepository``.

    A key that is unknown is never remembered, so that a new one opens at once. Not for erasures or key commands, which ask
    the store itself.

    Attributes:
        inner: The store.
        clock: Tells when to ask again.
    """

    inner: ApiKeyRepository
    clock: Clock
    _kept: OrderedDict[tuple[str, str], tuple[datetime, ApiKey]] = field(
        default_factory=OrderedDict, repr=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def find(self, tenant_id: str, key_id: str) -> ApiKey | None:
        """See ``ApiKeyRepository.find``; what it returns may be a minute old."""
        place, now = (tenant_id, key_id), self.clock.now()
        with self._lock:
            found_at, kept = self._kept.get(place, (None, None))
        # After a clock stepped back the age is unknown, so the store is asked.
        if found_at is not None and timedelta(0) <= now - found_at < KEPT:
            return kept
        self._forget(place)
        key = self.inner.find(tenant_id, key_id)
        if key is not None:
            self._keep(place, now, key)
        return key

    def add(self, key: ApiKey) -> None:
        """See ``ApiKeyRepository.add``."""
        self.inner.add(key)

    def replace(self, key: ApiKey) -> None:
        """See ``ApiKeyRepository.replace``; the old one is forgotten, also when it is not known whether it was replaced."""
        try:
            self.inner.replace(key)
        finally:
            self._forget((key.caller.tenant_id, key.id))

    def list_all(self, tenant_id: str) -> list[ApiKey]:
        """See ``ApiKeyRepository.list_all``; asks the store each time."""
        return self.inner.list_all(tenant_id)

    def _keep(self, place: tuple[str, str], now: datetime, key: ApiKey) -> None:
        with self._lock:
            self._kept[place] = (now, key)
            self._kept.move_to_end(place)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)

    def _forget(self, place: tuple[str, str]) -> None:
        with self._lock:
            self._kept.pop(place, None)
