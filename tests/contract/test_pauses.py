"""What all pauses promise."""

import pytest
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.ports.pauses import Pauses

from tests.fakes.pauses import FakePauses


@pytest.fixture(params=["fake", "jittered"])
def pauses(request: pytest.FixtureRequest) -> Pauses:
    return FakePauses() if request.param == "fake" else JitteredPauses(sleep=lambda _: None)


@pytest.mark.parametrize("attempts", [range(1, 6), (5, 1, 3), (1, 1, 1), (60,)])
def test_any_attempt_can_be_paused_after_in_any_order(pauses: Pauses, attempts):
    for attempt in attempts:
        pauses.pause(attempt)


def test_the_first_pause_of_the_real_one_is_over_within_a_blink():
    JitteredPauses().pause(1)
