"""An issuer's public keys, found by its discovery document and kept."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import jwt

from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.ports.clock import Clock

# OpenID Connect Discovery 1.0 §4.
_DISCOVERY = "/.well-known/openid-configuration"

# A key that was taken out of the set is refused after so long at the latest.
KEPT_FOR = timedelta(minutes=10)
# spec/facts.md §3: a token with an invented key id must not make this service ask for each request.
ASKED_AGAIN_AFTER = timedelta(minutes=1)

TIMEOUT_SECONDS = 3
MAX_BYTES = 256 * 1024


@dataclass(slots=True, kw_only=True)
class KeySet:
    """The keys of one issuer.

    Attributes:
        issuer: Its address, https but on loopback.
        clock: Tells when to ask again.
        read: Returns the document at an address; raises ``OSError`` or ``ValueError``.
    """

    issuer: str
    clock: Clock
    read: Callable[[str], Any] = field(default_factory=lambda: read_document)
    _keys: dict[str, jwt.PyJWK] = field(default_factory=dict)
    _asked_at: datetime | None = None
    _read_at: datetime | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, key_id: object) -> jwt.PyJWK | None:
        """Return the key with this id, asking the issuer if it is not known; None if the issuer has none.

        Raises:
            StoreUnavailableError: If the issuer cannot be asked, and the keys that are kept are too old or there are none.
        """
        with self._lock:
            now = self.clock.now()
            is_fresh = self._read_at is not None and now - self._read_at < KEPT_FOR
            if not (is_fresh and key_id in self._keys) and self._may_ask(now):
                self._ask(now)
            if self._read_at is None or now - self._read_at >= KEPT_FOR:
                raise StoreUnavailableError("The issuer's keys cannot be read now.")
            return self._keys.get(key_id) if isinstance(key_id, str) else None

    def _may_ask(self, now: datetime) -> bool:
        return self._asked_at is None or now - self._asked_at >= ASKED_AGAIN_AFTER

    def _ask(self, now: datetime) -> None:
        self._asked_at = now
        try:
            discovery = self.read(self.issuer.rstrip("/") + _DISCOVERY)
            document = self.read(discovery["jwks_uri"])
            keys = {k["kid"]: jwt.PyJWK(k) for k in document["keys"] if _is_for_signatures(k)}
        except (OSError, ValueError, KeyError, TypeError, jwt.PyJWTError):
            return  # what is kept stands as long as it may; `find` says when it may not
        self._keys, self._read_at = keys, now


def read_document(address: str) -> Any:
    """Return the JSON document at an address.

    Raises:
        OSError: If it cannot be read in time.
        ValueError: If it is no JSON, too large, or the address is neither https nor on loopback.
    """
    if not address.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise ValueError("An issuer is asked over https.")
    request = Request(address, headers={"Accept": "application/json"})  # noqa: S310 - the scheme was looked at above
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - as above
            body = response.read(MAX_BYTES + 1)
    except URLError as error:
        raise OSError("The issuer does not answer.") from error
    if len(body) > MAX_BYTES:
        raise ValueError("The issuer's document is too large.")
    return json.loads(body)


def _is_for_signatures(key: Any) -> bool:
    # RFC 7517 §4.2 and §4.5. A key of a kind that PyJWT does not know would make the whole set unreadable.
    return key.get("use", "sig") == "sig" and "kid" in key and key.get("kty") in ("RSA", "EC")
