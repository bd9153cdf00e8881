from collections.abc import Iterator
from dataclasses import replace

import pytest
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.projection import FactKey, Notice
from palimpsest.domain.revisions import delete, replaced_by
from palimpsest.use_cases.fact_documents import Draft, FactDocuments
from palimpsest.use_cases.index_facts import IndexFacts
from palimpsest.use_cases.reconcile_index import Difference, Fault, ReconcileIndex

from tests.builders import OTHER_TENANT, TENANT, build_act, build_fact, build_scope, build_step
from tests.fakes.census import FakeCensus
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.index import FakeFactIndex
from tests.fakes.rechecks import FakeRechecks
from tests.fakes.vectors import FakeVectors


class Bench:
    """A table and an index, each of which is written only when a test says so."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.ids = FakeIds(clock=self.clock)
        self.facts = FakeFactRepository()
        self.index = FakeFactIndex(clock=self.clock)

    def write(self, **fields):
        fact = build_fact(ids=self.ids, **fields)
        self.facts.add(fact)
        return fact

    def project(self, *facts) -> None:
        projector = IndexFacts(
            facts=self.facts,
            index=self.index,
            documents=FactDocuments(vectors=FakeVectors(), embeddings=None),
            rechecks=FakeRechecks(),
            clock=self.clock,
        )
        assert projector([Notice(key=key_of(fact)) for fact in facts]) == frozenset()

    def differences(self) -> Iterator[Difference]:
        return ReconcileIndex(
            census=FakeCensus(self.facts), facts=self.facts, index=self.index, clock=self.clock
        )()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def key_of(fact) -> FactKey:
    return FactKey(tenant_id=fact.revision.scope.tenant_id, fact_id=fact.id)


def test_an_index_that_follows_its_table_shows_no_difference(bench):
    bench.project(*(bench.write() for _ in range(8)), bench.write(scope=build_scope(OTHER_TENANT)))

    assert list(bench.differences()) == []


def test_a_fact_that_was_never_indexed_is_missing(bench):
    bench.project(bench.write())
    missing = bench.write()

    assert list(bench.differences()) == [Difference(key=key_of(missing), fault=Fault.MISSING)]


def test_a_fact_that_changed_since_is_stale(bench):
    fact = bench.write()
    bench.project(fact)
    step = build_step(fact, ids=bench.ids)
    bench.facts.replace(fact, step.closed, step.fact)

    assert list(bench.differences()) == [Difference(key=key_of(fact), fault=Fault.STALE)]


def test_a_fact_that_is_filed_under_other_labels_is_stale(bench):
    fact = bench.write()
    bench.project(fact)
    # As an index that was built before labels were known.
    draft = Draft.of(fact.revision, is_newest=True)
    bench.index.put([replace(draft.document(None), labels=frozenset())])

    assert list(bench.differences()) == [Difference(key=key_of(fact), fault=Fault.STALE)]

    bench.project(fact)
    assert list(bench.differences()) == []


def test_a_fact_that_was_deleted_since_is_superfluous(bench):
    fact = bench.write()
    bench.project(fact)
    bench.facts.close(fact, delete(fact, build_act(ids=bench.ids)))

    assert list(bench.differences()) == [Difference(key=key_of(fact), fault=Fault.SUPERFLUOUS)]


class TestAFactThatAnotherReplaced:
    @pytest.fixture
    def replaced(self, bench):
        fact = bench.write()
        bench.project(fact)
        closed = replaced_by(fact, "another", build_act(ids=bench.ids))
        bench.facts.close(fact, closed)
        return closed

    def test_it_is_right_where_it_is_once_it_is_projected(self, bench, replaced):
        bench.project(replaced)

        assert list(bench.differences()) == []

    def test_it_is_missing_in_the_history_before(self, bench, replaced):
        assert list(bench.differences()) == [Difference(key=key_of(replaced), fault=Fault.MISSING)]

    def test_it_is_superfluous_among_the_current_ones(self, bench, replaced):
        document = Draft.of(replaced.revision, is_newest=True).document(None)
        bench.index.retire([document])

        assert list(bench.differences()) == [
            Difference(key=key_of(replaced), fault=Fault.SUPERFLUOUS)
        ]

    def test_it_is_stale_in_the_history_under_other_labels(self, bench, replaced):
        bench.project(replaced)
        document = Draft.of(replaced.revision, is_newest=True).document(None)
        bench.index.retire([replace(document, labels=frozenset())])

        assert list(bench.differences()) == [Difference(key=key_of(replaced), fault=Fault.STALE)]

        bench.project(replaced)
        assert list(bench.differences()) == []

    def test_it_is_superfluous_in_the_history_once_it_may_be_found_no_more(self, bench, replaced):
        bench.project(replaced)
        erased = OpenErasure(erasure_id="e", fact_id=replaced.id)
        bench.facts.open_erasures[TENANT] = (erased,)

        assert list(bench.differences()) == [
            Difference(key=key_of(replaced), fault=Fault.SUPERFLUOUS)
        ]


def test_a_fact_of_somebody_who_is_being_erased_is_superfluous(bench):
    fact = bench.write(scope=build_scope(projectId="p", participantId="ben"))
    bench.project(fact)
    bench.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=fact.named),)

    assert list(bench.differences()) == [Difference(key=key_of(fact), fault=Fault.SUPERFLUOUS)]


def test_projecting_the_differences_ends_them(bench):
    facts = [bench.write() for _ in range(5)]
    bench.facts.close(facts[0], delete(facts[0], build_act(ids=bench.ids)))

    bench.project(*facts)

    assert list(bench.differences()) == []
