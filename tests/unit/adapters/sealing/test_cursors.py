import base64
import string
from datetime import timedelta

import pytest
from palimpsest.adapters.sealing.cursors import SealedCursors
from palimpsest.domain.errors import InvalidCursorError, StoreUnavailableError

from tests.fakes.clock import FakeClock
from tests.fakes.key_lists import FIRST_SECRET, SECOND_SECRET, FakeKeyLists

POSITION = "01890a5d-ac96-774b-bcce-b302099a8057"
BASE64URL = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def key_lists() -> FakeKeyLists:
    return FakeKeyLists()


@pytest.fixture
def cursors(key_lists: FakeKeyLists, clock: FakeClock) -> SealedCursors:
    return SealedCursors(key_lists, clock)


@pytest.mark.parametrize("age", [timedelta(hours=24, seconds=60), -timedelta(seconds=60)])
def test_a_cursor_is_good_for_a_day_and_a_minute_of_skew(cursors, clock, age):
    cursor = cursors.seal(POSITION, binding="b")

    clock.advance(age)

    assert cursors.open(cursor, binding="b") == POSITION


@pytest.mark.parametrize(
    "age", [timedelta(hours=24, seconds=60, milliseconds=1), -timedelta(seconds=60, milliseconds=1)]
)
def test_beyond_that_it_has_expired(cursors, clock, age):
    cursor = cursors.seal(POSITION, binding="b")

    clock.advance(age)

    with pytest.raises(InvalidCursorError) as refused:
        cursors.open(cursor, binding="b")
    assert str(refused.value) == (
        "This cursor has expired: it is good for 24 hours. Start the list again without it."
    )
    assert refused.value.details == {"field": "cursor"}


def test_a_listed_key_opens_what_it_sealed_before_another_came_first(cursors, key_lists):
    cursor = cursors.seal(POSITION, binding="b")

    key_lists.secrets = (SECOND_SECRET, FIRST_SECRET)

    assert cursors.open(cursor, binding="b") == POSITION


def test_the_first_key_seals(cursors, key_lists):
    key_lists.secrets = (SECOND_SECRET, FIRST_SECRET)

    cursor = cursors.seal(POSITION, binding="b")

    key_lists.secrets = (SECOND_SECRET,)
    assert cursors.open(cursor, binding="b") == POSITION


def test_a_key_that_is_not_listed_any_more_is_unknown(cursors, key_lists):
    cursor = cursors.seal(POSITION, binding="b")

    key_lists.secrets = (SECOND_SECRET,)

    with pytest.raises(InvalidCursorError) as refused:
        cursors.open(cursor, binding="b")
    assert str(refused.value) == (
        "This cursor was sealed under a key that is not in use any more. Start the list again without it."
    )


def test_every_altered_byte_is_noticed(cursors):
    cursor = cursors.seal(POSITION, binding="b")
    parts = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))

    for place in range(len(parts)):
        altered = parts[:place] + bytes([parts[place] ^ 1]) + parts[place + 1 :]
        with pytest.raises(InvalidCursorError):
            cursors.open(base64.urlsafe_b64encode(altered).rstrip(b"=").decode(), binding="b")


@pytest.mark.parametrize("position", ["p", "pp", "ppp"])
def test_no_other_text_is_the_same_cursor(cursors, position):
    cursor = cursors.seal(position, binding="b")
    others = {cursor[:-1] + last for last in BASE64URL} - {cursor}
    others |= {cursor + "=", cursor + "==", "=" + cursor, cursor + "A", cursor[:-1]}

    for other in others:
        with pytest.raises(InvalidCursorError):
            cursors.open(other, binding="b")


def test_two_cursors_of_one_position_differ(cursors):
    assert cursors.seal(POSITION, binding="b") != cursors.seal(POSITION, binding="b")


def test_a_binding_may_hold_what_utf_8_refuses(cursors):
    cursor = cursors.seal(POSITION, binding="type=\ud800")

    assert cursors.open(cursor, binding="type=\ud800") == POSITION


def test_a_position_that_does_not_fit_is_a_mistake_of_the_caller(cursors):
    with pytest.raises(ValueError, match="must fit"):
        cursors.seal("p" * 344, binding="b")


def test_the_longest_position_fits(cursors):
    cursor = cursors.seal("p" * 343, binding="b")

    assert len(cursor) == 512
    assert cursors.open(cursor, binding="b") == "p" * 343


def test_a_key_list_that_cannot_be_read_is_no_fault_of_the_cursor(cursors, key_lists):
    cursor = cursors.seal(POSITION, binding="b")
    elsewhere = SealedCursors(FakeKeyLists(fault=StoreUnavailableError("Down.")), FakeClock())

    with pytest.raises(StoreUnavailableError):
        elsewhere.open(cursor, binding="b")
