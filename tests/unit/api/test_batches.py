import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from typing import Any

import pytest
from aws_lambda_powertools import Logger
from palimpsest.api.batches import BatchApplication, Source
from palimpsest.domain.projection import FactKey, Notice

A, B = (FactKey(tenant_id="t", fact_id=fact_id) for fact_id in "ab")


@dataclass
class Bench:
    """A batch application whose records are texts: the ids of the facts that they tell of, or ``?``.

    Attributes:
        failing: Facts that cannot be projected.
        asked: What was to be projected, and whether as a second look.
    """

    failing: frozenset[FactKey] = frozenset()
    asked: list[tuple[list[Notice], bool]] = field(default_factory=list)
    log: StringIO = field(default_factory=StringIO)

    def answer(self, *told: str, source: str = "stream") -> list[str]:
        sources = {
            "stream": Source(identify=_identify, read=_read, work=partial(self._index, False)),
            "queue": Source(
                identify=_identify,
                read=_read,
                work=partial(self._index, True),
                said={"is_recheck": True},
            ),
        }
        application = BatchApplication(
            sources=sources,
            key_of=lambda notice: notice.key,
            logger=Logger(service=f"test-{id(self)}", stream=self.log),
            line="batch_projected",
            things="facts",
        )
        records = [
            {"id": f"n{i}", "eventSource": source, "told": text} for i, text in enumerate(told)
        ]
        answer = application({"Records": records}, None)
        assert list(answer) == ["batchItemFailures"]
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]

    def _index(self, is_recheck: bool, notices: Sequence[Notice]) -> frozenset[FactKey]:
        self.asked.append((list(notices), is_recheck))
        return self.failing


def _identify(record: Any) -> str:
    return str(record["id"])


def _read(record: Any) -> list[Notice]:
    if record["told"] == "?":
        raise ValueError("what a caller wrote")
    return [Notice(key=FactKey(tenant_id="t", fact_id=fact_id)) for fact_id in record["told"]]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_batch_that_is_done_has_no_failures(bench):
    assert bench.answer("a", "b") == []
    assert bench.asked == [([Notice(key=A), Notice(key=B)], False)]


def test_an_empty_batch_only_wakes_the_function(bench):
    assert bench.answer() == []
    assert bench.asked == []


def test_every_record_of_a_failed_fact_comes_again(bench):
    bench.failing = frozenset({A})

    assert bench.answer("a", "b", "a") == ["n0", "n2"]


def test_a_record_that_tells_nothing_is_done(bench):
    assert bench.answer("", "") == []
    assert bench.asked == []


def test_a_record_that_cannot_be_read_fails_and_holds_up_no_other(bench):
    assert bench.answer("a", "?", "b") == ["n1"]
    assert bench.asked == [([Notice(key=A), Notice(key=B)], False)]


def test_a_message_with_several_facts_fails_if_one_of_them_does(bench):
    bench.failing = frozenset({B})

    assert bench.answer("ab", "a", source="queue") == ["n0"]
    assert bench.asked[0][1] is True


def test_a_batch_is_logged_by_its_counts_alone(bench):
    bench.answer("a", "?", "ab", source="queue")

    lines = [json.loads(line) for line in bench.log.getvalue().splitlines()]
    unreadable, batch = lines
    assert unreadable["message"] == "record_unreadable"
    assert unreadable["record"] == "n1"
    counted = {name: batch[name] for name in ("records", "facts", "failed", "is_recheck")}
    assert batch["message"] == "batch_projected"
    assert counted == {"records": 3, "facts": 2, "failed": 1, "is_recheck": True}
    assert "what a caller wrote" not in bench.log.getvalue()
