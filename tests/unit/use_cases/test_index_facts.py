"""The projector: nothing lost, nothing resurrected, nothing blocked, whatever the stream does."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import (
    EmbeddingUnavailableError,
    SearchUnavailableError,
    StoreUnavailableError,
)
from palimpsest.domain.facts import Fact, Retention, Review
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.projection import FactKey, Notice
from palimpsest.domain.revisions import Step, delete, replaced_by, verify
from palimpsest.domain.search_filters import search_filter
from palimpsest.ports.index import Search
from palimpsest.use_cases.fact_documents import Draft, FactDocuments
from palimpsest.use_cases.index_facts import FACTS_AT_ONCE, IndexFacts

from tests.builders import (
    OTHER_TENANT,
    TENANT,
    build_act,
    build_admin,
    build_atom,
    build_fact,
    build_scope,
    build_step,
)
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.index import FakeFactIndex
from tests.fakes.rechecks import FakeRechecks
from tests.fakes.vectors import FakeVectors

DELAY = timedelta(seconds=60)


@dataclass
class CountingEmbeddings:
    """Two texts with the same number of letters mean the same.

    Attributes:
        embedded: Every text that was paid for.
        unbearable: Texts that hold this are never embedded, nor what comes with them.
        is_down: Nothing is embedded.
    """

    model_id: str = "letters/2"
    dimension: int = 2
    embedded: list[str] = field(default_factory=list)
    unbearable: str | None = None
    is_down: bool = False

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        is_poisoned = self.unbearable is not None and any(self.unbearable in t for t in texts)
        if self.is_down or is_poisoned:
            raise EmbeddingUnavailableError("The model does not answer.")
        self.embedded += texts
        return [(1.0, 0.0) if len(text) % 2 else (0.0, 1.0) for text in texts]

    def embed_query(self, text: str) -> Sequence[float]:
        raise NotImplementedError


@dataclass
class World:
    """A table, its stream, and an index that follows it.

    Attributes:
        notices: All that the stream has told, in its order.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    facts: FakeFactRepository = field(default_factory=FakeFactRepository)
    vectors: FakeVectors = field(default_factory=FakeVectors)
    rechecks: FakeRechecks = field(default_factory=FakeRechecks)
    embeddings: CountingEmbeddings = field(default_factory=CountingEmbeddings)
    notices: list[Notice] = field(default_factory=list)
    index: FakeFactIndex = field(init=False)
    ids: FakeIds = field(init=False)

    def __post_init__(self) -> None:
        self.ids = FakeIds(clock=self.clock)
        self.index = FakeFactIndex(clock=self.clock)

    def write(self, content: str = "Ana plays chess.", **fields: Any) -> Fact:
        fact = build_fact(ids=self.ids, content=content, **fields)
        return self.keep(fact)

    def keep(self, fact: Fact) -> Fact:
        self.facts.add(fact)
        self.notices.append(Notice(key=key_of(fact)))
        return fact

    def supersede(self, fact: Fact, content: str = "Ana plays go.") -> Fact:
        return self._replace(fact, build_step(fact, ids=self.ids, content=content))

    def verify(self, fact: Fact) -> Fact:
        return self._replace(fact, verify(fact, build_act(ids=self.ids, now=self.clock.now())))

    def _replace(self, fact: Fact, step: Step) -> Fact:
        self.facts.replace(fact, step.closed, step.fact)
        self.notices.append(Notice(key=key_of(fact), replaced=fact.revision))
        return step.fact

    def delete(self, fact: Fact) -> Fact:
        deleted = delete(fact, build_act(ids=self.ids, now=self.clock.now()))
        self.facts.close(fact, deleted)
        self.notices.append(Notice(key=key_of(fact)))
        return deleted

    def let_replace(self, fact: Fact) -> Fact:
        """Let another fact replace this one."""
        act = build_act(ids=self.ids, now=self.clock.now())
        replaced = replaced_by(fact, self.ids.new_id(), act)
        self.facts.close(fact, replaced)
        self.notices.append(Notice(key=key_of(fact)))
        return replaced

    def sweep(self, fact: Fact) -> None:
        """Do what TTL and an erasure do."""
        del self.facts._facts[(fact.revision.scope.tenant_id, fact.id)]
        self.notices.append(Notice(key=key_of(fact), gone=fact))

    def projector(self, wrap=lambda port: port) -> IndexFacts:
        documents = FactDocuments(vectors=wrap(self.vectors), embeddings=wrap(self.embeddings))
        return IndexFacts(
            facts=wrap(self.facts),
            index=wrap(self.index),
            documents=documents,
            rechecks=wrap(self.rechecks),
            clock=self.clock,
        )

    def project(
        self, notices: Sequence[Notice] | None = None, **options: Any
    ) -> frozenset[FactKey]:
        return self.projector()(self.notices if notices is None else notices, **options)

    def recheck(self) -> frozenset[FactKey]:
        return self.project([Notice(key=key) for key in self.rechecks.take()], is_recheck=True)

    def found(self, words: str, *, with_history: bool = False, caller: Caller | None = None):
        """Return (fact id, version) of what the words find, as a set."""
        narrowed = search_filter(caller or build_admin(), FactFilter())
        search = Search(
            filter=narrowed, limit=1000, now=self.clock.now(), with_history=with_history
        )
        hits = self.index.keyword_search(words, search)
        by_meaning = self.index.vector_search((0.6, 0.8), search)
        # Whatever is found by words has its vector, too.
        assert {h.fact_id for h in hits} <= {h.fact_id for h in by_meaning}
        return {(hit.fact_id, hit.version) for hit in hits}


