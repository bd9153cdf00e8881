"""What every maker of ids promises."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.domain.ids import is_id, made_at
from palimpsest.ports.ids import Ids

from tests.fakes.ids import FakeIds


@pytest.fixture(params=[FakeIds, SystemIds])
def ids(request: pytest.FixtureRequest) -> Ids:
    made: Ids = request.param()
    return made


def test_an_id_is_a_lower_case_uuid_of_version_7(ids: Ids):
    made = ids.new_id()

    assert is_id(made)
    assert (uuid.UUID(made).version, uuid.UUID(made).variant) == (7, uuid.RFC_4122)


def test_ids_rise_within_a_millisecond(ids: Ids):
    made = [ids.new_id() for _ in range(5_000)]

    assert made == sorted(set(made))


def test_ids_of_threads_are_all_different_and_rise_in_each(ids: Ids):
    with ThreadPoolExecutor(4) as pool:
        lists = list(pool.map(lambda _: [ids.new_id() for _ in range(2_000)], range(4)))

    assert all(made == sorted(made) for made in lists)
    assert len({one for made in lists for one in made}) == 8_000


def test_a_secret_has_the_size_that_was_asked_for(ids: Ids):
    assert [len(ids.new_secret(size)) for size in (1, 32)] == [1, 32]


def test_the_time_of_making_stands_in_an_id_of_the_system():
    before = SystemClock().now()

    made = made_at(SystemIds().new_id())

    assert before <= made <= SystemClock().now()


def test_no_two_secrets_of_the_system_are_alike():
    assert SystemIds().new_secret(32) != SystemIds().new_secret(32)
