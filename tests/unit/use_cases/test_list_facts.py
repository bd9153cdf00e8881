"""Lists that are narrowed by labels, which follow from what a fact says. All else of a list is told over HTTP."""

from datetime import timedelta

import pytest
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.use_cases.list_facts import ListFacts, ListRequest

from tests.builders import build_admin, build_fact, build_step
from tests.fakes.clock import FakeClock
from tests.fakes.cursors import FakeCursors
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds

CHESS, GO = (
    FactFilter(labels=(frozenset({Label(LabelKind.CONCEPT, c)}),)) for c in ("chess", "go")
)


class Bench:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.ids = FakeIds(clock=self.clock)
        self.facts = FakeFactRepository()

    def write(self, concept: str):
        content = {"text": "x", "concepts": [concept]}
        fact = build_fact(ids=self.ids, type="memory.atom", content=content)
        self.facts.add(fact)
        return fact

    def supersede(self, fact, concept: str):
        step = build_step(fact, ids=self.ids, content={"text": "x", "concepts": [concept]})
        self.facts.replace(fact, step.closed, step.fact)
        return step.fact

    def listed(self, wanted: FactFilter, as_of=None):
        list_facts = ListFacts(
            facts=self.facts, cursors=FakeCursors(), clock=self.clock, measure=lambda _: 1
        )
        request = ListRequest(wanted=wanted, limit=10, as_of=as_of, list_name="all")
        return [(r.fact_id, r.version) for r in list_facts(build_admin(), request).revisions]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_list_is_narrowed_by_labels(bench):
    fact = bench.write("chess")
    bench.write("go")

    assert bench.listed(CHESS) == [(fact.id, 1)]
    assert bench.listed(FactFilter(labels=(frozenset(),))) == []


def test_a_list_of_the_past_asks_for_the_labels_of_the_past(bench):
    fact = bench.write("chess")
    before = bench.clock.now()
    changed = bench.supersede(fact, "go")
    after = changed.revision.created_at + timedelta(seconds=1)

    assert bench.listed(CHESS, as_of=before) == [(fact.id, 1)]
    assert bench.listed(GO, as_of=before) == []
    assert bench.listed(CHESS, as_of=after) == []
    assert bench.listed(GO, as_of=after) == [(fact.id, 2)]