@pytest.fixture
def world() -> World:
    return World()


def key_of(fact: Fact) -> FactKey:
    return FactKey(tenant_id=fact.revision.scope.tenant_id, fact_id=fact.id)


def test_a_written_fact_is_found(world):
    fact = world.write()

    assert world.project() == frozenset()

    assert world.found("chess") == {(fact.id, 1)}


def test_a_superseded_fact_is_found_by_its_new_words_only(world):
    fact = world.supersede(world.write("Ana plays chess."), "Ana plays go.")

    world.project()

    assert world.found("go") == {(fact.id, 2)}
    assert world.found("chess") == set()


def test_what_was_replaced_stands_in_the_history(world):
    fact = world.write("Ana plays chess.")
    for content in ("Ana plays go.", "Ana plays bridge."):
        fact = world.supersede(fact, content)

    world.project()

    assert world.found("plays", with_history=True) == {(fact.id, v) for v in (1, 2, 3)}
    assert world.found("plays") == {(fact.id, 3)}


def test_a_verified_fact_stays_found_and_its_vector_is_not_paid_for_again(world):
    fact = world.write()
    world.project()

    world.verify(fact)
    world.project()

    assert world.found("chess") == {(fact.id, 2)}
    assert len(world.embeddings.embedded) == 1


def test_a_deleted_fact_leaves_both_indexes(world):
    fact = world.supersede(world.write())
    world.project()

    world.delete(fact)
    world.project()

    assert world.found("plays", with_history=True) == set()


def test_a_swept_fact_leaves_no_vector_behind(world):
    fact = world.write()
    world.project()

    world.sweep(fact)
    world.project()

    assert world.found("plays", with_history=True) == set()
    assert world.vectors.load(TENANT, [fact.id], world.embeddings.model_id) == {}


def test_a_swept_fact_is_counted_out_however_often_it_is_told(world):
    atoms = [build_atom(text, ids=world.ids) for text in "ab"]
    for atom in atoms:
        world.keep(atom)

    world.sweep(atoms[0])
    assert [world.project(), world.project()] == [frozenset()] * 2

    assert world.facts.counted_out == {(TENANT, atoms[0].id)}


