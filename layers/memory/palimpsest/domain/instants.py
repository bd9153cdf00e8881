"""Instants as the service reads and writes them: UTC, to the millisecond."""

import re
from datetime import UTC, datetime, timedelta

from palimpsest.domain.errors import BadInputError

MILLISECOND = timedelta(milliseconds=1)

# RFC 3339 and the common ISO 8601 spellings of the same: a date, a time and, always, a zone. Week dates, ordinal dates
# and bare dates are left out on purpose: `datetime.fromisoformat` takes them and reads some as midnight, somewhere.
_INSTANT = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})[Tt ](?P<time>\d{2}:\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,12}))?)?"
    r"(?P<zone>[Zz]|[+-]\d{2}(?::?[0-5]\d)?)",
    re.ASCII,
)

_WITHOUT_ZONE = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})(?:[Tt ](?P<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,12})?)?))?",
    re.ASCII,
)


def to_milliseconds(instant: datetime) -> datetime:
    """Return the instant in UTC with everything below the millisecond cut off."""
    utc = instant.astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def from_text(text: str, *, field: str) -> datetime:
    """Read an ISO 8601 instant with a zone.

    Args:
        text: Such as ``2026-05-01T09:30:00Z`` or ``2026-05-01T15:00:00.250+05:30``.
        field: Named in the error.

    Returns:
        Aware UTC, cut to the millisecond.

    Raises:
        BadInputError: If there is no zone, only a date, or no such instant.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise _not_an_instant(field)
    zone = "+00:00" if match["zone"] in "Zz" else _zone(match["zone"])
    fraction = (match["fraction"] or "0")[:3].ljust(3, "0")
    try:
        parsed = datetime.fromisoformat(
            f"{match['date']}T{match['time']}:{match['second'] or '00'}.{fraction}{zone}"
        )
        return parsed.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _not_an_instant(field) from error


def from_utc_text(text: str, *, field: str) -> datetime:
    """Read an ISO 8601 instant as the memory door does: without a zone it is UTC, and a date alone is its first instant.

    Raises:
        BadInputError: If there is no such instant.

    Source:
        Seed page 004: "Naive datetimes are interpreted as UTC". Its clients send what people and models write.
    """
    match = _WITHOUT_ZONE.fullmatch(text)
    if match is None:
        return from_text(text, field=field)
    return from_text(f"{match['date']}T{match['time'] or '00:00'}Z", field=field)


def to_text(instant: datetime) -> str:
    """Return ``YYYY-MM-DDTHH:MM:SS.mmmZ``; texts of this form sort as their instants do."""
    utc = instant.astimezone(UTC)
    # strftime's %Y does not pad the year on Linux, and an unpadded year would not sort.
    return f"{utc.year:04d}{utc:-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def to_epoch_milliseconds(instant: datetime) -> int:
    """Return whole milliseconds since 1970-01-01T00:00:00Z."""
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // MILLISECOND


def from_epoch_milliseconds(milliseconds: int) -> datetime:
    """Return the instant so many milliseconds after 1970-01-01T00:00:00Z, aware UTC."""
    return datetime(1970, 1, 1, tzinfo=UTC) + milliseconds * MILLISECOND


def _zone(text: str) -> str:
    digits = text[1:].replace(":", "").ljust(4, "0")
    return f"{text[0]}{digits[:2]}:{digits[2:]}"


def _not_an_instant(field: str) -> BadInputError:
    return BadInputError(
        f"{field} must be an ISO 8601 time with a zone, such as 2026-05-01T09:30:00Z.", field=field
    )
