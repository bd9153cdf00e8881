"""What is measured of a read, and under which names."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from palimpsest.use_cases.read_meter import EMBEDDING, STORING, Meter

from tests.fakes.clock import NOON, FakeClock


class Store:
    """Any port."""

    model_id = "m"

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock

    def load(self, key: str, *, takes: int = 5) -> str:
        self.clock.advance(timedelta(milliseconds=takes))
        return key

    def embed_query(self, text: str) -> str:
        return text

    def walk(self, *keys: str) -> Iterator[str]:
        for key in keys:
            self.clock.advance(timedelta(milliseconds=2))
            yield key

    def fail(self) -> None:
        self.clock.advance(timedelta(milliseconds=7))
        raise LookupError


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_every_call_of_a_store_is_counted_and_timed_and_answers_as_before(clock: FakeClock):
    meter = Meter(clock=clock)
    store = meter.watch(Store(clock), STORING)

    assert [store.load("a"), store.load("b", takes=3)] == ["a", "b"]
    assert meter.costs["n_db_roundtrips"] == 2
    assert meter.costs["db_touch_ms"] == 8.0


def test_a_walk_takes_the_time_that_its_steps_take_and_not_that_of_its_reader(clock: FakeClock):
    meter = Meter(clock=clock)

    for _ in meter.watch(Store(clock), STORING).walk("a", "b", "c"):
        clock.advance(timedelta(milliseconds=100))

    assert (meter.costs["n_db_roundtrips"], meter.costs["db_touch_ms"]) == (1, 6.0)


def test_a_call_that_fails_counts_as_well(clock: FakeClock):
    meter = Meter(clock=clock)

    with pytest.raises(LookupError):
        meter.watch(Store(clock), STORING).fail()

    assert (meter.costs["n_db_roundtrips"], meter.costs["db_touch_ms"]) == (1, 7.0)


def test_only_named_methods_are_measured_where_methods_are_named(clock: FakeClock):
    meter = Meter(clock=clock)
    model = meter.watch(Store(clock), EMBEDDING)

    assert (model.model_id, model.embed_query("q"), model.load("a")) == ("m", "q", "a")
    assert meter.costs == {
        "embed_query_ms": 0.0,
        "n_embed_calls": 1,
        "n_vector_searches": 0,
        "n_db_roundtrips": 0,
    }


def test_a_phase_adds_up_and_a_clock_that_steps_back_adds_nothing(clock: FakeClock):
    meter = Meter(clock=clock)

    for milliseconds in (4, -9, 6):
        with meter.phase("rank_ms"):
            clock.advance(timedelta(milliseconds=milliseconds))

    assert meter.costs["rank_ms"] == 10.0
    assert meter.milliseconds_since(NOON) == 1.0
    assert meter.milliseconds_since(NOON + timedelta(days=1)) == 0.0


def test_what_runs_side_by_side_loses_no_count(clock: FakeClock):
    meter = Meter(clock=clock)
    store = meter.watch(Store(clock), STORING)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(store.load, ["a"] * 200))

    assert meter.costs["n_db_roundtrips"] == 200
