"""When a revision stops being readable, and whether it may be read at an instant."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.facts import Retention, Review, Revision, Trust


def expires_at(
    retention: Retention | None,
    *,
    first_written_at: datetime,
    unverified_until: datetime | None,
) -> datetime | None:
    """Return the earliest of all ends that a revision has, or None when it has none.

    Args:
        retention: ``keepUntil`` and ``keepDays``, the latter from the fact's first write.
        first_written_at: Of the fact.
        unverified_until: For an unverified revision, the end of the deployment's window; else None.

    Raises:
        BadInputError: If ``keepDays`` reaches beyond the last year that a time can have.
    """
    ends = [unverified_until]
    if retention is not None:
        ends.append(retention.keep_until)
        if retention.keep_days is not None:
            ends.append(_after_days(first_written_at, retention.keep_days))
    return min((end for end in ends if end is not None), default=None)


def unverified_until(
    trust: Trust, *, created_at: datetime, window: timedelta | None
) -> datetime | None:
    """Return when a revision of this trust leaves the deployment's window for unverified facts; None for never."""
    return created_at + window if trust is Trust.UNVERIFIED and window is not None else None


def check_not_over(end: datetime | None, *, now: datetime) -> None:
    """Refuse a revision that could never be read.

    Raises:
        BadInputError: If the end is not in the future.
    """
    if end is not None and end <= now:
        raise BadInputError("The fact would have expired already.", field="retention")


def is_over(revision: Revision, *, now: datetime) -> bool:
    """Tell whether the revision's time is over, whatever any sweep has or has not done."""
    return revision.expires_at is not None and revision.expires_at <= now


def may_be_read(caller: Caller, revision: Revision, *, now: datetime) -> bool:
    """Tell whether expiry and review let this caller read the revision (sight is another question).

    A pending fact is only for a tenant admin, whose verify releases it.
    """
    if is_over(revision, now=now):
        return False
    return revision.review is not Review.PENDING or caller.is_tenant_admin


def last_of(ends: Iterable[datetime | None]) -> datetime | None:
    """Return the latest of several ends, or None when one of them never comes."""
    known = list(ends)
    return None if None in known else max(end for end in known if end is not None)


def _after_days(start: datetime, days: int) -> datetime:
    try:
        return start + timedelta(days=days)
    except OverflowError as error:
        raise BadInputError(
            "retention.keepDays reaches beyond the year 9999.", field="retention.keepDays"
        ) from error
