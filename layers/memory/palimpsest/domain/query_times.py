"""Times that a query names: "in May 2023", "yesterday", "since 8 May", "2023-05-08", as bounds.

English and ISO 8601. Days are those of UTC, as everywhere in this service. A day or month without a year is the latest one
that has begun: memories are of the past.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_DAY = timedelta(days=1)
# "999 years ago" would be near the beginning of Python's calendar, or before it.
_FAR_DAYS = 36_500
_DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_EDGE = r"\b(?:(?P<edge>since|after|before|until|till)\s+(?:the\s+)?)?"
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY_OF_MONTH = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})"
_UNIT = r"(?P<unit>day|week|month|year)"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """A stretch of time.

    Attributes:
        start: Its first instant; None for no beginning.
        end: The first instant behind it; None for no end.
    """

    start: datetime | None
    end: datetime | None

    def holds(self, instant: datetime) -> bool:
        """Tell whether an instant lies within."""
        return (self.start is None or instant >= self.start) and (
            self.end is None or instant < self.end
        )


_Stretch = tuple[datetime, datetime]
_Match = re.Match[str]


def times_in(query: str, now: datetime) -> TimeBounds | None:
    """Return the stretch of time that a query names; None when it names none.

    Args:
        query: In the caller's words.
        now: What "yesterday" is counted from; aware UTC.

    Returns:
        From the first to the last of all times that are named, each whole: a day, a month, a year.
    """
    found: list[TimeBounds] = []
    rest = query
    for form, read in _FORMS:
        rest = form.sub(_taken_by(read, now, found), rest)
    if not found:
        return None
    starts = [bounds.start for bounds in found]
    ends = [bounds.end for bounds in found]
    return TimeBounds(
        start=None if None in starts else min(filter(None, starts)),
        end=None if None in ends else max(filter(None, ends)),
    )


def _taken_by(
    read: Callable[[_Match, datetime], _Stretch | None], now: datetime, found: list[TimeBounds]
) -> Callable[[_Match], str]:
    """Return what takes a time out of the query, so that "8 May 2023" is not read as "May 2023" once more."""

    def take(match: _Match) -> str:
        stretch = read(match, now)
        if stretch is None:
            return match.group()
        start, end = stretch
        edge = (match["edge"] or "").lower()
        if edge in ("since", "after"):
            found.append(TimeBounds(start=start, end=None))
        elif edge:
            found.append(TimeBounds(start=None, end=start))
        else:
            found.append(TimeBounds(start=start, end=end))
        return "\n"

    return take


def _date(match: _Match, now: datetime) -> _Stretch | None:
    """Read a day or a month, with its year or without."""
    given = match.groupdict()
    month, day = _month_number(given["month"]), int(given.get("day") or 0)
    years = [int(given["year"])] if given.get("year") else [now.year, now.year - 1]
    for year in years:
        stretch = _day_of(year, month, day) if day else _month_of(year, month)
        if stretch is not None and (given.get("year") or stretch[0] <= now):
            return stretch
    return None


def _month_number(text: str) -> int:
    return int(text) if text.isdecimal() else _MONTHS[text[:3].lower()]


def _day_of(year: int, month: int, day: int) -> _Stretch | None:
    try:
        start = datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None  # 30 February
    return start, start + _DAY


def _month_of(year: int, month: int) -> _Stretch:
    start = datetime(year, month, 1, tzinfo=UTC)
    return start, (start + 31 * _DAY).replace(day=1)


def _whole_year(match: _Match, _: datetime) -> _Stretch:
    year = int(match["year"])
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _named_day(match: _Match, now: datetime) -> _Stretch:
    start = _midnight(now) - (_DAY if match["named"].lower() == "yesterday" else timedelta(0))
    return start, start + _DAY


def _last_few(match: _Match, now: datetime) -> _Stretch:
    """Read "the last three weeks": up to now."""
    return _midnight(now) - _span(match), _midnight(now) + _DAY


def _ago(match: _Match, now: datetime) -> _Stretch:
    """Read "three weeks ago": a unit around that day, as people say it."""
    middle = _midnight(now) - _span(match)
    around = _DAYS_OF[match["unit"].lower()] // 2 * _DAY
    return middle - around, middle + around + _DAY


def _span(match: _Match) -> timedelta:
    count = match["count"].lower()
    days = _DAYS_OF[match["unit"].lower()] * (_COUNTS.get(count) or int(count))
    return min(days, _FAR_DAYS) * _DAY


def _calendar_unit(match: _Match, now: datetime) -> _Stretch:
    """Read "last week" and "this month": weeks begin on Monday (ISO 8601)."""
    today, unit = _midnight(now), match["unit"].lower()
    is_this = match["which"].lower() == "this"
    if unit == "week":
        start = today - today.weekday() * _DAY - (0 if is_this else 7) * _DAY
        return start, start + 7 * _DAY
    if unit == "month":
        first = today.replace(day=1)
        begun = first if is_this else first - _DAY
        return _month_of(begun.year, begun.month)
    year = today.year if is_this else today.year - 1
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _weekday(match: _Match, now: datetime) -> _Stretch:
    """Read "on Monday": the latest one before today."""
    back = (now.weekday() - _WEEKDAYS.index(match["weekday"].lower()) - 1) % 7 + 1
    start = _midnight(now) - back * _DAY
    return start, start + _DAY


def _midnight(instant: datetime) -> datetime:
    return instant.replace(hour=0, minute=0, second=0, microsecond=0)


# In the order in which they are looked for: the longer form before the shorter one that it holds. "May" and "march" are verbs
# as well, so a month alone must stand behind one of a few words.
_FORMS = tuple(
    (re.compile(f"{_EDGE}{pattern}", re.IGNORECASE), read)
    for pattern, read in (
        (r"(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)(?!\d)", _date),
        (r"(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d-])", _date),
        (rf"{_DAY_OF_MONTH}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _date),
        (rf"{_MONTH}\s+(?:the\s+)?{_DAY_OF_MONTH}\b(?![:\d])(?:,?\s+{_YEAR})?", _date),
        (rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}", _date),
        (rf"(?:(?<=since )|(?<=after )|(?<=before )|(?<=until )|(?<=till )){_MONTH}", _date),
        (rf"(?:in|during|of|last|this|early|late|mid)\s+{_MONTH}", _date),
        (rf"(?<![\d-]){_YEAR}(?!-\d)", _whole_year),
        (r"(?P<named>today|tonight|yesterday)\b", _named_day),
        (rf"(?:last|past)\s+{_COUNT}\s+{_UNIT}s?\b", _last_few),
        (rf"(?P<which>last|past|this)\s+{_UNIT}\b", _calendar_unit),
        (rf"{_COUNT}\s+{_UNIT}s?\s+ago\b", _ago),
        (rf"(?:last|on)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b", _weekday),
    )
)