def test_a_fact_that_could_not_be_counted_out_is_told_again(world):
    atom, other = world.keep(build_atom(ids=world.ids)), world.write()
    world.sweep(atom)
    world.facts.write_faults.fail_next(StoreUnavailableError("Busy."))

    assert world.project() == {key_of(atom)}
    assert world.found("chess") == {(other.id, 1)}
    assert world.project() == frozenset()

    assert world.facts.counted_out == {(TENANT, atom.id)}


def test_a_swept_fact_that_brought_nothing_along_writes_nothing(world):
    world.sweep(world.write())
    world.facts.write_faults.fail_next(StoreUnavailableError("Nothing is to be written."))

    assert world.project() == frozenset()


def test_an_expired_fact_is_not_indexed(world):
    end = world.clock.now() + timedelta(hours=1)
    world.write(retention=Retention(keep_until=end))
    world.clock.advance(timedelta(hours=1))

    world.project()

    assert world.found("chess") == set()
    assert world.embeddings.embedded == []


def test_a_fact_that_waits_for_review_is_not_indexed_before_it_is_released(world):
    fact = build_fact(ids=world.ids)
    pending = replace(fact, revision=replace(fact.revision, review=Review.PENDING))
    world.keep(pending)
    world.project()
    assert world.found("chess") == set()

    released = world.verify(pending)
    world.project()

    assert world.found("chess", with_history=True) == {(released.id, 2)}


def test_nothing_of_somebody_who_is_being_erased_is_indexed(world):
    fact = world.write(scope=build_scope(projectId="p", participantId="ben"))
    world.project()
    world.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=fact.named),)

    world.project()

    assert world.found("chess") == set()


def test_what_comes_twice_changes_nothing(world):
    fact = world.supersede(world.write())
    world.project()
    world.embeddings.embedded.clear()

    world.project()
    world.project(world.notices[:1])

    assert world.found("plays", with_history=True) == {(fact.id, 1), (fact.id, 2)}
    # What is kept stands for the new text by now: that of the history alone is paid for again.
    assert ["chess" in text for text in world.embeddings.embedded] == [True]


def test_a_record_whose_version_and_text_are_indexed_is_skipped(world):
    world.write()
    world.project()
    calls = Calls()

    world.projector(calls.count)(world.notices)

    assert "put" not in calls.made
    assert "embed_texts" not in calls.made


def test_the_order_in_which_notices_come_does_not_matter(world):
    changed = world.supersede(world.write("Ana plays chess."))
    world.delete(world.supersede(world.write("Ben plays chess.")))

    for order in permutations(world.notices):
        world.index = FakeFactIndex(clock=world.clock)
        for notice in order:
            world.project([notice])
        assert world.found("plays") == {(changed.id, 2)}


