import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.ids import MAX_DERIVED, derived, first_after, is_id, made_at
from palimpsest.domain.instants import MILLISECOND, to_epoch_milliseconds, to_milliseconds

RANDOM_BITS = 74

instants = st.datetimes(
    # Bounds are local times, by hypothesis's own rule.
    min_value=datetime(1970, 1, 1),  # noqa: DTZ001
    max_value=datetime(9999, 12, 31),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(to_milliseconds)
chance = st.integers(min_value=0, max_value=2**RANDOM_BITS - 1) | st.sampled_from(
    [0, 2**RANDOM_BITS - 1]
)


def uuid7(instant, chance):
    """Lay out a UUIDv7 as RFC 9562 §5.7 draws it."""
    high, low = chance >> 62, chance & (2**62 - 1)
    number = to_epoch_milliseconds(instant) << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low
    return str(uuid.UUID(int=number))


@given(instant=instants, chance=chance)
def test_an_id_tells_when_it_was_made(instant, chance):
    identifier = uuid7(instant, chance)

    assert uuid.UUID(identifier).version == 7
    assert made_at(identifier) == instant


@given(left=instants, right=instants, chances=st.tuples(chance, chance))
def test_ids_sort_by_the_time_of_their_making(left, right, chances):
    earlier, later = sorted((left, right))

    if earlier < later:
        assert uuid7(earlier, chances[0]) < uuid7(later, chances[1])


@given(instant=instants, chance=chance)
def test_the_bound_parts_the_ids_of_a_millisecond_from_those_of_the_next(instant, chance):
    bound = first_after(instant)

    assert uuid7(instant, chance) < bound
    assert bound <= uuid7(instant + MILLISECOND, chance)


@pytest.mark.parametrize("year", [1, 1960, 1969])
def test_nothing_was_made_before_the_epoch(year):
    bound = first_after(datetime(year, 12, 31, 23, 59, 59, 999000, tzinfo=UTC))

    assert bound <= uuid7(datetime(1970, 1, 1, tzinfo=UTC), 0)


def test_the_last_instant_that_a_time_can_have_has_a_bound():
    last = datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)

    assert uuid7(last, 2**RANDOM_BITS - 1) < first_after(last)
    assert first_after(last - timedelta(milliseconds=1)) <= uuid7(last, 0)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("01890a5d-ac96-774b-bcce-b302099a8057", True),
        ("01890A5D-AC96-774B-BCCE-B302099A8057", False),
        ("01890a5dac96774bbcceb302099a8057", False),
        ("{01890a5d-ac96-774b-bcce-b302099a8057}", False),
        ("urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057", False),
        ("01890a5d-ac96-774b-bcce-b302099a805", False),
        (" 01890a5d-ac96-774b-bcce-b302099a8057", False),
        ("\u06601890a5d-ac96-774b-bcce-b302099a8057", False),
        ("", False),
        ("#", False),
        ("\x00", False),
    ],
)
def test_an_id_is_known_by_its_spelling(text, is_one):
    assert is_id(text) is is_one


@given(text=st.text(max_size=40))
def test_any_text_can_be_asked_for_as_an_id(text):
    assert not is_id(text) or len(text) == 36


@given(instant=instants, chance=chance)
def test_derived_ids_are_of_the_same_millisecond_and_sort_by_their_number(instant, chance):
    first = uuid7(instant, chance)

    ids = [derived(first, number) for number in (0, 1, 499, MAX_DERIVED - 1)]

    assert ids == sorted(set(ids))
    assert {made_at(identifier) for identifier in ids} == {instant}
    assert {(uuid.UUID(i).version, uuid.UUID(i).variant) for i in ids} == {(7, uuid.RFC_4122)}


def test_derived_ids_are_the_same_whenever_they_are_asked_for_and_others_for_another_first_one():
    one, other = (
        uuid7(datetime(2026, 5, 1, tzinfo=UTC), 1),
        uuid7(datetime(2026, 5, 1, tzinfo=UTC), 2),
    )

    assert derived(one, 7) == derived(one, 7)
    assert derived(one, 7) != derived(other, 7)
