import json
from datetime import timedelta

import pytest
from palimpsest.adapters.secrets.kept import KeptKeyLists
from palimpsest.domain.errors import StoreUnavailableError

from tests.fakes.clock import FakeClock
from tests.fakes.key_lists import FIRST_SECRET, SECOND_SECRET


class Reader:
    """Returns a list, counts how often, and fails on demand."""

    def __init__(self) -> None:
        self.text = json.dumps({"key": FIRST_SECRET})
        self.calls = 0
        self.is_down = False

    def __call__(self) -> str:
        self.calls += 1
        if self.is_down:
            raise StoreUnavailableError("Down.")
        return self.text


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_a_list_is_read_once_in_five_minutes(reader: Reader, clock: FakeClock):
    key_lists = KeptKeyLists(reader, clock)

    key_lists.list_keys()
    clock.advance(timedelta(minutes=4, seconds=59))
    key_lists.list_keys()

    assert reader.calls == 1


def test_a_clock_that_stepped_back_reads_again(reader: Reader, clock: FakeClock):
    key_lists = KeptKeyLists(reader, clock)
    key_lists.list_keys()

    clock.advance(-timedelta(seconds=1))
    key_lists.list_keys()

    assert reader.calls == 2


def test_a_reader_that_is_down_is_asked_every_thirty_seconds(reader: Reader, clock: FakeClock):
    key_lists = KeptKeyLists(reader, clock)
    key_lists.list_keys()
    reader.is_down = True

    clock.advance(timedelta(minutes=5))
    key_lists.list_keys()
    key_lists.list_keys()
    clock.advance(timedelta(seconds=30))
    key_lists.list_keys()

    assert reader.calls == 3


def test_a_list_that_was_broken_by_hand_does_not_replace_a_good_one(
    reader: Reader, clock: FakeClock
):
    key_lists = KeptKeyLists(reader, clock)
    before = key_lists.list_keys()

    reader.text = "{}"
    clock.advance(timedelta(minutes=5))
    kept = key_lists.list_keys()
    reader.text = json.dumps({"key": SECOND_SECRET})
    clock.advance(timedelta(seconds=30))

    assert kept == before
    assert key_lists.list_keys() != before


def test_an_error_of_the_first_reading_is_not_kept(reader: Reader, clock: FakeClock):
    key_lists = KeptKeyLists(reader, clock)
    reader.is_down = True
    with pytest.raises(StoreUnavailableError):
        key_lists.list_keys()

    reader.is_down = False

    assert len(key_lists.list_keys()) == 1
