from datetime import datetime, timedelta

import pytest
from palimpsest.domain.entities import EntityType
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import (
    BadInputError,
    EntityNotFoundError,
    ErasureInProgressError,
    LegalHoldError,
    PermissionDeniedError,
    StoreUnavailableError,
    WriteConflictError,
)
from palimpsest.domain.facts import Retention
from palimpsest.domain.observations import OBSERVATION_TYPE
from palimpsest.use_cases.forget_entity import Forgotten
from palimpsest.use_cases.relate_entities import RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

from tests.builders import TENANT, build_caller, build_fact, build_scope
from tests.entity_tools import build_tools
from tests.fakes.clock import FakeClock
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")
SECOND = timedelta(seconds=1)


class World:
    """One store, what it is told, and what is forgotten."""

    def __init__(self) -> None:
        self.ids = FakeIds()
        self.facts = FakeFactRepository()

    def tools(self, **changes):
        return build_tools(self.facts, self.ids, **changes)

    def tell(self, text: str, name: str = "Jeff", kind=EntityType.PERSON) -> str:
        self.ids.clock.advance(SECOND)
        request = RememberRequest(entity_name=name, entity_type=kind, observation=text)
        return self.tools().remember(ANA, SCOPE, request).fact_id

    def relate(self, source: str, relation: str, target: str) -> str:
        self.ids.clock.advance(SECOND)
        request = RelateRequest(from_entity=source, relation=relation, to_entity=target)
        return self.tools().relate(ANA, SCOPE, request).fact_id

    def add(self, text: str, **fields) -> str:
        """Write an observation as the facts door would."""
        content = {"entity": "Jeff", "entityType": "person", "observation": text}
        said = {"scope": SCOPE, "type": OBSERVATION_TYPE, "content": content, **fields}
        fact = build_fact(ids=self.ids, **said)
        self.facts.add(fact)
        return fact.id

    def forget(self, name="Jeff", *, caller=ANA, scope=SCOPE, is_confirmed=True, **changes):
        tools = self.tools(**changes)
        found: Forgotten = tools.forget(caller, scope, name, is_confirmed=is_confirmed)
        return found

    def names(self) -> list[str]:
        totals = self.facts.entities.count(SCOPE)
        found = [
            e.name for n in ("Jeff", "Ana", "Apollo") for e in self.facts.entities.find(SCOPE, n)
        ]
        assert totals.count(frozenset()) == len(found)
        return found

    def totals(self) -> tuple[int, int]:
        totals = self.facts.entities.count(SCOPE)
        return totals.observations, totals.relations

    def is_closed(self, fact_id: str) -> bool:
        fact = self.facts.load(TENANT, fact_id).fact
        assert fact is not None
        return fact.is_closed


@pytest.fixture
def world():
    return World()


def test_an_entity_goes_with_everything_that_hangs_on_it(world):
    told = [world.tell("sings"), world.tell("hums")]
    stays = world.tell("dances", name="Ana")
    linked = [world.relate("Jeff", "knows", "Ana"), world.relate("Ana", "likes", "Jeff")]
    (jeff,) = world.facts.entities.find(SCOPE, "Jeff")

    forgotten = world.forget(" JEFF ")

    assert forgotten == Forgotten(entities=[jeff], observations=2, relations=2, is_complete=True)
    assert all(map(world.is_closed, [*told, *linked]))
    assert not world.is_closed(stays)
    assert (world.names(), world.totals()) == (["Ana"], (1, 0))


def test_an_end_that_nothing_else_is_known_of_goes_along(world):
    world.relate("Jeff", "leads", "Apollo")

    world.forget()

    assert (world.names(), world.totals()) == ([], (0, 0))


def test_every_entity_of_the_name_goes(world):
    world.tell("is a moon", name="Apollo", kind=EntityType.LOCATION)
    world.tell("is a programme", name="Apollo", kind=EntityType.PROJECT)

    forgotten = world.forget("Apollo")

    assert ([e.type for e in forgotten.entities], world.names()) == (["project", "location"], [])


def test_more_than_a_page_of_facts_goes(world):
    for number in range(200):
        world.tell(f"sings song {number}")

    assert world.forget().observations == 200
    assert world.totals() == (0, 0)


