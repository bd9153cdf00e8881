import threading

import pytest
from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.ports.parallel import Parallel

from tests.fakes.parallel import FakeParallel


@pytest.fixture(params=[FakeParallel, ThreadParallel])
def parallel(request) -> Parallel:
    built: Parallel = request.param()
    return built


def fail(error: Exception) -> str:
    raise error


def test_results_come_in_the_order_of_the_tasks(parallel):
    results = parallel.run([lambda: "first", lambda: "second", lambda: "third"], seconds=5)

    assert results == ["first", "second", "third"]


def test_nothing_to_do_is_no_result(parallel):
    assert parallel.run([], seconds=5) == []


def test_what_a_task_raises_is_raised(parallel):
    with pytest.raises(KeyError, match="mine"):
        parallel.run([lambda: "fine", lambda: fail(KeyError("mine"))], seconds=5)


def test_threads_run_at_the_same_time():
    # Each waits for the other: one after the other they would never meet.
    meeting = threading.Barrier(2, timeout=5)

    results = ThreadParallel().run([meeting.wait, meeting.wait], seconds=10)

    assert sorted(results) == [0, 1]


def test_a_task_that_hangs_is_not_waited_for():
    release = threading.Event()

    with pytest.raises(TimeoutError):
        ThreadParallel().run([lambda: True, release.wait], seconds=0.01)
    release.set()


def test_a_failure_does_not_wait_for_a_task_that_hangs():
    release = threading.Event()

    with pytest.raises(KeyError):
        ThreadParallel().run([lambda: str(release.wait()), lambda: fail(KeyError())], seconds=10)
    release.set()


def test_a_late_task_can_be_told_from_one_that_raised_a_time_out():
    with pytest.raises(TimeoutError, match="theirs"):
        ThreadParallel().run([lambda: fail(TimeoutError("theirs"))], seconds=5)
