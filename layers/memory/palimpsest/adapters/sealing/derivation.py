"""Keys of one purpose, derived from a listed secret."""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from palimpsest.domain.sealing_keys import SealingKey


def derive(key: SealingKey, *, purpose: bytes) -> bytes:
    """Return 32 bytes that tell nothing of the secret, nor of what is derived for another purpose.

    Source:
        RFC 5869 (HKDF) with SHA-256, without a salt: the secret is random enough by itself (§3.1).
    """
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(key.secret)
