"""How new a text is, over an index that follows its table, or not yet."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import SearchUnavailableError, StoreFailedError, StoreUnavailableError
from palimpsest.domain.facts import Fact, Retention
from palimpsest.domain.revisions import delete, replaced_by
from palimpsest.domain.scopes import Scope
from palimpsest.use_cases.fact_documents import Draft
from palimpsest.use_cases.novelty import NEAREST, TEXTS_AT_ONCE, TIME_BUDGET, Novelty

from tests.builders import OTHER_TENANT, TENANT, build_act, build_fact, build_scope, build_step
from tests.fakes.clock import FakeClock
from tests.fakes.embeddings import FakeEmbeddings
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.index import FakeFactIndex
from tests.fakes.parallel import FakeParallel

HOME = build_scope(userId="ana")
TEXT = "Ana plays chess in Berlin"


@dataclass
class SlowEmbeddings(FakeEmbeddings):
    """Takes some of the clock's time for each call."""

    clock: FakeClock = field(default_factory=FakeClock)
    takes: timedelta = timedelta(0)

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self.clock.advance(self.takes)
        return super().embed_texts(texts)


@dataclass
class Bench:
    clock: FakeClock = field(default_factory=FakeClock)
    facts: FakeFactRepository = field(default_factory=FakeFactRepository)
    parallel: FakeParallel = field(default_factory=FakeParallel)

    def __post_init__(self) -> None:
        self.ids = FakeIds(clock=self.clock)
        self.index = FakeFactIndex(clock=self.clock)
        self.embeddings = SlowEmbeddings(clock=self.clock)

    def keep(
        self, text: str = TEXT, *, domain: str = "general", scope: Scope = HOME, **fields
    ) -> Fact:
        """Store an atom and index it."""
        content = {"text": text, "domain": domain}
        given = {"type": "memory.atom", "content": content, "scope": scope, **fields}
        fact = build_fact(ids=self.ids, **given)
        self.facts.add(fact)
        draft = Draft.of(fact.revision, is_newest=True)
        self.index.put([draft.document(self.embeddings.embed_texts([draft.text])[0])])
        self.embeddings.texts.clear()
        return fact

    def novelty(self, **changes) -> Novelty:
        whole = Novelty(
            facts=self.facts,
            index=self.index,
            embeddings=self.embeddings,
            parallel=self.parallel,
            clock=self.clock,
        )
        return replace(whole, **changes)

    def of(self, text: str = TEXT, *, domain: str = "general", scope: Scope = HOME, **changes):
        return self.novelty(**changes).of(scope, domain, text)

    def within(self, *texts: tuple[str, str], **changes):
        return self.novelty(**changes).within(texts)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_same_text_is_not_new_and_one_without_a_common_word_is(bench):
    bench.keep()

    assert bench.of(TEXT) == pytest.approx(0)
    assert bench.of("It rains") == pytest.approx(1, abs=0.2)


def test_it_is_one_less_the_cosine_to_the_nearest(bench):
    bench.keep("Ana plays chess")
    bench.keep("Ana plays go")

    # Three words of four in common with the first; the fake's vectors point where the words do.
    assert bench.of("Ana plays chess daily") == pytest.approx(1 - 3 / (3**0.5 * 4**0.5))


def test_the_first_atom_of_a_domain_is_new(bench):
    assert bench.of() == 1.0


@pytest.mark.parametrize(
    "scope",
    [
        build_scope(userId="ben"),
        build_scope(userId="ana", projectId="p"),
        build_scope(),
        build_scope(OTHER_TENANT, userId="ana"),
    ],
)
def test_an_atom_of_another_scope_does_not_count_however_near(bench, scope):
    bench.keep(scope=scope)

    assert bench.of(scope=HOME) == 1.0


def test_neither_another_domain_nor_another_type_counts(bench):
    bench.keep(domain="work")
    bench.keep(type="note")

    assert bench.of() == 1.0


