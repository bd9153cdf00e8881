"""Ids of facts and revisions: lower-case UUIDv7, which sort by the time of their making."""

import hashlib
import uuid
from datetime import datetime

from palimpsest.domain.instants import from_epoch_milliseconds, to_epoch_milliseconds

_TIME_SHIFT = 80  # RFC 9562 §5.7: the first 48 of 128 bits are milliseconds since the epoch

# Of the 62 bits behind version and variant: so many count, and the others are a hash.
_COUNT_BITS = 12
_HASH_BITS = 50
MAX_DERIVED = 1 << _COUNT_BITS


def made_at(identifier: str) -> datetime:
    """Return the millisecond that stands in a UUIDv7."""
    return from_epoch_milliseconds(uuid.UUID(identifier).int >> _TIME_SHIFT)


def first_after(instant: datetime) -> str:
    """Return the lowest id text that no UUIDv7 of that millisecond or before reaches: an exclusive upper bound.

    Any instant has one: no id was made before the epoch, and 48 bits of milliseconds outlast the year 9999.
    """
    return str(uuid.UUID(int=max(0, to_epoch_milliseconds(instant) + 1) << _TIME_SHIFT))


def derived(identifier: str, number: int) -> str:
    """Return one of many ids that stand with a first one: the same whenever they are asked for, of the same millisecond.

    Args:
        identifier: A UUIDv7.
        number: 0 to ``MAX_DERIVED`` - 1; ids of higher numbers sort later.
    """
    digest = hashlib.sha256(f"{identifier}/{number}".encode()).digest()
    tail = number << _HASH_BITS | int.from_bytes(digest, "big") & (1 << _HASH_BITS) - 1
    bits = _COUNT_BITS + _HASH_BITS
    return str(uuid.UUID(int=uuid.UUID(identifier).int >> bits << bits | tail))


def is_id(text: str) -> bool:
    """Tell whether a text is written as our ids are; says nothing of whether anything has that id."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
