from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from local.delivery import RETRIES_EXHAUSTED, TOO_OLD, Delivery
from local.mapping import EventMapping

NOW = 1_000_000.0


def record(number: int, *, age_seconds: float = 0) -> dict[str, Any]:
    return {
        "dynamodb": {
            "SequenceNumber": str(number),
            "ApproximateCreationDateTime": NOW - age_seconds,
        }
    }


def numbers(records: Sequence[Any]) -> list[int]:
    return [int(record["dynamodb"]["SequenceNumber"]) for record in records]


def failures(*numbers: object) -> dict[str, Any]:
    return {"batchItemFailures": [{"itemIdentifier": str(number)} for number in numbers]}


@dataclass
class Bench:
    """A delivery to a function that a test writes.

    Attributes:
        function: From the numbers of a batch to its answer.
        batches: Every batch that was delivered, by numbers.
        given_up: Every batch that was given up, with its reason and how often it was tried.
        checkpoints: Every checkpoint, in turn.
        pauses: How many had failed, before each pause.
    """

    function: Callable[[list[int]], Any] = lambda _: None
    batches: list[list[int]] = field(default_factory=list)
    given_up: list[tuple[list[int], str, int]] = field(default_factory=list)
    checkpoints: list[int] = field(default_factory=list)
    pauses: list[int] = field(default_factory=list)
    stop_after: int = 1000

    def deliver(self, records: Sequence[Any], **rules: Any) -> bool:
        mapping = EventMapping(
            function="f", table="t", **{"reports_failures": True, "retries": 3, **rules}
        )
        return Delivery(
            mapping=mapping,
            invoke=self._invoke,
            failures=self,
            checkpoint=self.checkpoints.append,
            pause=self._pause,
            now=lambda: NOW,
        ).deliver(records)

    def keep(self, records: Sequence[Any], *, condition: str, attempts: int) -> None:
        self.given_up.append((numbers(records), condition, attempts))

    def _invoke(self, event) -> Any:
        batch = numbers(event["Records"])
        self.batches.append(batch)
        return self.function(batch)

    def _pause(self, failed: int) -> bool:
        self.pauses.append(failed)
        return len(self.pauses) < self.stop_after


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_records_go_in_order_and_in_batches(bench):
    assert bench.deliver([record(i) for i in range(1, 6)], batch_size=2)

    assert bench.batches == [[1, 2], [3, 4], [5]]
    assert bench.checkpoints == [2, 4, 5]
    assert bench.pauses == []


def test_from_the_lowest_failure_on_everything_comes_again(bench):
    answers = iter([failures(4, 2), None])
    bench.function = lambda _: next(answers)

    bench.deliver([record(i) for i in range(1, 5)])

    assert bench.batches == [[1, 2, 3, 4], [2, 3, 4]]
    assert bench.checkpoints == [1, 4]


@pytest.mark.parametrize("wrong", [failures(""), failures(99), {"batchItemFailures": [{}]}])
def test_a_failure_that_names_no_record_fails_the_whole_batch(bench, wrong):
    answers = iter([wrong, None])
    bench.function = lambda _: next(answers)

    bench.deliver([record(1), record(2)])

    assert bench.batches == [[1, 2], [1, 2]]
    assert bench.checkpoints == [2]


@pytest.mark.parametrize("answer", [None, {}, {"batchItemFailures": []}])
def test_an_answer_without_failures_is_success(bench, answer):
    bench.function = lambda _: answer

    bench.deliver([record(1)])

    assert bench.batches == [[1]]


def test_an_answer_is_not_looked_at_unless_the_mapping_says_so(bench):
    bench.function = lambda _: failures(1)

    bench.deliver([record(1)], reports_failures=False)

    assert bench.checkpoints == [1]


def test_nothing_goes_past_a_batch_that_fails(bench):
    def function(batch):
        if batch == [1] and bench.batches.count([1]) < 3:
            raise ValueError

    bench.function = function

    bench.deliver([record(1), record(2)], batch_size=1)

    assert bench.batches == [[1], [1], [1], [2]]
    assert bench.pauses == [1, 2]


def test_a_poison_record_is_given_up_and_the_shard_moves_on(bench):
    def function(batch):
        if 2 in batch:
            raise ValueError

    bench.function = function

    assert bench.deliver([record(i) for i in range(1, 5)], retries=2, is_bisected=True)

    assert bench.given_up == [([2], RETRIES_EXHAUSTED, 3)]
    assert bench.checkpoints == [1, 2, 4]


def test_bisecting_costs_no_retry(bench):
    def function(batch):
        if len(batch) > 1:
            raise ValueError

    bench.function = function

    bench.deliver([record(i) for i in range(1, 9)], retries=0, is_bisected=True)

    assert bench.given_up == []
    assert bench.checkpoints == list(range(1, 9))


def test_without_bisecting_the_whole_batch_is_given_up(bench):
    bench.function = lambda _: failures(1)

    bench.deliver([record(1), record(2)], retries=1)

    assert bench.batches == [[1, 2], [1, 2]]
    assert bench.given_up == [([1, 2], RETRIES_EXHAUSTED, 2)]
    assert bench.checkpoints == [2]


def test_a_reported_poison_record_does_not_take_its_successors_along(bench):
    bench.function = lambda batch: failures(3) if 3 in batch else None

    bench.deliver([record(i) for i in range(1, 6)], retries=1, is_bisected=True)

    assert bench.given_up == [([3], RETRIES_EXHAUSTED, 2)]
    assert bench.checkpoints[-1] == 5


def test_what_is_too_old_is_given_up_before_it_is_delivered(bench):
    bench.deliver([record(1, age_seconds=61), record(2, age_seconds=59)], max_age_seconds=60)

    assert bench.batches == [[2]]
    assert bench.given_up == [([1], TOO_OLD, 0)]
    assert bench.checkpoints == [1, 2]


def test_without_limits_a_batch_is_tried_until_it_works(bench):
    def function(batch):
        if len(bench.batches) < 50:
            raise ValueError

    bench.function = function

    assert bench.deliver([record(1)], retries=-1)
    assert bench.given_up == []


def test_a_stop_leaves_the_rest_behind_the_checkpoint(bench):
    bench.function = lambda _: failures(2)
    bench.stop_after = 1

    assert not bench.deliver([record(1), record(2)])

    assert bench.checkpoints == [1]
    assert bench.given_up == []
