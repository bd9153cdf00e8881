"""Ids of facts and revisions: lower-case UUIDv7, which sort by the time of their making."""

import uuid
from datetime import datetime

from palimpsest.domain.instants import from_epoch_milliseconds, to_epoch_milliseconds

_TIME_SHIFT = 80  # RFC 9562 §5.7: the first 48 of 128 bits are milliseconds since the epoch


def made_at(identifier: str) -> datetime:
    """Return the millisecond that stands in a UUIDv7."""
    return from_epoch_milliseconds(uuid.UUID(identifier).int >> _TIME_SHIFT)


def first_after(instant: datetime) -> str:
    """Return the lowest id text that no UUIDv7 of that millisecond or before reaches: an exclusive upper bound.

    Any instant has one: no id was made before the epoch, and 48 bits of milliseconds outlast the year 9999.
    """
    return str(uuid.UUID(int=max(0, to_epoch_milliseconds(instant) + 1) << _TIME_SHIFT))


def is_id(text: str) -> bool:
    """Tell whether a text is written as our ids are; says nothing of whether anything has that id."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
