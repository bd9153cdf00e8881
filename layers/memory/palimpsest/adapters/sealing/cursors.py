"""Sealed cursors.

    base64url of: version (1 byte), key id (4), nonce (12), AES-256-GCM of: time of issue (8, epoch ms), position (UTF-8)

What a cursor is bound to is authenticated beside it and does not stand in it.
"""

import base64
import binascii
import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from palimpsest.adapters.sealing.derivation import derive
from palimpsest.domain.errors import InvalidCursorError
from palimpsest.domain.instants import from_epoch_milliseconds, to_epoch_milliseconds
from palimpsest.domain.sealing_keys import SealingKey
from palimpsest.ports.clock import Clock
from palimpsest.ports.key_lists import KeyLists

# All four: spec/facts.md §10.
GOOD_FOR = timedelta(hours=24)
CLOCK_SKEW = timedelta(seconds=60)
MAX_CHARACTERS = 512
_TEXT = re.compile(r"[A-Za-z0-9_=-]+", re.ASCII)

_PURPOSE = b"palimpsest cursor v1"
_VERSION = b"\x01"
_KEY_ID_END = 5
# NIST SP 800-38D §8.2.2: with random 96-bit nonces one key seals 2^32 texts before a repeat gets likelier than 2^-32.
_NONCE_BYTES = 12
_NONCE_END = _KEY_ID_END + _NONCE_BYTES
_TIME_BYTES = 8


@dataclass(frozen=True, slots=True)
class SealedCursors:
    """Seals cursors with AES-256-GCM. See ``palimpsest.ports.cursors.Cursors``.

    Attributes:
        key_lists: The keys of cursors, used for nothing else.
        clock: Tells their age.
    """

    key_lists: KeyLists
    clock: Clock

    def seal(self, position: str, *, binding: str) -> str:
        """See ``Cursors.seal``.

        Raises:
            ValueError: If the position is so long that the cursor would be over its limit (some 340 bytes).
            StoreError: If the key list was never read and cannot be read now.
        """
        key = self.key_lists.list_keys()[0]
        nonce = secrets.token_bytes(_NONCE_BYTES)
        issued = to_epoch_milliseconds(self.clock.now()).to_bytes(_TIME_BYTES, "big")
        sealed = _cipher(key).encrypt(nonce, issued + position.encode(), _digest(binding))
        text = _to_text(_VERSION + bytes.fromhex(key.id) + nonce + sealed)
        if len(text) > MAX_CHARACTERS:
            raise ValueError("a position must fit into a cursor")
        return text

    def open(self, cursor: str, *, binding: str) -> str:
        """See ``Cursors.open``.

        Raises:
            InvalidCursorError: As the port says.
            StoreError: If the key list was never read and cannot be read now.
        """
        parts = _from_text(cursor)
        key = self._key(parts[1:_KEY_ID_END].hex())
        nonce, sealed = parts[_KEY_ID_END:_NONCE_END], parts[_NONCE_END:]
        try:
            opened = _cipher(key).decrypt(nonce, sealed, _digest(binding))
        except (InvalidTag, ValueError) as error:  # ValueError: too short to hold a tag
            raise _not_from_here() from error
        self._check_age(from_epoch_milliseconds(int.from_bytes(opened[:_TIME_BYTES], "big")))
        return opened[_TIME_BYTES:].decode()

    def _key(self, key_id: str) -> SealingKey:
        for key in self.key_lists.list_keys():
            if key.id == key_id:
                return key
        raise _refused("was sealed under a key that is not in use any more")

    def _check_age(self, issued: datetime) -> None:
        # One from the future would outlive its day; only clocks that are apart make one.
        if not -CLOCK_SKEW <= self.clock.now() - issued <= GOOD_FOR + CLOCK_SKEW:
            raise _refused("has expired: it is good for 24 hours")


def _cipher(key: SealingKey) -> AESGCM:
    return AESGCM(derive(key, purpose=_PURPOSE))


def _digest(binding: str) -> bytes:
    # A query parameter can hold a lone surrogate, which plain UTF-8 would refuse.
    return hashlib.sha256(binding.encode("utf-8", "surrogatepass")).digest()


def _to_text(parts: bytes) -> str:
    return base64.urlsafe_b64encode(parts).rstrip(b"=").decode()


def _from_text(text: str) -> bytes:
    if len(text) > MAX_CHARACTERS or not _TEXT.fullmatch(text):
        raise _not_from_here()
    unpadded = text.rstrip("=")
    try:
        parts = base64.urlsafe_b64decode(unpadded + "=" * (-len(unpadded) % 4))
    except binascii.Error as error:
        raise _not_from_here() from error
    # base64 ignores the unused bits of the last character; without this, several texts would be one cursor.
    if _to_text(parts) != text or len(parts) < _NONCE_END or parts[:1] != _VERSION:
        raise _not_from_here()
    return parts


def _not_from_here() -> InvalidCursorError:
    return _refused("is not from this list and caller, or was altered")


def _refused(reason: str) -> InvalidCursorError:
    return InvalidCursorError(
        f"This cursor {reason}. Start the list again without it.", field="cursor"
    )
