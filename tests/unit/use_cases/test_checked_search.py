"""What a search with history gives. What one of the present gives is told beside ``RetrieveFacts``."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import SearchUnavailableError
from palimpsest.domain.facts import Fact, Retention, Review, Revision
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.json_text import JsonValue
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.domain.revisions import delete, replaced_by, verify
from palimpsest.domain.search_filters import search_filter
from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import Hit, Search
from palimpsest.use_cases.checked_search import MAX_ROUNDS, CheckedSearch, Leg, Survivor

from tests.builders import (
    TENANT,
    build_act,
    build_admin,
    build_caller,
    build_fact,
    build_scope,
    build_step,
)
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.parallel import FakeParallel


@dataclass
class CountingFacts(FakeFactRepository):
    """Remembers how many revisions each batch asked for."""

    batches: list[int] = field(default_factory=list)

    def load_revisions(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, Revision]:
        self.batches.append(len(revisions))
        return super().load_revisions(tenant_id, revisions)


@dataclass
class Bench:
    """A table, and an index that offers what a test puts in, whether it is right or not.

    Attributes:
        offered: What each search offers, best first.
        searches: All that was asked.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    facts: CountingFacts = field(default_factory=CountingFacts)
    parallel: FakeParallel = field(default_factory=FakeParallel)
    offered: list[Hit] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ids = FakeIds(clock=self.clock)

    def write(self, content="Ana plays chess.", **fields) -> Fact:
        fact = build_fact(ids=self.ids, content=content, **fields)
        self.facts.add(fact)
        return fact

    def change(self, fact: Fact, content="Ana plays go.", **fields) -> Fact:
        step = build_step(fact, ids=self.ids, content=content, **fields)
        self.facts.replace(fact, step.closed, step.fact)
        return step.fact

    def verify(self, fact: Fact) -> Fact:
        now = self.clock.advance(timedelta(seconds=1))
        step = verify(fact, build_act(ids=self.ids, now=now))
        self.facts.replace(fact, step.closed, step.fact)
        return step.fact

    def let_replace(self, fact: Fact) -> Fact:
        """Let another fact replace this one."""
        replaced = replaced_by(fact, self.ids.new_id(), build_act(ids=self.ids))
        self.facts.close(fact, replaced)
        return replaced

    def delete(self, fact: Fact) -> None:
        self.facts.close(fact, delete(fact, build_act(ids=self.ids)))

    def offer(self, *revisions: tuple[Fact, int]) -> None:
        self.offered = [
            Hit(fact_id=fact.id, version=version, score=1 / rank)
            for rank, (fact, version) in enumerate(revisions, start=1)
        ]

    def ask(self, search: Search) -> list[Hit]:
        self.searches.append(search)
        return [hit for hit in self.offered if hit.fact_id not in search.skip][: search.limit]

    def search(
        self,
        *,
        wanted: FactFilter | None = None,
        caller: Caller | None = None,
        depth: int = 10,
        with_history: bool = True,
    ) -> list[Survivor]:
        leg = Leg(ask=self.ask, depth=depth)
        CheckedSearch(
            facts=self.facts,
            parallel=self.parallel,
            clock=self.clock,
            time_budget=timedelta(seconds=20),
        )(caller or build_admin(), wanted or FactFilter(), [leg], with_history=with_history)
        return leg.survivors

    def found(self, **asked) -> list[RevisionKey]:
        return [survivor.key for survivor in self.search(**asked)]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def atom(concept: str) -> JsonValue:
    return {"text": "x", "concepts": [concept]}


def about(concept: str) -> FactFilter:
    return FactFilter(labels=(frozenset({Label(LabelKind.CONCEPT, concept)}),))


def test_a_replaced_revision_comes_back_beside_the_current_one_each_with_its_score(bench):
    first = bench.write()
    second = bench.change(first)
    bench.offer((first, 1), (second, 2))

    survivors = bench.search()

    assert [(s.fact, s.revision.content, s.score) for s in survivors] == [
        (second, '"Ana plays chess."', 1.0),
        (second, '"Ana plays go."', 0.5),
    ]
    assert [s.key for s in survivors] == [(first.id, 1), (first.id, 2)]


def test_a_fact_that_another_replaced_comes_back_with_history_only(bench):
    replaced = bench.let_replace(bench.change(bench.write()))
    bench.offer((replaced, 2), (replaced, 1))

    assert bench.found() == [(replaced.id, 2), (replaced.id, 1)]
    assert bench.found(with_history=False) == []


def test_the_search_itself_is_told_to_look_at_the_history(bench):
    caller = build_caller("ana", writes=("p",))

    bench.search(caller=caller, wanted=about("chess"))
    bench.search(caller=caller, with_history=False)

    past, present = bench.searches
    assert past.with_history
    assert past.filter == search_filter(caller, about("chess"))
    assert not present.with_history


