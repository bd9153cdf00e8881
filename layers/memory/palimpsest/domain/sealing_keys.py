"""Sealing keys: the secrets under which cursors are sealed and people are named.

How a list of them is written, the same in Secrets Manager and in a file::

    {"key": "<random text>"}                      as a deployment generates it
    {"keys": ["<random text>", "<another>"]}      while one key takes over from another
"""

import hashlib
from dataclasses import dataclass, field

from palimpsest.domain.errors import BadInputError, StoreFailedError
from palimpsest.domain.json_text import parse_json

# 32 characters that Secrets Manager draws from letters and digits alone hold 190 bits; less is likely to be a word.
MIN_SECRET_CHARACTERS = 32

_KEY_ID_PREFIX = "palimpsest-key-id:"
_KEY_ID_CHARACTERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SealingKey:
    """One secret of a key list.

    Attributes:
        id: 8 lower-case hex digits, computed from the secret, so that a list needs no names and a key cannot be given
            another's. It stands in what is sealed and tells nothing of the secret.
        secret: Never shown, logged or stored.
    """

    id: str
    secret: bytes = field(repr=False)


def sealing_key(secret: str) -> SealingKey:
    """Return the key of a secret text."""
    digest = hashlib.sha256((_KEY_ID_PREFIX + secret).encode()).hexdigest()
    return SealingKey(id=digest[:_KEY_ID_CHARACTERS], secret=secret.encode())


def sealing_keys_from_text(text: str) -> tuple[SealingKey, ...]:
    """Read a key list.

    Returns:
        At least one, in the order of the text; the first one seals.

    Raises:
        StoreFailedError: If the text is none of the two forms, or a secret is too short. The message never holds the text.
    """
    secrets = _secrets(text)
    if not secrets:
        raise StoreFailedError(
            'A key list must be JSON: {"key": "<random>"} or {"keys": ["<random>", …]}.'
        )
    if any(len(secret) < MIN_SECRET_CHARACTERS for secret in secrets):
        raise StoreFailedError(
            f"Every key of a key list must have at least {MIN_SECRET_CHARACTERS} characters."
        )
    return tuple(map(sealing_key, secrets))


def _secrets(text: str) -> list[str]:
    """Return the secrets of a well-formed list; none of any other."""
    try:
        parsed = parse_json(text)
    except BadInputError:
        return []
    match parsed:
        case {"key": str() as secret, **rest} if not rest:
            return [secret]
        case {"keys": [*listed], **rest} if not rest:
            texts = [secret for secret in listed if isinstance(secret, str)]
            return texts if len(texts) == len(listed) else []
    return []
