from datetime import timedelta

import pytest
from palimpsest.domain.entities import EntityType, Window
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import PermissionDeniedError
from palimpsest.use_cases.relate_entities import RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

from tests.builders import TENANT, build_admin, build_caller, build_scope
from tests.entity_tools import build_tools
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")
SECOND = timedelta(seconds=1)
ALL: frozenset[EntityType] = frozenset()


@pytest.fixture
def ids():
    return FakeIds()


@pytest.fixture
def facts():
    return FakeFactRepository()


@pytest.fixture
def tools(facts, ids):
    return build_tools(facts, ids)


@pytest.fixture
def tell(tools, ids):
    def tell(name, entity_type=EntityType.PERSON) -> str:
        ids.clock.advance(SECOND)
        request = RememberRequest(
            entity_name=name, entity_type=entity_type, observation=f"is {name}"
        )
        fact_id: str = tools.remember(ANA, SCOPE, request).fact_id
        return fact_id

    return tell


def listed(tools, types=ALL, caller=ANA, scope=SCOPE, **window):
    page = tools.list(caller, scope, types, Window(**{"limit": 100, **window}))
    return [entity.name for entity in page.entities], page.total


def test_entities_are_listed_latest_update_first_with_their_number(tools, tell):
    for name in ("Jeff", "Ana", "Ben"):
        tell(name)
    tell("Apollo", EntityType.PROJECT)
    tell("Jeff")

    assert listed(tools) == (["Jeff", "Apollo", "Ben", "Ana"], 4)
    assert listed(tools, limit=2, offset=1) == (["Apollo", "Ben"], 4)
    assert listed(tools, frozenset({EntityType.PROJECT})) == (["Apollo"], 1)
    assert listed(tools, frozenset({EntityType.FACT})) == ([], 0)


def test_a_scope_without_entities_is_an_empty_list(tools):
    assert listed(tools) == ([], 0)


@pytest.mark.parametrize(
    ("caller", "scope"),
    [
        (build_caller("ben"), SCOPE),
        (ANA, build_scope(projectId="apollo")),
        (build_caller(writes=("apollo",), project_limit="apollo"), SCOPE),
    ],
)
def test_where_the_caller_may_not_read_nothing_is_counted(tools, tell, caller, scope):
    tell("Jeff")

    with pytest.raises(PermissionDeniedError, match="You may not read in this scope"):
        listed(tools, caller=caller, scope=scope)
    with pytest.raises(PermissionDeniedError, match="You may not read in this scope"):
        tools.describe(caller, scope)


def test_while_all_of_an_entity_is_being_erased_its_name_is_not_told(tools, facts, tell):
    gone = tell("Jeff")
    tell("Ana")
    facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=gone),)

    assert listed(tools) == (["Ana"], 2)
    assert listed(tools, caller=build_admin()) == (["Ana"], 2)


def test_a_relation_vouches_for_its_ends_while_something_is_being_erased(tools, facts, tell, ids):
    gone = tell("Jeff")
    ids.clock.advance(SECOND)
    tools.relate(ANA, SCOPE, RelateRequest(from_entity="Ana", relation="knows", to_entity="Jeff"))
    facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=gone),)

    names, total = listed(tools)
    assert (sorted(names), total) == (["Ana", "Jeff"], 2)


def test_everything_of_a_scope_is_counted(tools, tell, ids):
    tell("Jeff")
    tell("Apollo", EntityType.PROJECT)
    ids.clock.advance(SECOND)
    tools.relate(
        ANA, SCOPE, RelateRequest(from_entity="Jeff", relation="leads", to_entity="Apollo")
    )

    totals = tools.describe(ANA, SCOPE)

    assert (totals.entities, totals.observations, totals.relations) == (
        {EntityType.PERSON: 1, EntityType.PROJECT: 1},
        2,
        1,
    )
