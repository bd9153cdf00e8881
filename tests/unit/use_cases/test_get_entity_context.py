from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import BadInputError, EntityNotFoundError, PermissionDeniedError
from palimpsest.domain.facts import Retention
from palimpsest.domain.observations import OBSERVATION_TYPE, Observation, ObservationSource
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.relations import Relation
from palimpsest.domain.revisions import delete
from palimpsest.use_cases.get_entity_context import (
    MAX_RELATIONS,
    MAX_ROUNDS,
    ContextRequest,
    Linked,
    Told,
)
from palimpsest.use_cases.relate_entities import RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

from tests.builders import TENANT, build_act, build_admin, build_caller, build_fact, build_scope
from tests.entity_tools import build_tools
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.pseudonyms import FakePseudonyms

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")
SECOND = timedelta(seconds=1)
JEFF = EntityName("Jeff", EntityType.PERSON)
ACME = EntityName("Acme Corp", EntityType.ORGANIZATION)


class World:
    """One store, and what its entities are told."""

    def __init__(self) -> None:
        self.ids = FakeIds()
        self.facts = FakeFactRepository()
        self.tools = build_tools(self.facts, self.ids)

    def tell(self, text: str, name: str = "Jeff", **fields) -> str:
        self.ids.clock.advance(SECOND)
        given = {"entity_type": EntityType.PERSON, **fields}
        request = RememberRequest(entity_name=name, observation=text, **given)
        return self.tools.remember(ANA, SCOPE, request).fact_id

    def relate(self, source: EntityName, relation: str, target: EntityName) -> str:
        self.ids.clock.advance(SECOND)
        request = RelateRequest(
            from_entity=source.name,
            from_type=source.type,
            relation=relation,
            to_entity=target.name,
            to_type=target.type,
        )
        return self.tools.relate(ANA, SCOPE, request).fact_id

    def get(self, name: str = "Jeff", caller=ANA, scope=SCOPE, **fields):
        request = ContextRequest(entity_name=name, **fields)
        return self.tools.get_context(caller, scope, request)

    def add(self, text: str, **fields) -> str:
        """Write an observation as the facts door would."""
        self.ids.clock.advance(SECOND)
        content = {"entity": "Jeff", "entityType": "person", "observation": text}
        fact = build_fact(
            ids=self.ids, scope=SCOPE, type=OBSERVATION_TYPE, content=content, **fields
        )
        self.facts.add(fact)
        return fact.id

    def delete(self, fact_id: str) -> None:
        fact = self.facts.load(TENANT, fact_id).fact
        assert fact is not None
        self.facts.close(fact, delete(fact, build_act(ids=self.ids)))


@pytest.fixture
def world():
    return World()


def texts(context) -> list[str]:
    return [told.observation.text for told in context.observations]


def test_everything_is_told_of_an_entity(world):
    first = world.tell("sings", source=ObservationSource.NOTE)
    second = world.tell("hums")
    works = world.relate(JEFF, "works_at", ACME)
    employs = world.relate(ACME, "employs", JEFF)

    context = world.get(" jeff ")

    start = world.facts.load(TENANT, first).fact.revision.created_at
    assert (context.entity.name, context.entity.type, context.more) == ("Jeff", JEFF.type, 0)
    assert context.observations == [
        Told(
            fact_id=second,
            observation=Observation(entity=JEFF, text="hums"),
            at=start + SECOND,
            valid_until=None,
        ),
        Told(
            fact_id=first,
            observation=Observation(entity=JEFF, text="sings", source=ObservationSource.NOTE),
            at=start,
            valid_until=None,
        ),
    ]
    assert context.outgoing == [
        Linked(fact_id=works, relation=Relation(source=JEFF, name="works_at", target=ACME))
    ]
    assert context.incoming == [
        Linked(fact_id=employs, relation=Relation(source=ACME, name="employs", target=JEFF))
    ]


def test_the_newest_come_first_and_the_rest_is_counted(world):
    for number in range(7):
        world.tell(f"sings song {number}")

    context = world.get(max_observations=3)

    assert texts(context) == ["sings song 6", "sings song 5", "sings song 4"]
    assert context.more == 4


def test_two_deleted_of_five_are_neither_told_nor_counted(world):
    ids = [world.tell(f"sings song {number}") for number in range(5)]
    world.delete(ids[1])
    world.delete(ids[3])

    context = world.get(max_observations=2)

    assert (texts(context), context.more) == (["sings song 4", "sings song 2"], 1)


def test_relations_come_only_where_they_are_asked_for(world):
    world.tell("sings")
    world.relate(JEFF, "works_at", ACME)

    context = world.get(include_related=False)

    assert (texts(context), context.outgoing, context.incoming) == (["sings"], [], [])


