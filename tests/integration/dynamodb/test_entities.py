"""Entities over dynoxide: pages while writers write, and over a wire that is cut."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count

import pytest
from palimpsest.adapters.dynamodb.companions import CompanionPlanner, Passage
from palimpsest.adapters.dynamodb.writes import Write
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.domain.entities import EntityName, EntityType, Window
from palimpsest.domain.errors import EntityNotFoundError, StoreUnavailableError
from palimpsest.domain.observations import OBSERVATION_TYPE, Observation, content_of
from palimpsest.domain.revisions import Draft, first_revision
from palimpsest.domain.ties import Side
from palimpsest.ports.facts import MAX_ADDED_TOGETHER
from palimpsest.use_cases.changes import FactChanges, Target
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.get_entity_context import ContextRequest
from palimpsest.use_cases.relate_entities import RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

from tests.builders import build_caller, build_scope
from tests.entity_tools import EntityTools
from tests.fakes.pauses import FakePauses
from tests.fakes.pseudonyms import FakePseudonyms
from tests.racing import all_at_once

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")
ALL: frozenset[EntityType] = frozenset()
ENTITIES, PAGE, WRITERS = 1_000, 100, 4
TRANSACTION = "TransactWriteItems"


@pytest.fixture
def tools(tables, wire):
    clock = SystemClock()
    return EntityTools(
        facts=tables.fact_repository(pauses=JitteredPauses()),
        entities=tables.entity_directory(),
        clock=clock,
        ids=SystemIds(),
        pauses=JitteredPauses(),
    )


def tell(tools, name: str, text: str = "is there", kind=EntityType.PERSON):
    request = RememberRequest(entity_name=name, entity_type=kind, observation=text)
    return tools.remember(ANA, SCOPE, request)


def relate(tools, source: str, relation: str, target: str):
    person = EntityType.PERSON
    request = RelateRequest(
        from_entity=source,
        from_type=person,
        relation=relation,
        to_entity=target,
        to_type=person,
    )
    return tools.relate(ANA, SCOPE, request)


def load(tools, entities: list[EntityName]) -> None:
    """Tell one thing of each, many in a transaction."""
    for start in range(0, len(entities), MAX_ADDED_TOGETHER):
        some = entities[start : start + MAX_ADDED_TOGETHER]
        said = [content_of(Observation(entity=entity, text="is there")) for entity in some]
        drafts = [Draft(type=OBSERVATION_TYPE, scope=SCOPE, content=content) for content in said]
        tools.facts.add_all([first_revision(draft, tools.acts.begin(ANA)) for draft in drafts])


def counts(tools) -> tuple[int, int, int]:
    totals = tools.describe(ANA, SCOPE)
    return totals.count(ALL), totals.observations, totals.relations


def page(tools, offset: int, types=ALL):
    return tools.list(ANA, SCOPE, types, Window(limit=PAGE, offset=offset))


class TestCutWires:
    def test_an_answer_that_is_lost_counts_once(self, tools, wire):
        wire.lose_answer(TRANSACTION)

        remembered = tell(tools, "Jeff", "sings")

        assert (remembered.is_new, counts(tools)) == (True, (1, 1, 0))

    @pytest.mark.parametrize("attempts", [1, 4])
    def test_transactions_in_the_way_are_waited_for(self, tools, wire, attempts):
        # DynamoDB cancels a transaction that meets another one at an item; the emulators never do.
        wire.cancel("None", "TransactionConflict", times=attempts)

        assert tell(tools, "Jeff").is_new
        assert (counts(tools), wire.calls[TRANSACTION]) == ((1, 1, 0), attempts + 1)

    def test_a_store_that_stays_busy_has_written_nothing(self, tools, wire):
        wire.refuse(TRANSACTION, "ThrottlingException", times=5)

        with pytest.raises(StoreUnavailableError):
            tell(tools, "Jeff")

        assert counts(tools) == (0, 0, 0)

    def test_a_forgetting_that_died_is_taken_up(self, tools, wire):
        for number in range(6):
            tell(tools, "Jeff", f"sings song {number}")
        relate(tools, "Jeff", "knows", "Ana")
        wire.lose_answer(TRANSACTION)
        tools.forget(ANA, SCOPE, "Ana", is_confirmed=True)
        assert counts(tools) == (1, 6, 0)

        wire.lose_request(TRANSACTION, times=5)
        with pytest.raises(StoreUnavailableError):
            tools.forget(ANA, SCOPE, "Jeff", is_confirmed=True)
        assert tools.forget(ANA, SCOPE, "Jeff", is_confirmed=True).observations == 6

        assert counts(tools) == (0, 0, 0)


@dataclass
class Interrupted:
    """Plans as another planner does, and lets something happen between its first plan and the write.

    Attributes:
        planner: The other one.
        meanwhile: What happens.
    """

    planner: CompanionPlanner
    meanwhile: list[Callable[[], object]]

    @property
    def types(self) -> frozenset[str]:
        return self.planner.types

    def plan(self, passages: Sequence[Passage], *, stale: frozenset[str] | None) -> list[Write]:
        planned = self.planner.plan(passages, stale=stale)
        while self.meanwhile:
            self.meanwhile.pop()()
        return planned


class TestMeanwhile:
    """Between the look at an entity and the write, somebody else writes."""

    @pytest.fixture
    def interrupted(self, tables, tools):
        """Return the use cases over a store of which one plan is interrupted."""

        def interrupted(meanwhile: Callable[[], object]) -> EntityTools:
            planner = Interrupted(tables.planners()[-1], [meanwhile])
            facts = tables.fact_repository(planners=(planner,))
            return replace(tools, facts=facts, pauses=FakePauses())

        return interrupted

    def forget(self, tools, name="Jeff"):
        return tools.forget(ANA, SCOPE, name, is_confirmed=True)

    def test_an_entity_that_is_told_something_while_its_last_fact_goes_stays(
        self, tools, interrupted
    ):
        first = tell(tools, "Jeff", "sings")
        changes = FactChanges(
            facts=interrupted(lambda: tell(tools, "Jeff", "hums")).facts,
            pseudonyms=FakePseudonyms(),
            pauses=FakePauses(),
        )

        DeleteFact(changes=changes)(tools.acts.begin(ANA), Target(fact_id=first.fact_id))

        assert counts(tools) == (1, 1, 0)
        context = tools.get_context(ANA, SCOPE, ContextRequest(entity_name="Jeff"))
        assert [told.observation.text for told in context.observations] == ["hums"]

    def test_an_entity_that_goes_while_it_is_told_something_comes_again(self, tools, interrupted):
        tell(tools, "Jeff", "sings")

        tell(interrupted(lambda: self.forget(tools)), "Jeff", "hums")

        assert counts(tools) == (1, 1, 0)

    def test_an_entity_that_comes_while_another_makes_it_is_one(self, tools, interrupted):
        tell(interrupted(lambda: tell(tools, "Jeff", "sings")), "Jeff", "hums")

        assert counts(tools) == (1, 2, 0)

    def test_what_is_said_while_another_says_the_very_same_is_said_once(self, tools, interrupted):
        tell(tools, "Jeff", "is there")

        again = tell(interrupted(lambda: tell(tools, "Jeff", "sings")), "Jeff", "sings")

        assert (again.is_new, counts(tools)) == (False, (1, 2, 0))


def test_what_is_forgotten_leaves_nothing_behind_but_empty_counters(tools, tables):
    tell(tools, "Jeff")
    relate(tools, "Jeff", "knows", "Ana")

    tools.forget(ANA, SCOPE, "Jeff", is_confirmed=True)

    left = tables.items(tables.concepts)
    assert all("#entity-totals#" in item["pk"]["S"] for item in left)
    assert {item[name]["N"] for item in left for name in ("entities", "observations")} == {"0"}


@pytest.mark.parametrize("writers", [4, 20])
def test_tellers_and_forgetters_at_once_leave_counts_that_are_those_of_the_facts(tools, writers):
    def work(writer: int) -> None:
        for number in range(40 // writers):
            tell(tools, f"e{number}", f"says {writer}")
            relate(tools, f"e{number}", f"is known to {writer}", f"e{number + 1}")
            if writer % 2:
                try:
                    tools.forget(ANA, SCOPE, f"e{number}", is_confirmed=True)
                except EntityNotFoundError:
                    continue

    all_at_once(work, range(writers))

    entities = page(tools, 0).entities
    assert counts(tools)[:2] == (len(entities), sum(e.observations for e in entities))
    assert counts(tools)[2] * 2 == sum(e.relations for e in entities)
    for entity in entities:
        ids = [
            fact_id
            for side in Side
            for fact_id in tools.entities.list_ties(SCOPE, entity.key, side, limit=1000)
        ]
        assert len(ids) == entity.observations + entity.relations
        facts, _ = tools.facts.load_many(ANA.tenant_id, ids)
        assert all(not fact.is_closed for fact in facts.values())


def test_a_thousand_entities_are_listed_by_pages_with_right_totals_while_four_write(tools):
    kinds = list(EntityType)
    load(tools, [EntityName(f"e{n}", kinds[n % 7]) for n in range(ENTITIES)])
    over, written = threading.Event(), [0] * WRITERS

    def write(writer: int) -> None:
        """Tell entities something new, until the pages are read; every tenth is an entity that nobody knew."""
        for number in count():
            if over.is_set() and number >= PAGE:
                return
            name = f"new {writer} {number}" if number % 10 == 0 else f"e{number % PAGE}"
            tell(tools, name, f"says {writer} {number}", kinds[number % PAGE % 7])
            written[writer] = number + 1

    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [pool.submit(write, writer) for writer in range(WRITERS)]
        seen = []
        before = counts(tools)[0]
        for offset in range(0, ENTITIES, PAGE):
            read = page(tools, offset)
            after = counts(tools)[0]
            assert before <= read.total <= after
            assert len(read.entities) == PAGE
            seen += [entity.name for entity in read.entities]
            before = read.total
        over.set()
        for one in writing:
            one.result()

    new = sum(-(-number // 10) for number in written)
    whole = [e for offset in range(0, ENTITIES + new, PAGE) for e in page(tools, offset).entities]
    assert counts(tools) == (ENTITIES + new, ENTITIES + sum(written), 0)
    assert len({entity.id for entity in whole}) == len(whole) == ENTITIES + new
    assert sum(entity.observations for entity in whole) == ENTITIES + sum(written)
    assert [e.updated_at for e in whole] == sorted((e.updated_at for e in whole), reverse=True)
    # Whoever was not told anything meanwhile was met while the others moved up.
    assert {f"e{n}" for n in range(PAGE, ENTITIES)} <= set(seen)
