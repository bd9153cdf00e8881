from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.instants import (
    from_epoch_milliseconds,
    from_text,
    from_utc_text,
    to_epoch_milliseconds,
    to_milliseconds,
    to_text,
)

FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)

offsets = st.integers(min_value=-23 * 60 - 59, max_value=23 * 60 + 59).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)
instants = st.datetimes(timezones=st.just(UTC)).map(to_milliseconds)
# A day away from both ends of the calendar, so that every zone has a local time for it.
inner = st.datetimes(
    # Bounds are local times, by hypothesis's own rule.
    min_value=datetime(1, 1, 3),  # noqa: DTZ001
    max_value=datetime(9999, 12, 29),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(to_milliseconds)


@given(instant=instants)
def test_an_instant_survives_being_written_and_read(instant):
    text = to_text(instant)

    assert from_text(text, field="asOf") == instant
    assert len(text) == len("2026-05-01T09:30:00.000Z")


@given(left=instants, right=instants)
def test_texts_sort_as_their_instants_do(left, right):
    assert (to_text(left) < to_text(right)) == (left < right)


@given(instant=inner, zone=offsets)
def test_an_offset_is_normalised(instant, zone):
    text = instant.astimezone(zone).isoformat()

    read = from_text(text, field="asOf")

    assert read == instant
    assert read.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2026-05-01T09:30:00Z", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T09:30:00.250Z", "2026-05-01T09:30:00.250Z"),
        ("2026-05-01T09:30:00.2Z", "2026-05-01T09:30:00.200Z"),
        ("2026-05-01T09:30:00,25Z", "2026-05-01T09:30:00.250Z"),
        ("2026-05-01T09:30:00.999999999Z", "2026-05-01T09:30:00.999Z"),
        ("2026-05-01T09:30Z", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01t09:30:00z", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01 09:30:00Z", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T15:00:00+05:30", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T15:00:00+0530", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T04:30:00-05", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T00:00:00+23:59", "2026-04-30T00:01:00.000Z"),
        ("2026-05-01T09:30:00-00:00", "2026-05-01T09:30:00.000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_spellings_that_are_taken(text, normal):
    assert to_text(from_text(text, field="asOf")) == normal


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "yesterday",
        "now",
        "2026-05-01",
        "2026-05-01Z",
        "2026-05-01T09:30:00",
        "2026-05-01T09:30:00.250",
        "2026-05-01 09:30",
        "20260501",
        "1777627800",
        "2026-W18-5",
        "2026-W18-5T09:30:00Z",
        "2026-121T09:30:00Z",
        "2026-05-01T09:30:00+05:30 ",
        " 2026-05-01T09:30:00Z",
        "2026-05-01T09:30:00Z\n",
        "2026-05-01T09:30:00 05:30",
        "2026-05-01T09:30:00+5:30",
        "2026-05-01T09:30:00+05:60",
        "2026-05-01T09:30:00+05:99",
        "2026-05-01T09:30:00+24:00",
        "2026-05-01T09:30:00[Asia/Kolkata]",
        "2026-05-01T09:30:00 UTC",
        "2026-05-01T24:00:00Z",
        "2026-05-01T09:60:00Z",
        "2026-05-01T09:30:61Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "-2026-05-01T09:30:00Z",
        "+12026-05-01T09:30:00Z",
        "\uff12\uff10\uff12\uff16-05-01T09:30:00Z",
        "2026-05-01T09:30:00Z\x00",
    ],
)
def test_spellings_that_are_refused(text):
    with pytest.raises(BadInputError) as refused:
        from_text(text, field="asOf")

    assert refused.value.details == {"field": "asOf"}
    assert "ISO 8601 time with a zone" in str(refused.value)


@given(instant=st.datetimes(timezones=st.just(UTC)))
def test_what_lies_below_a_millisecond_is_cut_off_and_never_rounded_up(instant):
    cut = to_milliseconds(instant)

    assert timedelta(0) <= instant - cut < timedelta(milliseconds=1)
    assert cut.microsecond % 1000 == 0


@given(instant=instants)
def test_an_instant_survives_being_counted_in_milliseconds(instant):
    assert from_epoch_milliseconds(to_epoch_milliseconds(instant)) == instant


def test_milliseconds_are_counted_from_the_epoch():
    assert to_epoch_milliseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)) == 1000
    assert to_epoch_milliseconds(datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)) == -1
    assert (to_text(FIRST), to_text(LAST)) == (
        "0001-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z",
    )


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2026-05-01T09:30:00", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01 09:30", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T09:30:00.250999", "2026-05-01T09:30:00.250Z"),
        ("2026-05-01", "2026-05-01T00:00:00.000Z"),
        ("2026-05-01T09:30:00Z", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T09:30:00+05:30", "2026-05-01T04:00:00.000Z"),
    ],
)
def test_the_memory_door_takes_a_time_without_a_zone_as_utc(text, normal):
    assert to_text(from_utc_text(text, field="since")) == normal


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2026-13-01", "2026-05-01T", "2026-05-01T25:00:00", "20260501", "2026-W18"],
)
def test_what_is_no_time_is_none_for_the_memory_door_either(text):
    with pytest.raises(BadInputError):
        from_utc_text(text, field="since")
