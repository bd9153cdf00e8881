import pytest
from palimpsest.adapters.system.pauses import JitteredPauses


@pytest.mark.parametrize(
    ("attempt", "bound_seconds"), [(1, 0.02), (2, 0.04), (3, 0.08), (5, 0.32), (6, 0.4), (60, 0.4)]
)
def test_a_pause_is_anything_up_to_a_bound_that_doubles(attempt, bound_seconds):
    slept: list[float] = []

    for _ in range(500):
        JitteredPauses(slept.append).pause(attempt)

    assert 0 <= min(slept) < bound_seconds * 0.1
    assert bound_seconds * 0.9 < max(slept) <= bound_seconds