class TestAFactThatAnotherReplaced:
    def test_it_stands_in_the_history_with_all_its_revisions_and_nowhere_else(self, world):
        fact = world.supersede(world.write("Ana plays chess."), "Ana plays go.")
        world.project()

        world.let_replace(fact)
        world.project()

        assert world.found("plays") == set()
        assert world.found("plays", with_history=True) == {(fact.id, 1), (fact.id, 2)}

    def test_it_is_found_in_the_history_though_it_was_never_indexed(self, world):
        fact = world.let_replace(world.supersede(world.write("Ana plays chess."), "Ana plays go."))

        world.project()

        assert world.found("plays") == set()
        assert world.found("plays", with_history=True) == {(fact.id, 1), (fact.id, 2)}

    def test_the_order_in_which_notices_come_and_how_often_does_not_matter(self, world):
        fact = world.let_replace(world.supersede(world.write("Ana plays chess."), "Ana plays go."))

        for order in permutations(world.notices):
            world.index = FakeFactIndex(clock=world.clock)
            for notice in [*order, *order[:2]]:
                world.project([notice])
            assert world.found("plays") == set()
            assert world.found("plays", with_history=True) == {(fact.id, 1), (fact.id, 2)}

    def test_its_vector_is_not_paid_for_again(self, world):
        fact = world.write()
        world.project()

        world.let_replace(fact)
        world.project()

        assert len(world.embeddings.embedded) == 1
        assert world.vectors.load(TENANT, [fact.id], world.embeddings.model_id).keys() == {fact.id}

    def test_what_is_archived_already_is_skipped(self, world):
        world.let_replace(world.write())
        world.project()
        calls = Calls()

        world.projector(calls.count)(world.notices)

        assert calls.made == ["load_many", "find_indexed", "find_archived"]

    def test_what_still_stands_among_the_current_ones_is_not_taken_for_archived(self, world):
        fact = world.write()
        world.project()
        world.let_replace(fact)
        # As whoever is stopped between the two steps of an archiving leaves it.
        world.index.retire([Draft.of(fact.revision, is_newest=True).document((1.0, 0.0))])

        world.project()

        assert world.found("chess") == set()
        assert world.found("chess", with_history=True) == {(fact.id, 1)}

    @pytest.mark.parametrize("is_recheck", [True, False])
    def test_a_slow_projector_that_puts_it_late_does_not_bring_it_back(self, world, is_recheck):
        fact = world.write()
        late = Draft.of(fact.revision, is_newest=True).document((1.0, 0.0))
        world.let_replace(fact)
        world.project()
        if is_recheck:
            world.recheck()

        world.index.put([late])

        assert world.found("chess") == set()
        assert world.found("chess", with_history=True) == {(fact.id, 1)}

    def test_it_leaves_the_history_once_it_is_over(self, world):
        end = world.clock.now() + timedelta(hours=1)
        fact = world.write(retention=Retention(keep_until=end))
        world.let_replace(fact)
        world.project()
        assert world.found("chess", with_history=True) == {(fact.id, 1)}

        world.clock.advance(timedelta(hours=1))
        world.project()

        assert world.index.find_archived(TENANT, [(fact.id, 1)]) == {}

    def test_it_leaves_the_history_when_somebody_is_erased_whom_it_names(self, world):
        fact = world.write(scope=build_scope(projectId="p", participantId="ben"))
        world.let_replace(world.supersede(fact))
        world.project()
        world.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=fact.named),)

        world.project()

        assert world.found("plays", with_history=True) == set()

    def test_it_leaves_the_history_and_its_vector_goes_when_it_is_swept(self, world):
        fact = world.let_replace(world.write())
        world.project()

        world.sweep(fact)
        world.project()

        assert world.found("plays", with_history=True) == set()
        assert world.vectors.load(TENANT, [fact.id], world.embeddings.model_id) == {}

    def test_one_that_waited_for_its_review_is_no_history(self, world):
        fact = build_fact(ids=world.ids)
        pending = replace(fact, revision=replace(fact.revision, review=Review.PENDING))
        world.let_replace(world.keep(pending))

        world.project()

        assert world.found("chess", with_history=True) == set()

    def test_one_that_cannot_be_archived_is_to_be_tried_again(self, world):
        fact = world.write()
        world.project()
        world.let_replace(fact)
        world.index.refused.add(fact.id)

        assert world.project() == {key_of(fact)}

    def test_embeddings_that_are_down_do_not_keep_it_current(self, world):
        fact = world.write()
        world.project()
        world.let_replace(fact)
        world.embeddings.is_down = True

        assert world.project() == frozenset()
        assert world.found("chess") == set()


def test_a_late_put_does_not_bring_a_deleted_fact_back(world):
    fact = world.write()
    written = list(world.notices)
    world.delete(fact)
    world.project()

    world.project(written)

    assert world.found("plays", with_history=True) == set()


def test_a_late_put_does_not_bring_old_words_back(world):
    fact = world.write("Ana plays chess.")
    written = list(world.notices)
    world.supersede(fact, "Ana plays go.")
    world.project()

    world.project(written)

    assert world.found("chess") == set()


def test_a_fact_that_cannot_be_indexed_blocks_no_other(world):
    poison, healthy = world.write("Ana plays chess."), world.write("Ben plays chess.")
    world.index.refused.add(poison.id)

    assert world.project() == {key_of(poison)}
    assert world.found("chess") == {(healthy.id, 1)}

    world.index.refused.clear()
    assert world.project() == frozenset()
    assert world.found("chess") == {(poison.id, 1), (healthy.id, 1)}