class TestWhatIsNotShown:
    """Gone from the very next request on, before the index has heard of it."""

    def test_a_deleted_fact_with_all_its_revisions(self, bench):
        fact = bench.change(bench.write())
        bench.offer((fact, 1), (fact, 2))
        bench.delete(fact)

        assert bench.found() == []

    def test_a_revision_that_is_over(self, bench):
        end = bench.clock.now() + timedelta(hours=1)
        brief = bench.write(retention=Retention(keep_until=end))
        kept = bench.change(brief, retention=Retention())
        bench.offer((brief, 1), (kept, 2))
        bench.clock.advance(timedelta(hours=1))

        assert bench.found() == [(kept.id, 2)]

    @pytest.mark.parametrize("is_replaced", [True, False])
    def test_a_fact_that_is_over_with_all_its_revisions(self, bench, is_replaced):
        end = bench.clock.now() + timedelta(hours=1)
        fact = bench.change(bench.write(), retention=Retention(keep_until=end))
        fact = bench.let_replace(fact) if is_replaced else fact
        bench.offer((fact, 1), (fact, 2))
        assert len(bench.found()) == 2

        bench.clock.advance(timedelta(hours=1))

        assert bench.found() == []

    def test_a_fact_that_waits_for_review_not_even_for_an_admin(self, bench):
        fact = build_fact(ids=bench.ids)
        pending = replace(fact, revision=replace(fact.revision, review=Review.PENDING))
        bench.facts.add(pending)
        bench.offer((pending, 1))

        assert bench.found(caller=build_admin()) == []

    def test_a_revision_that_waited_for_its_review(self, bench):
        fact = build_fact(ids=bench.ids)
        pending = replace(fact, revision=replace(fact.revision, review=Review.PENDING))
        bench.facts.add(pending)
        released = bench.verify(pending)
        bench.offer((pending, 1), (released, 2))

        assert bench.found(caller=build_admin()) == [(fact.id, 2)]

    def test_a_fact_of_somebody_who_is_being_erased(self, bench):
        named = bench.write(scope=build_scope(projectId="p", participantId="ben"))
        named = bench.let_replace(bench.change(named))
        bench.offer((named, 1), (named, 2))
        bench.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=named.named),)

        assert bench.found() == []

    def test_a_fact_that_the_caller_may_not_see(self, bench):
        mine = bench.change(bench.write(scope=build_scope(userId="ana")))
        theirs = bench.let_replace(bench.change(bench.write(scope=build_scope(userId="ben"))))
        bench.offer((theirs, 1), (theirs, 2), (mine, 1))

        assert bench.found(caller=build_caller("ana")) == [(mine.id, 1)]

    def test_a_revision_that_the_filter_does_not_want(self, bench):
        first = bench.write(atom("chess"), type="memory.atom")
        second = bench.change(first, atom("go"))
        bench.offer((first, 1), (second, 2))

        assert bench.found(wanted=about("chess")) == [(first.id, 1)]
        assert bench.found(wanted=about("go")) == [(first.id, 2)]
        assert bench.found(wanted=FactFilter(labels=(frozenset(),))) == []

    def test_a_revision_that_the_table_does_not_have(self, bench):
        fact = bench.write()
        bench.offer((fact, 7), (build_fact(ids=FakeIds()), 1), (fact, 1))

        assert bench.found() == [(fact.id, 1)]


def test_the_next_best_takes_the_place_of_what_is_not_shown(bench):
    gone = [bench.write() for _ in range(3)]
    kept = [bench.write() for _ in range(4)]
    bench.offer(*((fact, 1) for fact in [*gone, *kept]))
    for fact in gone:
        bench.delete(fact)

    assert bench.found(depth=3) == [(fact.id, 1) for fact in kept[:3]]


def test_other_revisions_of_a_fact_that_was_seen_come_in_a_later_round(bench):
    gone, first = bench.write(), bench.write()
    second = bench.change(first)
    bench.offer((gone, 1), (second, 2), (first, 1))
    bench.delete(gone)

    assert bench.found(depth=2) == [(first.id, 2), (first.id, 1)]
    assert [(search.limit, search.skip) for search in bench.searches] == [
        (2, frozenset()),
        (4, frozenset()),
    ]


def test_an_index_with_nothing_more_is_not_asked_again(bench):
    gone, kept = bench.write(), bench.write()
    bench.offer((gone, 1), (kept, 1))
    bench.delete(gone)

    assert bench.found(depth=3) == [(kept.id, 1)]
    assert len(bench.searches) == 1


def test_three_rounds_are_the_end_of_it(bench):
    facts = [bench.write() for _ in range(40)]
    bench.offer(*((fact, 1) for fact in facts))
    for fact in facts[:35]:
        bench.delete(fact)

    assert bench.found(depth=10) == []
    assert [search.limit for search in bench.searches] == [10, 20, 30]
    assert len(bench.searches) == MAX_ROUNDS


def test_replaced_revisions_are_read_in_one_batch_a_round_and_nothing_else_is(bench):
    changed = [bench.change(bench.write()) for _ in range(5)]
    replaced = bench.let_replace(bench.write())
    bench.offer(*((fact, 1) for fact in changed), (changed[0], 2), (replaced, 1))

    bench.search()
    assert bench.facts.batches == [5]

    bench.search(with_history=False)
    assert bench.facts.batches == [5]


def test_a_search_of_the_present_names_a_verified_fact_by_its_newest_revision(bench):
    fact = bench.write()
    bench.verify(fact)
    bench.offer((fact, 1))

    (survivor,) = bench.search(with_history=False)

    assert survivor.key == (fact.id, 2)


def test_a_fact_that_is_offered_at_two_versions_survives_once_in_the_present(bench):
    fact = bench.write()
    bench.verify(fact)
    bench.offer((fact, 2), (fact, 1))

    assert bench.found(with_history=False) == [(fact.id, 2)]
    assert bench.found() == [(fact.id, 2), (fact.id, 1)]


def test_a_search_that_takes_too_long_is_unavailable(bench):
    bench.parallel.is_late = True

    with pytest.raises(SearchUnavailableError):
        bench.search()
