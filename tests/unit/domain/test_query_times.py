from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.query_times import TimeBounds, times_in

# A Wednesday.
NOW = datetime(2026, 5, 13, 15, 30, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("What did Ana do on 8 May 2023?", "2023-05-08", "2023-05-08"),
        ("on the 8th of May, 2023", "2023-05-08", "2023-05-08"),
        ("on May 8, 2023", "2023-05-08", "2023-05-08"),
        ("on Dec. 24th", "2025-12-24", "2025-12-24"),
        ("on 8 May", "2026-05-08", "2026-05-08"),
        ("on 14 May", "2025-05-14", "2025-05-14"),
        ("on 2023-05-08T10:00:00Z", "2023-05-08", "2023-05-08"),
        ("in 2023-05", "2023-05-01", "2023-05-31"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("in February 2024", "2024-02-01", "2024-02-29"),
        ("in May", "2026-05-01", "2026-05-31"),
        ("in june", "2025-06-01", "2025-06-30"),
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("the summer of 2022", "2022-01-01", "2022-12-31"),
        ("today", "2026-05-13", "2026-05-13"),
        ("Yesterday", "2026-05-12", "2026-05-12"),
        ("last week", "2026-05-04", "2026-05-10"),
        ("this week", "2026-05-11", "2026-05-17"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("the last three days", "2026-05-10", "2026-05-13"),
        ("two weeks ago", "2026-04-26", "2026-05-02"),
        ("a month ago", "2026-03-29", "2026-04-28"),
        ("3 days ago", "2026-05-10", "2026-05-10"),
        ("on Monday", "2026-05-11", "2026-05-11"),
        ("last Wednesday", "2026-05-06", "2026-05-06"),
        ("between 8 May 2023 and 3 June 2023", "2023-05-08", "2023-06-03"),
    ],
)
def test_a_time_is_all_of_its_days(query: str, first: str, last: str):
    expected = TimeBounds(start=day(first), end=day(last) + timedelta(days=1))

    assert times_in(query, NOW) == expected


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("since 8 May 2023", "2023-05-08", None),
        ("after May 2023", "2023-05-01", None),
        ("before 2023", None, "2023-01-01"),
        ("until yesterday", None, "2026-05-12"),
        ("since May", "2026-05-01", None),
        ("since last week", "2026-05-04", None),
        ("since 2022 and before 2024", None, None),
    ],
)
def test_a_time_may_have_one_side_only(query: str, start: str | None, end: str | None):
    bounds = TimeBounds(start=day(start) if start else None, end=day(end) if end else None)

    assert times_in(query, NOW) == bounds


@pytest.mark.parametrize(
    "query",
    [
        "",
        "Who plays chess?",
        "She may march in the parade",
        "What did Ana say may happen?",
        "2023-02-30",
        "room 2023-05-081",
        "error 20230508",
        "two weeks",
        "the last supper",
        "on mondays",
        "order 66 of 12",
    ],
)
def test_what_names_no_time_has_no_bounds(query: str):
    assert times_in(query, NOW) is None


def test_bounds_hold_their_first_instant_and_not_the_first_behind():
    bounds = TimeBounds(start=day("2023-05-08"), end=day("2023-05-09"))

    assert bounds.holds(day("2023-05-08"))
    assert bounds.holds(day("2023-05-09") - timedelta(milliseconds=1))
    assert not bounds.holds(day("2023-05-09"))
    assert not bounds.holds(day("2023-05-08") - timedelta(milliseconds=1))


@given(st.text(alphabet="0123456789- MayJuneagosincelastweekyearofthe,.", max_size=60))
def test_no_query_is_too_odd(query: str):
    bounds = times_in(query, NOW)

    if bounds is not None and bounds.start is not None and bounds.end is not None:
        assert bounds.start < bounds.end