def test_a_fact_that_cannot_be_removed_is_to_be_tried_again(world):
    fact = world.write()
    world.project()
    world.delete(fact)
    world.index.refused.add(fact.id)

    assert world.project() == {key_of(fact)}


def test_a_text_that_the_model_does_not_bear_holds_up_no_more_than_its_batch(world):
    before = [world.write("Ana plays chess.") for _ in range(FACTS_AT_ONCE)]
    poison = world.write("Unbearable.")
    world.embeddings.unbearable = "Unbearable"

    assert world.project() == {key_of(poison)}
    assert world.found("chess") == {(fact.id, 1) for fact in before}


def test_embeddings_that_are_down_lose_nothing(world):
    fact = world.write()
    world.embeddings.is_down = True
    assert world.project() == {key_of(fact)}

    world.embeddings.is_down = False

    assert world.project() == frozenset()
    assert world.found("chess") == {(fact.id, 1)}


def test_a_removal_needs_no_embeddings(world):
    fact = world.write()
    world.project()
    world.delete(fact)
    world.embeddings.is_down = True

    assert world.project() == frozenset()
    assert world.found("chess") == set()


def test_without_embeddings_words_are_indexed(world):
    fact = world.write()
    documents = FactDocuments(vectors=world.vectors, embeddings=None)
    projector = replace(world.projector(), documents=documents)

    assert projector(world.notices) == frozenset()
    assert world.index.find_indexed(TENANT, [fact.id]).keys() == {fact.id}


def test_a_fact_without_any_word_is_indexed_without_a_vector(world):
    fact = world.write("", type="...")

    assert world.project() == frozenset()
    assert world.embeddings.embedded == []
    assert world.index.find_indexed(TENANT, [fact.id]).keys() == {fact.id}


def faults_of(world: World, port: str) -> Any:
    return world.facts.read_faults if port == "facts" else getattr(world, port).faults


def error_of(port: str) -> Exception:
    return SearchUnavailableError("down") if port == "index" else StoreUnavailableError("busy")


@pytest.mark.parametrize("port", ["facts", "vectors", "index", "rechecks"])
def test_a_store_that_is_busy_fails_every_fact_and_loses_none(world, port):
    facts = [world.supersede(world.write()), world.write()]
    getattr(world, port).__dict__["read_faults" if port == "facts" else "faults"].fail_next(
        error_of(port)
    )

    failed = world.project()
    assert failed
    assert failed <= {key_of(fact) for fact in facts}

    assert world.project() == frozenset()
    assert world.found("plays") == {(fact.id, fact.version) for fact in facts}


def test_another_tenant_is_not_held_up(world):
    mine, theirs = world.write(), world.write(scope=build_scope(OTHER_TENANT))
    world.facts.read_faults.fail_next(StoreUnavailableError("busy"))

    assert world.project() == {key_of(mine)}

    other_admin = build_admin(tenant_id=OTHER_TENANT)
    assert world.found("chess", caller=other_admin) == {(theirs.id, 1)}


class KilledError(BaseException):
    """The process ends here."""


@dataclass
class Calls:
    """Counts the calls that go to ports, and kills at one of them.

    Attributes:
        kill_at: Before which call to end, from 0; or, with half of one added, after it.
        made: Names of all calls.
    """

    kill_at: float = -1
    made: list[str] = field(default_factory=list)

    def count(self, port: Any) -> Any:
        calls = self

        class Counted:
            def __getattr__(self, name: str) -> Any:
                value = getattr(port, name)
                return calls.wrapped(name, value) if callable(value) else value

        return Counted()

    def wrapped(self, name: str, call: Any) -> Any:
        def counted(*args: Any, **named: Any) -> Any:
            number = len(self.made)
            self.made.append(name)
            if self.kill_at == number:
                raise KilledError
            answer = call(*args, **named)
            if self.kill_at == number + 0.5:
                raise KilledError
            return answer

        return counted


