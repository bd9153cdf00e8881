"""What every maker of entities' ids promises: the fake and the keyed one."""

import re
from collections.abc import Callable

import pytest
from palimpsest.adapters.sealing.entity_ids import KeyedEntityIds
from palimpsest.domain.entities import EntityKey, EntityType
from palimpsest.ports.entity_ids import EntityIds

from tests.builders import OTHER_TENANT, build_scope
from tests.fakes.entity_ids import FakeEntityIds
from tests.fakes.key_lists import FakeKeyLists

SCOPE = build_scope(userId="ana")
JEFF = EntityKey(EntityType.PERSON, "jeff")

# With the ledger's first key of that number; None for no key.
Make = Callable[[int | None], EntityIds]


def _fake(number: int | None) -> EntityIds:
    return FakeEntityIds("none" if number is None else f"k{number}")


def _keyed(number: int | None) -> EntityIds:
    if number is None:
        return KeyedEntityIds(None)
    secrets = (f"an invented secret of the tests, no. {number}", "an older secret of the tests")
    return KeyedEntityIds(FakeKeyLists(secrets))


@pytest.fixture(params=[_fake, _keyed])
def make(request: pytest.FixtureRequest) -> Make:
    chosen: Make = request.param
    return chosen


@pytest.mark.parametrize("number", [None, 1])
def test_an_id_has_the_form_of_a_uuid_of_version_4(make: Make, number: int | None):
    found = make(number).id_of(SCOPE, JEFF)

    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", found
    )


def test_two_writers_make_the_same_id(make: Make):
    assert make(1).id_of(SCOPE, JEFF) == make(1).id_of(build_scope(userId="ana"), JEFF)


def test_the_first_eight_characters_tell_entities_apart(make: Make):
    ids = make(1)

    starts = {ids.id_of(SCOPE, EntityKey(EntityType.PERSON, f"jeff {n}"))[:8] for n in range(500)}

    assert len(starts) == 500


def test_tenant_scope_type_and_name_each_make_another_id(make: Make):
    ids = make(1)
    others = [
        (build_scope(OTHER_TENANT, userId="ana"), JEFF),
        (build_scope(userId="ben"), JEFF),
        (build_scope(projectId="ana"), JEFF),
        (build_scope(userId="ana", projectId="p"), JEFF),
        (SCOPE, EntityKey(EntityType.PROJECT, "jeff")),
        (SCOPE, EntityKey(EntityType.PERSON, "jef")),
    ]

    assert len({ids.id_of(SCOPE, JEFF), *(ids.id_of(*other) for other in others)}) == 7


def test_another_first_key_makes_other_ids(make: Make):
    made = {make(number).id_of(SCOPE, JEFF) for number in (None, 1, 2)}

    assert len(made) == 3


@pytest.mark.parametrize("hostile", ["#/\x00", "😀" * 200, "a" * 200])
def test_any_name_gets_an_id(make: Make, hostile: str):
    assert len(make(1).id_of(SCOPE, EntityKey(EntityType.FACT, hostile))) == 36
