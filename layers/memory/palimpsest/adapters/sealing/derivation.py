"""Keys of one purpose, derived from a listed secret."""

import hmac

from palimpsest.domain.sealing_keys import SealingKey

_HASH = "sha256"
_HASH_BYTES = 32


def derive(key: SealingKey, *, purpose: bytes) -> bytes:
    """Return 32 bytes that tell nothing of the secret, nor of what is derived for another purpose.

    Written out, since it is two HMACs, and `cryptography` costs a function that seals nothing 85 ms of imports; a test
    holds it to that library's HKDF.

    Source:
        RFC 5869 (HKDF) with SHA-256, without a salt: the secret is random enough by itself (§3.1). One block is enough.
    """
    extracted = hmac.digest(bytes(_HASH_BYTES), key.secret, _HASH)
    return hmac.digest(extracted, purpose + b"\x01", _HASH)