def lively_world() -> tuple[World, Fact, Fact]:
    """Return a world in which everything happens at once, with what is left at the end: a fact at version 3, a new one.

    And, in the history, one of Eve's that another fact replaced.
    """
    world = World()
    kept = world.write("Ana plays chess.")
    doomed, swept = world.write("Ben plays chess."), world.write("Cleo plays chess.")
    replaced = world.write("Eve plays chess.")
    world.project()
    changed = world.verify(world.supersede(kept, "Ana plays go."))
    world.delete(doomed)
    world.sweep(swept)
    world.let_replace(replaced)
    return world, changed, world.write("Dana plays go.")


def count_steps() -> int:
    world, _, _ = lively_world()
    calls = Calls()
    world.projector(calls.count)(world.notices)
    return len(calls.made)


@pytest.mark.parametrize("step", range(2 * count_steps()))
def test_killed_between_any_two_steps_it_goes_on_from_where_it_was(step):
    world, changed, new = lively_world()
    with pytest.raises(KilledError):
        world.projector(Calls(kill_at=step / 2).count)(world.notices)

    assert world.project() == frozenset()
    world.recheck()

    assert world.found("plays") == {(changed.id, 3), (new.id, 1)}
    (replaced,) = world.found("Eve", with_history=True)
    history = {(changed.id, 1), (changed.id, 2), (changed.id, 3), (new.id, 1), replaced}
    assert world.found("plays", with_history=True) == history


def test_a_vector_that_was_kept_before_a_kill_is_not_paid_for_again(world):
    world.write()
    killer = Calls(kill_at=5)
    with pytest.raises(KilledError):
        world.projector(killer.count)(world.notices)
    assert killer.made[-2:] == ["save", "put"]

    world.project()

    assert len(world.embeddings.embedded) == 1
    assert world.found("chess") != set()


class TestAnIndexThatShowsWritesLate:
    @pytest.fixture(autouse=True)
    def late(self, world):
        world.index.visibility_delay = DELAY
        world.index.overlooks_unseen = True

    def test_a_fact_that_is_deleted_before_it_showed_is_removed_by_the_second_look(self, world):
        fact = world.write()
        world.project()
        world.delete(fact)
        world.project()
        world.clock.advance(DELAY)
        assert world.found("chess") == {(fact.id, 1)}

        world.recheck()
        world.clock.advance(DELAY)

        assert world.found("plays", with_history=True) == set()

    def test_a_fact_that_is_replaced_before_it_showed_is_archived_by_the_second_look(self, world):
        fact = world.write()
        world.project()
        world.let_replace(fact)
        world.project()
        world.clock.advance(DELAY)
        assert world.found("chess") == {(fact.id, 1)}

        world.recheck()
        world.clock.advance(DELAY)

        assert world.found("chess") == set()
        assert world.found("chess", with_history=True) == {(fact.id, 1)}

    def test_a_fact_that_was_archived_stays_so_through_every_later_look(self, world):
        fact = world.let_replace(world.write())
        for _ in range(3):
            world.project()
            world.clock.advance(DELAY)
            world.recheck()
            world.clock.advance(DELAY)

        assert world.found("chess") == set()
        assert world.found("chess", with_history=True) == {(fact.id, 1)}

    def test_a_second_look_asks_for_no_third(self, world):
        world.delete(world.write())
        world.project()

        assert world.rechecks.due != []
        world.recheck()

        assert world.rechecks.due == []

    def test_a_second_look_finds_a_fact_as_it_is_by_then(self, world):
        fact = world.supersede(world.write("Ana plays chess."), "Ana plays go.")
        world.project()
        world.supersede(fact, "Ana plays bridge.")

        world.recheck()
        world.clock.advance(DELAY)

        assert world.found("bridge") == {(fact.id, 3)}

    def test_a_first_version_is_not_looked_at_again(self, world):
        world.write()
        world.project()

        assert world.rechecks.due == []
