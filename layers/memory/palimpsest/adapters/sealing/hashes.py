"""Hashes under a listed key, or without one where a deployment has none."""

import hashlib
import hmac
from collections.abc import Iterable

from palimpsest.adapters.sealing.derivation import derive
from palimpsest.domain.sealing_keys import SealingKey


def message_of(parts: Iterable[str]) -> bytes:
    """Return texts as one message, each behind its length, so that no two lists of texts share a message."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in map(str.encode, parts))


def hash_under(key: SealingKey | None, message: bytes, *, purpose: bytes) -> bytes:
    """Return 32 bytes: HMAC-SHA-256 under what is derived of the key for a purpose; SHA-256 where there is no key."""
    if key is None:
        return hashlib.sha256(message).digest()
    return hmac.digest(derive(key, purpose=purpose), message, "sha256")
