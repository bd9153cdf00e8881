"""What every clock promises."""

from datetime import UTC, datetime, timedelta

import pytest
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.ports.clock import Clock

from tests.fakes.clock import FakeClock


@pytest.fixture(params=[FakeClock, SystemClock])
def clock(request: pytest.FixtureRequest) -> Clock:
    made: Clock = request.param()
    return made


def test_the_time_is_utc_and_says_so(clock: Clock):
    assert clock.now().utcoffset() == timedelta(0)


def test_the_time_is_cut_to_the_millisecond(clock: Clock):
    assert clock.now().microsecond % 1000 == 0


def test_the_system_clock_tells_the_present():
    before = datetime.now(UTC)

    told = SystemClock().now()

    assert before - timedelta(milliseconds=1) < told <= datetime.now(UTC)