class TestWhatTheIndexHasNotHeardOfYet:
    def test_a_deleted_atom_does_not_count(self, bench):
        fact = bench.keep()
        bench.facts.close(fact, delete(fact, build_act(ids=bench.ids)))

        assert bench.of() == 1.0

    def test_a_replaced_atom_does_not_count(self, bench):
        fact = bench.keep()
        bench.facts.close(fact, replaced_by(fact, "another", build_act(ids=bench.ids)))

        assert bench.of() == 1.0

    def test_an_atom_that_is_over_does_not_count(self, bench):
        end = bench.clock.now() + timedelta(hours=1)
        bench.keep(retention=Retention(keep_until=end))
        bench.clock.advance(timedelta(hours=1))

        assert bench.of() == 1.0

    def test_an_atom_that_is_being_erased_does_not_count(self, bench):
        fact = bench.keep()
        bench.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=fact.id),)

        assert bench.of() == 1.0

    @pytest.mark.parametrize(
        "content",
        [
            {"text": "It rains", "domain": "general"},
            {"text": TEXT, "domain": "work"},
        ],
    )
    def test_an_atom_that_says_something_else_by_now_does_not_count(self, bench, content):
        fact = bench.keep()
        step = build_step(fact, ids=bench.ids, content=content)
        bench.facts.replace(fact, step.closed, step.fact)

        assert bench.of() == 1.0

    def test_the_nearest_that_still_stands_counts(self, bench):
        gone = bench.keep(TEXT)
        bench.keep("Ana plays chess")
        bench.facts.close(gone, delete(gone, build_act(ids=bench.ids)))

        assert bench.of("Ana plays chess") == pytest.approx(0)

    def test_it_is_not_known_when_all_of_many_neighbours_are_gone(self, bench):
        for _ in range(NEAREST):
            fact = bench.keep()
            bench.facts.close(fact, delete(fact, build_act(ids=bench.ids)))
        bench.keep("It rains")

        assert bench.of() is None


class TestWhenItIsNotKnown:
    def test_without_an_index(self, bench):
        bench.keep()

        assert bench.of(index=None) is None

    def test_without_embeddings(self, bench):
        bench.keep()

        assert bench.of(embeddings=None) is None
        assert bench.within(("a", "x"), ("b", "y"), embeddings=None) == [None, None]

    def test_when_the_model_is_down(self, bench):
        bench.embeddings.is_down = True

        assert bench.of() is None
        assert bench.within(("a", "x")) == [None]

    @pytest.mark.parametrize(
        "error", [SearchUnavailableError("down"), StoreFailedError("another model")]
    )
    def test_when_the_index_is_down(self, bench, error):
        bench.index.faults.fail_next(error)

        assert bench.of() is None

    def test_when_the_table_is_busy(self, bench):
        bench.facts.read_faults.fail_next(StoreUnavailableError("busy"))

        assert bench.of() is None

    def test_when_it_takes_too_long(self, bench):
        bench.parallel.is_late = True

        assert bench.of() is None
        assert bench.within(("a", "x")) == [None]

    def test_nobody_waits_longer_than_half_a_second(self, bench):
        bench.of()
        bench.within(("a", "x"))

        assert bench.parallel.waits == [0.5, 0.5]


class TestWithinABatch:
    def test_each_is_compared_with_those_of_its_domain_before_it(self, bench):
        novelties = bench.within(
            ("a", TEXT), ("b", TEXT), ("a", "It rains"), ("a", TEXT), ("b", "It rains")
        )

        assert novelties == pytest.approx([1, 1, 1, 0, 1], abs=0.2)
        assert novelties[:2] == [1.0, 1.0]

    def test_what_is_kept_already_is_not_looked_at(self, bench):
        bench.keep()

        assert bench.within(("general", TEXT), index=None) == [1.0]

    def test_an_empty_batch_costs_nothing(self, bench):
        assert bench.within() == []
        assert bench.parallel.waits == []

    def test_time_that_is_over_leaves_the_rest_unknown(self, bench):
        bench.embeddings.takes = TIME_BUDGET * 0.4
        texts = [("a", f"text number {n}") for n in range(4 * TEXTS_AT_ONCE)]

        novelties = bench.within(*texts)

        # Two of the calls fit; the third comes back too late to be compared.
        assert [n is not None for n in novelties] == [
            place < 2 * TEXTS_AT_ONCE for place in range(len(texts))
        ]
        assert bench.parallel.waits == pytest.approx([0.5, 0.3, 0.1])