def test_an_entity_that_is_only_related_is_known(world):
    world.relate(JEFF, "works_at", ACME)

    context = world.get("acme corp", include_related=False)

    assert (context.entity.type, context.observations) == (ACME.type, [])
    assert (context.outgoing, context.incoming) == ([], [])


def test_of_one_name_the_type_that_was_told_of_last_is_meant(world):
    world.tell("is a moon", name="Apollo", entity_type=EntityType.LOCATION)
    world.tell("is a programme", name="Apollo", entity_type=EntityType.PROJECT)

    assert texts(world.get("Apollo")) == ["is a programme"]


def test_at_most_so_many_relations_are_told(world):
    for number in range(MAX_RELATIONS + 1):
        world.relate(JEFF, f"knows_{number}", ACME)

    context = world.get()

    assert len(context.outgoing) == MAX_RELATIONS
    assert context.outgoing[0].relation.name == f"knows_{MAX_RELATIONS}"


@pytest.mark.parametrize("limit", [0, -1, 101, 10**9])
def test_a_limit_outside_its_range_is_refused(limit):
    with pytest.raises(BadInputError, match="maxObs must be 1 to 100") as refused:
        ContextRequest(entity_name="Jeff", max_observations=limit)

    assert refused.value.field == "maxObs"


@pytest.mark.parametrize("name", ["Jef", "Jeffrey", "", "\x00"])
def test_an_unknown_name_is_not_found(world, name):
    world.tell("sings")

    with pytest.raises(EntityNotFoundError):
        world.get(name)


def test_an_entity_of_another_scope_is_not_found(world):
    world.tell("sings")

    with pytest.raises(EntityNotFoundError):
        world.get(caller=build_caller("ben"), scope=build_scope(userId="ben"))


def test_where_the_caller_may_not_read_nothing_is_looked_up(world):
    world.tell("sings")

    with pytest.raises(PermissionDeniedError):
        world.get(caller=build_caller("ben"))


def test_what_has_expired_is_not_told_and_others_come_in_its_place(world):
    world.tell("sings")
    world.add("hums", retention=Retention(keep_until=world.ids.clock.now() + 9 * SECOND))
    world.tell("whistles", valid_until=world.ids.clock.now() + 9 * SECOND)
    world.tell("dances")
    world.ids.clock.advance(9 * SECOND)

    context = world.get(max_observations=2)

    assert (texts(context), context.more) == (["dances", "sings"], 0)


def test_an_entity_of_which_all_has_expired_is_not_found(world):
    world.add("hums", retention=Retention(keep_until=world.ids.clock.now() + 9 * SECOND))
    world.ids.clock.advance(9 * SECOND)

    with pytest.raises(EntityNotFoundError):
        world.get()


def test_of_one_name_a_type_of_which_all_has_expired_hides_no_other(world):
    world.tell("sings")
    over = world.ids.clock.now() + SECOND * 5
    world.tell("is over", entity_type=EntityType.PROJECT, valid_until=over)
    world.ids.clock.advance(SECOND * 5)

    context = world.get()

    assert (context.entity.type, texts(context)) == (EntityType.PERSON, ["sings"])


def test_where_most_has_expired_the_answer_is_short_and_says_how_much_is_left(world):
    world.tell("sings")
    end = world.ids.clock.now() + 100 * SECOND
    for number in range(MAX_ROUNDS * 2):
        world.add(f"hums {number}", retention=Retention(keep_until=end))
    world.relate(JEFF, "works_at", ACME)
    world.ids.clock.advance(100 * SECOND)

    context = world.get(max_observations=2)

    assert (texts(context), context.more) == ([], 1)


@pytest.mark.parametrize("caller", [ANA, build_admin()])
def test_what_is_being_erased_is_not_told(world, caller):
    world.tell("sings")
    about = Person(PersonKind.EXTERNAL, "ben")
    world.add("met Ben", subjects=(about,))
    names = FakePseudonyms().all(TENANT, about)
    world.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", pseudonyms=names),)

    assert texts(world.get(caller=caller)) == ["sings"]


def test_an_entity_of_which_all_is_being_erased_is_not_found(world):
    fact_id = world.tell("sings")
    world.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=fact_id),)

    with pytest.raises(EntityNotFoundError):
        world.get()


def test_what_the_facts_door_has_superseded_is_told_as_it_stands(world):
    fact_id = world.tell("sings")
    fact = world.facts.load(TENANT, fact_id).fact
    step = replace(
        fact,
        revision=replace(
            fact.revision,
            version=2,
            content='{"entity":"JEFF","entityType":"person","observation":"whistles"}',
        ),
    )
    closed = replace(fact.revision, closing=delete(fact, build_act(ids=world.ids)).revision.closing)
    world.facts.replace(fact, closed, step)

    context = world.get()

    assert (context.entity.name, texts(context)) == ("Jeff", ["whistles"])
