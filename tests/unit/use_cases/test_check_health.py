import pytest
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError
from palimpsest.use_cases.check_health import CheckHealth

from tests.fakes.facts import FakeFactRepository


def test_a_store_that_answers_is_healthy_after_one_read():
    facts = FakeFactRepository()

    assert CheckHealth(facts=facts)()
    assert facts.loads == 1


@pytest.mark.parametrize("error", [StoreFailedError("no table"), StoreUnavailableError("busy")])
def test_a_store_that_does_not_is_not(error):
    facts = FakeFactRepository()
    facts.read_faults.fail_next(error)

    assert not CheckHealth(facts=facts)()
