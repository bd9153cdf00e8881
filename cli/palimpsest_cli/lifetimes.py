"""How long a key is good, as it is written on a command line."""

import re
from datetime import datetime, timedelta

import click
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.instants import from_text

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# Six digits of weeks are 19,000 years; what that comes to is refused by the service, not by the calendar.
_DURATION = re.compile(r"(\d{1,5})([mhdw])", re.ASCII)


def expiry_from_options(
    expires_in: str | None, expires_at: str | None, *, now: datetime
) -> datetime | None:
    """Return when a key ends.

    Args:
        expires_in: Such as ``90d``, from ``30m``, ``12h``, ``90d``, ``8w``.
        expires_at: An ISO 8601 instant with a zone.
        now: What ``expires_in`` counts from.

    Returns:
        Aware UTC; None when neither is given.

    Raises:
        click.UsageError: If both are given, or one is not of its form.
    """
    if expires_in is not None and expires_at is not None:
        raise click.UsageError("Give --expires-in or --expires-at, not both.")
    if expires_at is not None:
        try:
            return from_text(expires_at, field="--expires-at")
        except BadInputError as error:
            raise click.UsageError(str(error)) from error
    if expires_in is None:
        return None
    match = _DURATION.fullmatch(expires_in)
    if match is None:
        raise click.UsageError("--expires-in takes a number and m, h, d or w, such as 90d.")
    return now + timedelta(**{_UNITS[match[2]]: int(match[1])})