def test_what_has_expired_goes_too(world):
    gone = world.add("hums", retention=Retention(keep_until=world.ids.clock.now() + SECOND))
    world.ids.clock.advance(SECOND)

    assert world.forget().observations == 1
    assert (world.is_closed(gone), world.names()) == (True, [])


def test_what_was_swept_and_never_counted_out_goes_too(world):
    swept, _ = world.tell("sings"), world.tell("hums")
    del world.facts._facts[TENANT, swept]
    linked = world.relate("Jeff", "knows", "Ana")
    del world.facts._facts[TENANT, linked]
    (jeff,) = world.facts.entities.find(SCOPE, "Jeff")

    forgotten = world.forget()

    assert forgotten == Forgotten(entities=[jeff], observations=1, relations=0, is_complete=True)
    assert (world.names(), world.totals()) == (["Ana"], (0, 0))


def test_it_must_be_confirmed(world):
    world.tell("sings")

    with pytest.raises(BadInputError, match="confirm must be true") as refused:
        world.forget(is_confirmed=False)

    assert (refused.value.field, world.totals()) == ("confirm", (1, 0))


@pytest.mark.parametrize("name", ["Jef", "", "Jeff2"])
def test_an_unknown_name_is_not_found_and_nothing_goes(world, name):
    world.tell("sings")

    with pytest.raises(EntityNotFoundError):
        world.forget(name)

    assert world.totals() == (1, 0)


def test_what_is_forgotten_is_unknown(world):
    world.tell("sings")
    world.forget()

    with pytest.raises(EntityNotFoundError):
        world.forget()


def test_who_may_not_write_there_forgets_nothing(world):
    scope = build_scope(projectId="apollo")
    world.add("sings", scope=scope)
    reader = build_caller(reads=("apollo",))

    with pytest.raises(PermissionDeniedError):
        world.forget(caller=reader, scope=scope)

    assert world.facts.entities.count(scope).observations == 1


def test_the_same_name_of_another_scope_stays(world):
    world.tell("sings")
    world.add("sings", scope=build_scope(userId="ben"))

    world.forget()

    assert world.facts.entities.count(build_scope(userId="ben")).observations == 1


def test_what_is_held_stays_with_its_entity_and_is_said(world):
    held = world.add("signed", retention=Retention(legal_hold=True))
    world.tell("sings")

    with pytest.raises(LegalHoldError, match="1 of its facts are under a legal hold"):
        world.forget()

    assert (world.is_closed(held), world.names(), world.totals()) == (False, ["Jeff"], (1, 0))


def test_what_is_being_erased_is_left_to_the_erasure(world):
    fact_id = world.tell("sings")
    world.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=fact_id),)

    with pytest.raises(ErasureInProgressError):
        world.forget()

    assert not world.is_closed(fact_id)


def test_a_request_that_died_halfway_is_taken_up_by_the_next(world):
    for number in range(5):
        world.tell(f"sings song {number}")
    world.facts.write_faults.fail_next(StoreUnavailableError("Busy."), times=5)
    with pytest.raises(StoreUnavailableError):
        world.forget()

    assert world.forget().observations == 5
    assert world.totals() == (0, 0)


def test_when_the_time_is_over_the_rest_waits_for_the_next_request(world):
    for number in range(5):
        world.tell(f"sings song {number}")

    class SlowClock(FakeClock):
        def now(self) -> datetime:
            return self.advance(SECOND)

    slow = SlowClock(world.ids.clock.now())
    forgotten = world.forget(clock=slow, time_budget=4 * SECOND)

    assert (forgotten.is_complete, forgotten.observations) == (False, 3)
    assert world.totals() == (2, 0)
    rest = world.forget()
    assert (rest.is_complete, rest.observations, world.names()) == (True, 2, [])


def test_a_lost_race_or_answer_forgets_once(world):
    world.tell("sings")
    world.facts.write_faults.fail_next(WriteConflictError("Another writer was there first."))
    world.facts.write_faults.drop_answers()

    world.forget()

    assert world.totals() == (0, 0)
