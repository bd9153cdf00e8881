from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.errors import BadInputError, PermissionDeniedError
from palimpsest.domain.relations import RELATION_TYPE, Relation
from palimpsest.domain.ties import Side
from palimpsest.use_cases.relate_entities import Related, RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

from tests.builders import TENANT, build_caller, build_scope
from tests.entity_tools import build_tools
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")
SECOND = timedelta(seconds=1)


@pytest.fixture
def ids():
    return FakeIds()


@pytest.fixture
def facts():
    return FakeFactRepository()


@pytest.fixture
def relate(facts, ids):
    def relate(source="Jeff", relation="Works at", target="Acme Corp", **fields) -> Related:
        where = {"caller": fields.pop("caller", ANA), "scope": fields.pop("scope", SCOPE)}
        request = RelateRequest(from_entity=source, relation=relation, to_entity=target, **fields)
        ids.clock.advance(SECOND)
        found: Related = build_tools(facts, ids).relate(where["caller"], where["scope"], request)
        return found

    return relate


def told(facts, ids, name, entity_type):
    ids.clock.advance(SECOND)
    request = RememberRequest(entity_name=name, observation="is here", entity_type=entity_type)
    build_tools(facts, ids).remember(ANA, SCOPE, request)


def listed(facts):
    totals = facts.entities.count(SCOPE)
    return dict(totals.entities), totals.relations


def test_a_relation_is_a_fact_of_the_callers_scope_in_its_one_form(facts, relate):
    related = relate(from_type=EntityType.PERSON, to_type=EntityType.ORGANIZATION)

    revision = facts.load(TENANT, related.fact_id).fact.revision
    assert related == Related(
        relation=Relation(
            source=EntityName("Jeff", EntityType.PERSON),
            name="works_at",
            target=EntityName("Acme Corp", EntityType.ORGANIZATION),
        ),
        fact_id=revision.fact_id,
        is_new=True,
    )
    assert (revision.type, revision.scope) == (RELATION_TYPE, SCOPE)
    assert listed(facts) == ({EntityType.PERSON: 1, EntityType.ORGANIZATION: 1}, 1)


def test_ends_that_nobody_told_of_are_concepts(facts, relate):
    relate()

    assert listed(facts) == ({EntityType.CONCEPT: 2}, 1)


def test_ends_without_a_type_are_the_entities_that_have_the_name(facts, ids, relate):
    told(facts, ids, "Jeff", EntityType.PERSON)
    told(facts, ids, "Acme Corp", EntityType.PROJECT)
    told(facts, ids, "ACME corp", EntityType.ORGANIZATION)

    related = relate()

    assert (related.relation.source.type, related.relation.target.type) == (
        EntityType.PERSON,
        EntityType.ORGANIZATION,
    )
    assert listed(facts)[0] == dict.fromkeys(("person", "project", "organization"), 1)


def test_a_repeat_is_the_same_relation_and_moves_both_ends_up(facts, ids, relate):
    first = relate()
    told(facts, ids, "Ana", EntityType.PERSON)

    again = relate(" JEFF", "WORKS  AT", "acme corp")

    assert (again.fact_id, again.is_new, listed(facts)[1]) == (first.fact_id, False, 1)
    (jeff,), (acme,), (ana,) = (facts.entities.find(SCOPE, n) for n in ("Jeff", "Acme Corp", "Ana"))
    assert jeff.updated_at == acme.updated_at > ana.updated_at


def test_the_way_back_is_another_relation(facts, relate):
    relate()

    assert relate("Acme Corp", "Works at", "Jeff").is_new
    (jeff,) = facts.entities.find(SCOPE, "Jeff")
    for side in (Side.OUT, Side.IN):
        assert len(facts.entities.list_ties(SCOPE, jeff.key, side, limit=9)) == 1


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"source": " "}, "fromEntity", "fromEntity must have 1 to 200 characters."),
        ({"target": "x" * 201}, "toEntity", "toEntity must have 1 to 200 characters."),
        ({"relation": ""}, "relation", "relation must have 1 to 100 characters."),
        ({"relation": "x" * 101}, "relation", "relation must have 1 to 100 characters."),
        ({"target": " jeff "}, "toEntity", "toEntity must be another entity"),
        (
            {"target": "JEFF", "from_type": EntityType.FACT, "to_type": EntityType.FACT},
            "toEntity",
            "toEntity must be another entity",
        ),
    ],
)
def test_what_is_unfit_names_its_field_and_keeps_nothing(facts, relate, fields, field, words):
    with pytest.raises(BadInputError, match=words) as refused:
        relate(**fields)

    assert (refused.value.field, listed(facts)) == (field, ({}, 0))


def test_an_entity_is_related_to_itself_also_where_only_the_directory_knows_its_type(
    facts, ids, relate
):
    told(facts, ids, "Jeff", EntityType.PERSON)

    with pytest.raises(BadInputError, match="toEntity must be another entity"):
        relate("Jeff", "knows", "JEFF", to_type=EntityType.PERSON)


def test_two_entities_of_one_name_may_be_related(relate):
    related = relate(target="Jeff", from_type=EntityType.PERSON, to_type=EntityType.PROJECT)

    assert related.is_new


def test_where_the_caller_may_not_write_nothing_is_kept(facts, relate):
    with pytest.raises(PermissionDeniedError):
        relate(scope=build_scope(projectId="apollo"))

    assert listed(facts) == ({}, 0)


def test_a_lost_answer_keeps_it_once(facts, relate):
    facts.write_faults.drop_answers()

    related = relate()

    assert (related.is_new, listed(facts)[1]) == (True, 1)
    assert relate() == replace(related, is_new=False)
