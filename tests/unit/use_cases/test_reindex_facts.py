"""Rebuilding while writes go on: what is in the table at the end is in the index at the end, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from palimpsest.domain.errors import SearchUnavailableError
from palimpsest.domain.facts import Fact
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.projection import FactKey, Notice
from palimpsest.domain.revisions import delete, replaced_by
from palimpsest.domain.search_filters import search_filter
from palimpsest.ports.index import Search
from palimpsest.use_cases.fact_documents import FactDocuments
from palimpsest.use_cases.index_facts import IndexFacts
from palimpsest.use_cases.reindex_facts import Progress, ReindexFacts
from palimpsest.use_cases.twin_index import TwinIndex

from tests.builders import (
    OTHER_TENANT,
    build_act,
    build_admin,
    build_fact,
    build_scope,
    build_step,
)
from tests.fakes.census import FakeCensus
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.index import FakeFactIndex
from tests.fakes.pauses import FakePauses
from tests.fakes.rebuilds import FakeRebuilds
from tests.fakes.rechecks import FakeRechecks
from tests.fakes.vectors import FakeVectors


@dataclass
class Bench:
    """A table, an index that follows it, and a rebuild of that index.

    Attributes:
        meanwhile: Called after each page, as writes that go on.
        told: Every progress.
    """

    facts: FakeFactRepository = field(default_factory=FakeFactRepository)
    clock: FakeClock = field(default_factory=FakeClock)
    rebuilds: FakeRebuilds = field(default_factory=FakeRebuilds)
    meanwhile: Callable[[], object] = lambda: None
    told: list[Progress] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ids = FakeIds(clock=self.clock)

    @property
    def projector(self) -> IndexFacts:
        return IndexFacts(
            facts=self.facts,
            index=TwinIndex(serving=self.rebuilds.serving, find_next=self.rebuilds.find_next),
            documents=FactDocuments(vectors=FakeVectors(), embeddings=None),
            rechecks=FakeRechecks(),
            clock=self.clock,
        )

    def write(self, content: str, **fields) -> Fact:
        fact = build_fact(ids=self.ids, content=content, **fields)
        self.facts.add(fact)
        return self._noticed(fact)

    def supersede(self, fact: Fact, content: str) -> Fact:
        step = build_step(fact, ids=self.ids, content=content)
        self.facts.replace(fact, step.closed, step.fact)
        return self._noticed(step.fact, replaced=fact.revision)

    def delete(self, fact: Fact) -> None:
        deleted = delete(fact, build_act(ids=self.ids))
        self.facts.close(fact, deleted)
        self._noticed(deleted)

    def let_replace(self, fact: Fact) -> Fact:
        replaced = replaced_by(fact, self.ids.new_id(), build_act(ids=self.ids))
        self.facts.close(fact, replaced)
        return self._noticed(replaced)

    def _noticed(self, fact: Fact, **replaced) -> Fact:
        notice = Notice(key=key_of(fact), **replaced)
        assert self.projector([notice]) == frozenset()
        return fact

    def reindex(self) -> Progress:
        def tell(progress: Progress) -> None:
            self.told.append(progress)
            self.meanwhile()

        return ReindexFacts(
            census=FakeCensus(self.facts),
            facts=self.facts,
            rebuilds=self.rebuilds,
            index_facts=self.projector,
            pauses=FakePauses(),
        )(tell)

    def found(self, words: str, *, with_history: bool = False, tenant_id: str | None = None):
        caller = build_admin(tenant_id=tenant_id) if tenant_id else build_admin()
        search = Search(
            filter=search_filter(caller, FactFilter()),
            limit=100,
            now=self.clock.now(),
            with_history=with_history,
        )
        hits = self.rebuilds.serving.keyword_search(words, search)
        return {(hit.fact_id, hit.version) for hit in hits}


@pytest.fixture
def bench() -> Bench:
    return Bench()


def key_of(fact: Fact) -> FactKey:
    return FactKey(tenant_id=fact.revision.scope.tenant_id, fact_id=fact.id)


def lose_the_index(bench: Bench) -> None:
    bench.rebuilds.serving = FakeFactIndex()


def test_every_fact_of_every_tenant_is_found_again(bench):
    mine = [bench.write("Ana plays chess.") for _ in range(7)]
    theirs = bench.write("Ben plays chess.", scope=build_scope(OTHER_TENANT))
    lose_the_index(bench)

    bench.reindex()

    assert bench.found("chess") == {(fact.id, 1) for fact in mine}
    assert bench.found("chess", tenant_id=OTHER_TENANT) == {(theirs.id, 1)}


def test_histories_are_found_again_and_deleted_facts_are_not(bench):
    fact = bench.supersede(bench.write("Ana plays chess."), "Ana plays go.")
    bench.delete(bench.write("Ben plays chess."))
    lose_the_index(bench)

    bench.reindex()

    assert bench.found("plays", with_history=True) == {(fact.id, 1), (fact.id, 2)}
    assert bench.found("chess") == set()


def test_facts_that_others_replaced_are_found_again_in_the_history_with_their_revisions(bench):
    fact = bench.supersede(bench.write("Ana plays chess."), "Ana plays go.")
    alone = bench.let_replace(bench.write("Ben plays chess."))
    bench.let_replace(fact)
    lose_the_index(bench)

    bench.reindex()

    assert bench.found("plays") == set()
    history = {(fact.id, 1), (fact.id, 2), (alone.id, 1)}
    assert bench.found("plays", with_history=True) == history


def test_the_old_index_serves_until_the_new_one_is_whole(bench):
    fact = bench.write("Ana plays chess.")
    seen = []
    bench.meanwhile = lambda: seen.append(bench.found("chess"))

    bench.reindex()

    assert seen == [{(fact.id, 1)}]


def test_what_is_written_meanwhile_is_in_both(bench):
    facts = [bench.write("Ana plays chess.") for _ in range(9)]
    changed: list[Fact] = []

    def write_on() -> None:
        if changed:
            return
        changed.append(bench.write("Dana plays chess."))
        # Of those that were read already, and of those that come later.
        changed.extend(bench.supersede(facts[place], "Ana plays bridge.") for place in (0, 8))
        for place in (1, 7):
            bench.delete(facts[place])
        for place in (2, 6):
            bench.let_replace(facts[place])

    bench.meanwhile = write_on
    bench.reindex()

    kept = [facts[place] for place in (3, 4, 5)]
    assert bench.found("plays") == {(fact.id, fact.version) for fact in [*kept, *changed]}
    past = {(facts[place].id, 1) for place in (0, 2, 6, 8)}
    assert bench.found("plays", with_history=True) == bench.found("plays") | past


def test_progress_is_told_after_each_page(bench):
    for _ in range(7):
        bench.write("Ana plays chess.")

    done = bench.reindex()

    assert [progress.facts for progress in bench.told] == [3, 6, 7]
    assert done == Progress(facts=7, items=7)


def test_an_index_that_does_not_take_a_fact_keeps_the_old_one_serving(bench):
    fact = bench.write("Ana plays chess.")
    filling = FakeFactIndex(refused={fact.id})
    bench.rebuilds.filling = filling

    with pytest.raises(SearchUnavailableError):
        bench.reindex()
    assert bench.found("chess") == {(fact.id, 1)}
    assert bench.rebuilds.filling is filling

    filling.refused.clear()
    bench.reindex()
    assert bench.rebuilds.serving is filling
    assert bench.found("chess") == {(fact.id, 1)}
