"""What is done with what an index proposes. What an index finds is its own contract's matter."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

import pytest
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import (
    BadInputError,
    EmbeddingUnavailableError,
    KeyProjectMismatchError,
    ScopeMismatchError,
    SearchUnavailableError,
    SearchUnsupportedError,
    SemanticUnavailableError,
    StoreUnavailableError,
)
from palimpsest.domain.facts import Fact, Retention, Review
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.revisions import delete, verify
from palimpsest.domain.search_filters import search_filter
from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import Hit, IndexedAs, IndexedFact, Search
from palimpsest.use_cases.budgets import MAX_ANSWER_BYTES
from palimpsest.use_cases.retrieve_facts import (
    FURTHER_PAGE_SIZE,
    Found,
    Mode,
    RetrieveFacts,
    RetrieveRequest,
)

from tests.builders import (
    OTHER_TENANT,
    TENANT,
    build_act,
    build_admin,
    build_caller,
    build_fact,
    build_scope,
    build_step,
)
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.parallel import FakeParallel

MODEL = "of-tests/2"
SEARCHING = [Mode.KEYWORD, Mode.SEMANTIC, Mode.BOTH]


class SlowClock(FakeClock):
    """Ten seconds pass before each look."""

    def now(self) -> datetime:
        return self.advance(timedelta(seconds=10))


@dataclass
class ProposingIndex:
    """An index that offers what a test puts in, in that order, whether it is right or not.

    Attributes:
        by_words: What a keyword search offers.
        by_meaning: What a vector search offers.
        error: Raised by every search.
        searches: All that was asked, keyword searches first in a round.
    """

    by_words: list[Hit] = field(default_factory=list)
    by_meaning: list[Hit] = field(default_factory=list)
    error: Exception | None = None
    searches: list[Search] = field(default_factory=list)
    before_answer: Callable[[], object] = lambda: None

    def keyword_search(self, query: str, search: Search) -> list[Hit]:
        return self._offer(self.by_words, search)

    def vector_search(self, vector: Sequence[float], search: Search) -> list[Hit]:
        return self._offer(self.by_meaning, search)

    def _offer(self, hits: list[Hit], search: Search) -> list[Hit]:
        self.searches.append(search)
        self.before_answer()
        if self.error is not None:
            raise self.error
        return [hit for hit in hits if hit.fact_id not in search.skip][: search.limit]

    def put(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        raise NotImplementedError

    def retire(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        raise NotImplementedError

    def archive(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        raise NotImplementedError

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> frozenset[str]:
        raise NotImplementedError

    def find_archived(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, IndexedAs]:
        raise NotImplementedError

    def find_indexed(self, tenant_id: str, fact_ids: Sequence[str]) -> dict[str, IndexedAs]:
        raise NotImplementedError


@dataclass
class CountingEmbeddings:
    """Gives every text the same vector."""

    model_id: str = MODEL
    dimension: int = 2
    noise: float = 0.0
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> Sequence[float]:
        self.asked.append(text)
        if self.error is not None:
            raise self.error
        return (1.0, 0.0)

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        raise NotImplementedError


@dataclass
class Bench:
    """A retrieval over fakes, with facts to find."""

    clock: FakeClock = field(default_factory=FakeClock)
    facts: FakeFactRepository = field(default_factory=FakeFactRepository)
    index: ProposingIndex = field(default_factory=ProposingIndex)
    has_index: bool = True
    embeddings: CountingEmbeddings | None = field(default_factory=CountingEmbeddings)
    parallel: FakeParallel = field(default_factory=FakeParallel)
    measure: Callable[..., int] = lambda _: 1000

    def __post_init__(self) -> None:
        self.ids = FakeIds(clock=self.clock)

    def add(self, count: int = 1, **fields) -> list[Fact]:
        added = [build_fact(ids=self.ids, **fields) for _ in range(count)]
        for fact in added:
            self.facts.add(fact)
        return added

    def verify(self, fact: Fact) -> Fact:
        """Verify a fact a second later, and return it."""
        now = self.clock.advance(timedelta(seconds=1))
        step = verify(fact, build_act(ids=self.ids, now=now))
        self.facts.replace(fact, step.closed, step.fact)
        return step.fact

    def supersede(self, fact: Fact) -> Fact:
        step = build_step(fact, ids=self.ids)
        self.facts.replace(fact, step.closed, step.fact)
        return step.fact

    def retrieve(self, mode: Mode, *, caller=None, limit: int = 10, **fields):
        retrieve_facts = RetrieveFacts(
            facts=self.facts,
            index=self.index if self.has_index else None,
            embeddings=self.embeddings,
            parallel=self.parallel,
            clock=self.clock,
            measure=self.measure,
            time_budget=timedelta(seconds=20),
        )
        request = RetrieveRequest(mode=mode, limit=limit, **{"query": "chess", **fields})
        return retrieve_facts(caller or build_admin(), request)

    def find(self, mode: Mode, **fields) -> list[str]:
        return [found.revision.fact_id for found in self.retrieve(mode, **fields).results]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def hits_of(facts: Sequence[Fact]) -> list[Hit]:
    return [
        Hit(fact_id=fact.id, version=fact.version, score=1 / rank)
        for rank, fact in enumerate(facts, start=1)
    ]


def offer(bench: Bench, facts: Sequence[Fact]) -> None:
    bench.index.by_words = bench.index.by_meaning = hits_of(facts)


def ids_of(facts: Sequence[Fact]) -> list[str]:
    return [fact.id for fact in facts]


def close(bench: Bench, fact: Fact) -> None:
    bench.facts.close(fact, delete(fact, build_act(ids=bench.ids)))


def until(clock: FakeClock, **delta: int) -> Retention:
    return Retention(keep_until=clock.now() + timedelta(**delta))


def pending_fact(bench: Bench) -> Fact:
    fact = build_fact(ids=bench.ids)
    pending = replace(fact, revision=replace(fact.revision, review=Review.PENDING))
    bench.facts.add(pending)
    return pending


def test_words_find_facts_in_the_index_s_order_with_its_scores(bench):
    first, second = bench.add(2)
    bench.index.by_words = hits_of([second, first])

    retrieved = bench.retrieve(Mode.KEYWORD)

    assert retrieved.results == [
        Found(revision=second.revision, score=1.0),
        Found(revision=first.revision, score=0.5),
    ]
    assert not retrieved.is_truncated


def test_meaning_finds_facts_with_their_cosines(bench):
    (fact,) = bench.add()
    bench.index.by_meaning = [Hit(fact_id=fact.id, version=1, score=-0.25)]

    assert bench.retrieve(Mode.SEMANTIC).results == [Found(revision=fact.revision, score=-0.25)]


def test_both_adds_up_what_each_rank_is_worth(bench):
    by_words, in_both, by_meaning = bench.add(3)
    bench.index.by_words = hits_of([by_words, in_both])
    bench.index.by_meaning = hits_of([by_meaning, in_both])

    results = bench.retrieve(Mode.BOTH).results

    assert [(found.revision.fact_id, found.score) for found in results] == [
        (in_both.id, 1 / 62 + 1 / 62),
        (by_words.id, 1 / 61),
        (by_meaning.id, 1 / 61),
    ]


def test_if_a_meaning_only_hit_is_shown_all_better_ones_are(bench):
    near = bench.add(100)
    (other,) = bench.add()
    bench.index.by_meaning, bench.index.by_words = hits_of(near), hits_of([other])

    found = bench.find(Mode.BOTH, limit=50)

    # One that only the words found stands first, level with the nearest; then no gap.
    assert found == [other.id, *ids_of(near[:49])]


def test_both_looks_fifty_deep_however_few_are_wanted(bench):
    facts = bench.add(60)
    bench.index.by_words = hits_of(facts[:50])
    bench.index.by_meaning = hits_of([*facts[50:], facts[49]])

    (best,) = bench.retrieve(Mode.BOTH, limit=1).results

    assert best.revision.fact_id == facts[49].id
    assert best.score == 1 / 110 + 1 / 71


@pytest.mark.parametrize("mode", SEARCHING)
def test_stale_candidates_are_replaced_by_the_next_ones(bench, mode):
    facts = bench.add(60)
    offer(bench, facts)
    for fact in facts[:3]:
        bench.supersede(fact)

    found = bench.retrieve(mode, limit=10).results

    assert [one.revision.fact_id for one in found] == ids_of(facts[3:13])


def test_ranks_count_survivors(bench):
    stale, fresh = bench.add(2)
    offer(bench, [stale, fresh])
    bench.supersede(stale)

    (found,) = bench.retrieve(Mode.BOTH).results

    assert found.score == 1 / 61 + 1 / 61


def test_three_rounds_are_the_end_of_it(bench):
    facts = bench.add(40)
    offer(bench, facts)
    for fact in facts[:29]:
        bench.supersede(fact)

    found = bench.find(Mode.KEYWORD, limit=10)

    assert found == [facts[29].id]
    assert [search.limit for search in bench.index.searches] == [10, 10, 10]


def test_what_was_seen_is_not_asked_for_again(bench):
    stale, fresh, next_best = bench.add(3)
    offer(bench, [stale, fresh, next_best])
    bench.supersede(stale)

    assert bench.find(Mode.KEYWORD, limit=2) == [fresh.id, next_best.id]
    assert bench.index.searches[1].skip == {stale.id, fresh.id}


def test_a_round_behind_many_stale_hits_asks_as_deep_as_the_first(bench):
    facts = bench.add(60)
    offer(bench, facts)
    for fact in facts[:19:2]:
        bench.supersede(fact)

    found = bench.find(Mode.KEYWORD, limit=10)

    assert len(found) == 10
    assert [search.limit for search in bench.index.searches] == [10, 10]


def test_a_fact_that_was_just_verified_is_found_before_the_index_has_heard_of_it(bench):
    verified, twice, superseded = bench.add(3)
    offer(bench, [verified, twice, superseded])
    bench.verify(verified)
    bench.verify(bench.verify(twice))
    bench.supersede(bench.verify(superseded))

    assert bench.find(Mode.BOTH) == [verified.id]


def test_an_index_with_nothing_more_is_not_asked_again(bench):
    stale, fresh = bench.add(2)
    offer(bench, [stale, fresh])
    bench.supersede(stale)

    assert bench.find(Mode.KEYWORD, limit=10) == [fresh.id]
    assert len(bench.index.searches) == 1


@pytest.mark.parametrize("mode", SEARCHING)
def test_a_candidate_that_the_table_does_not_have_is_dropped(bench, mode):
    (fact,) = bench.add()
    offer(bench, [fact])
    unknown = Hit(fact_id="01890a5d-ac96-774b-bcce-000000000000", version=1, score=9.0)
    bench.index.by_words = bench.index.by_meaning = [unknown, *hits_of([fact])]

    assert bench.find(mode) == [fact.id]


@pytest.mark.parametrize("mode", [*SEARCHING, Mode.LIST])
class TestWhatIsNotShown:
    """Gone from the very next request on, before the index has heard of it."""

    def test_a_deleted_fact(self, bench, mode):
        kept, deleted = bench.add(2)
        offer(bench, [deleted, kept])
        close(bench, deleted)

        assert bench.find(mode) == [kept.id]

    def test_an_expired_fact(self, bench, mode):
        (kept,) = bench.add()
        (brief,) = bench.add(retention=until(bench.clock, hours=1))
        offer(bench, [brief, kept])
        bench.clock.advance(timedelta(hours=1))

        assert bench.find(mode) == [kept.id]

    def test_a_fact_that_waits_for_review_not_even_for_an_admin(self, bench, mode):
        (kept,) = bench.add()
        pending = pending_fact(bench)
        offer(bench, [pending, kept])

        assert bench.find(mode, caller=build_admin()) == [kept.id]

    def test_a_fact_of_somebody_who_is_being_erased(self, bench, mode):
        (kept,) = bench.add()
        (named,) = bench.add(scope=build_scope(projectId="p", participantId="ben"))
        offer(bench, [named, kept])
        bench.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=named.named),)

        assert bench.find(mode) == [kept.id]

    def test_a_fact_that_the_caller_may_not_see(self, bench, mode):
        (kept,) = bench.add(scope=build_scope(userId="ana"))
        (foreign,) = bench.add(scope=build_scope(userId="ben"))
        offer(bench, [foreign, kept])

        assert bench.find(mode, caller=build_caller("ana")) == [kept.id]

    def test_a_fact_that_the_filter_does_not_want(self, bench, mode):
        (kept,) = bench.add(type="wish")
        (other,) = bench.add(type="note")
        offer(bench, [other, kept])

        assert bench.find(mode, wanted=FactFilter(type="wish")) == [kept.id]


def test_sight_and_filter_go_inside_the_search(bench):
    caller = build_caller("ana", writes=("p",))
    wanted = FactFilter(type="wish", scope={"projectId": "p"})

    bench.retrieve(Mode.KEYWORD, caller=caller, wanted=wanted)

    (search,) = bench.index.searches
    assert search.filter == search_filter(caller, wanted)
    assert search.now == NOON
    assert not search.with_history


@pytest.mark.parametrize("mode", [*SEARCHING, Mode.LIST])
def test_another_tenant_is_refused(bench, mode):
    with pytest.raises(ScopeMismatchError):
        bench.retrieve(mode, wanted=FactFilter(scope={"tenantId": OTHER_TENANT}))


@pytest.mark.parametrize("mode", [*SEARCHING, Mode.LIST])
def test_another_project_than_the_key_s_is_refused(bench, mode):
    caller = build_admin(project_limit="p")

    with pytest.raises(KeyProjectMismatchError):
        bench.retrieve(mode, caller=caller, wanted=FactFilter(scope={"projectId": "q"}))


@pytest.mark.parametrize("mode", SEARCHING)
@pytest.mark.parametrize("query", ["", "   ", "*", "?!", "\n\t…", "the of and"])
def test_a_query_without_words_finds_nothing(bench, mode, query):
    offer(bench, bench.add())

    assert bench.find(mode, query=query) == []
    assert bench.index.searches == []


@pytest.mark.parametrize("mode", SEARCHING)
def test_without_an_index_there_is_no_search(bench, mode):
    bench.has_index = False

    with pytest.raises(SearchUnsupportedError):
        bench.retrieve(mode)


def test_without_an_index_there_are_lists(bench):
    (fact,) = bench.add()
    bench.has_index = False

    assert bench.find(Mode.LIST) == [fact.id]


@pytest.mark.parametrize("mode", [Mode.SEMANTIC, Mode.BOTH])
@pytest.mark.parametrize("query", ["chess", ""])
def test_without_embeddings_there_is_no_search_by_meaning(bench, mode, query):
    bench.embeddings = None

    with pytest.raises(SemanticUnavailableError):
        bench.retrieve(mode, query=query)


@pytest.mark.parametrize("mode", [Mode.SEMANTIC, Mode.BOTH])
def test_embeddings_that_do_not_answer_are_said_to_be_so(bench, mode):
    assert bench.embeddings is not None
    bench.embeddings.error = EmbeddingUnavailableError("slow")
    offer(bench, bench.add())

    with pytest.raises(SemanticUnavailableError):
        bench.retrieve(mode)


def test_words_are_found_while_the_embeddings_are_down(bench):
    assert bench.embeddings is not None
    bench.embeddings.error = EmbeddingUnavailableError("slow")
    (fact,) = bench.add()
    offer(bench, [fact])

    assert bench.find(Mode.KEYWORD) == [fact.id]


def test_a_query_is_embedded_once_however_many_rounds_there_are(bench):
    assert bench.embeddings is not None
    facts = bench.add(20)
    offer(bench, facts)
    bench.supersede(facts[0])

    bench.retrieve(Mode.SEMANTIC, limit=5)

    assert len(bench.index.searches) == 2
    assert bench.embeddings.asked == ["chess"]


@pytest.mark.parametrize("mode", [Mode.SEMANTIC, Mode.BOTH])
def test_another_model_than_the_deployment_s_is_refused(bench, mode):
    with pytest.raises(BadInputError) as refused:
        bench.retrieve(mode, embedding_model="another")

    assert refused.value.field == "embeddingModel"
    assert MODEL in str(refused.value)


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.KEYWORD])
def test_a_mode_that_does_not_embed_does_not_look_at_the_model(bench, mode):
    (fact,) = bench.add()
    offer(bench, [fact])

    assert bench.find(mode, embedding_model="another") == [fact.id]


def test_the_deployment_s_own_model_may_be_named(bench):
    (fact,) = bench.add()
    offer(bench, [fact])

    assert bench.find(Mode.SEMANTIC, embedding_model=MODEL) == [fact.id]


@pytest.mark.parametrize("mode", SEARCHING)
def test_an_index_that_is_down_is_no_empty_answer(bench, mode):
    bench.index.error = SearchUnavailableError("down")

    with pytest.raises(SearchUnavailableError):
        bench.retrieve(mode)


@pytest.mark.parametrize("mode", SEARCHING)
def test_a_search_that_takes_too_long_is_no_empty_answer(bench, mode):
    bench.parallel.is_late = True

    with pytest.raises(SearchUnavailableError):
        bench.retrieve(mode)


def test_the_rounds_share_one_budget(bench):
    facts = bench.add(20)
    offer(bench, facts)
    bench.supersede(facts[0])
    bench.index.before_answer = partial(bench.clock.advance, timedelta(seconds=15))

    bench.retrieve(Mode.KEYWORD, limit=5)

    assert bench.parallel.waits == [20, 5]


def test_no_round_begins_when_the_time_is_over(bench):
    facts = bench.add(20)
    offer(bench, facts)
    bench.supersede(facts[0])
    bench.index.before_answer = partial(bench.clock.advance, timedelta(seconds=20))

    with pytest.raises(SearchUnavailableError):
        bench.retrieve(Mode.KEYWORD, limit=5)


def test_a_table_that_does_not_answer_is_no_empty_answer(bench):
    offer(bench, bench.add())
    bench.facts.read_faults.fail_next(StoreUnavailableError("busy"))

    with pytest.raises(StoreUnavailableError):
        bench.retrieve(Mode.KEYWORD)


def test_a_list_is_the_newest_first_and_has_no_scores(bench):
    older, newer = bench.add(2)

    assert bench.retrieve(Mode.LIST, query="").results == [
        Found(revision=newer.revision),
        Found(revision=older.revision),
    ]
    assert bench.index.searches == []


def test_a_list_walks_on_until_it_has_enough(bench):
    wishes = bench.add(3, type="wish")
    bench.add(30)
    bench.facts.walk_budget = 5

    found = bench.retrieve(Mode.LIST, limit=2, wanted=FactFilter(type="wish"))

    assert [one.revision.fact_id for one in found.results] == [wishes[2].id, wishes[1].id]
    assert not found.is_truncated


def test_a_short_list_that_walks_on_reads_whole_pages(bench):
    (wish,) = bench.add(1, type="wish")
    bench.add(12)
    bench.facts.walk_budget = 5
    page_sizes: list[int] = []
    walk = bench.facts.walk

    def walk_and_tell(query):
        page_sizes.append(query.page_size)
        return walk(query)

    bench.facts.walk = walk_and_tell
    found = bench.find(Mode.LIST, limit=1, wanted=FactFilter(type="wish"))

    assert found == [wish.id]
    assert page_sizes == [1, FURTHER_PAGE_SIZE, FURTHER_PAGE_SIZE]


def test_a_list_that_runs_out_of_time_says_that_it_is_cut(bench):
    bench.add(2, type="wish")
    bench.add(30)
    bench.facts.walk_budget = 5
    bench.clock = SlowClock()

    retrieved = bench.retrieve(Mode.LIST, wanted=FactFilter(type="wish"))

    assert retrieved.results == []
    assert retrieved.is_truncated


@pytest.mark.parametrize("mode", [*SEARCHING, Mode.LIST])
def test_an_answer_that_would_be_too_large_is_cut_from_its_end(bench, mode):
    facts = bench.add(3)
    offer(bench, facts[::-1])
    bench.measure = lambda _: MAX_ANSWER_BYTES // 2

    retrieved = bench.retrieve(mode)

    assert [one.revision.fact_id for one in retrieved.results] == [facts[2].id, facts[1].id]
    assert retrieved.is_truncated
