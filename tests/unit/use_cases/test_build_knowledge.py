import pytest
from palimpsest.domain.entities import EntityType
from palimpsest.domain.errors import BadInputError, PermissionDeniedError, StoreUnavailableError
from palimpsest.use_cases.build_knowledge import Built, KnowledgeRequest, Part
from palimpsest.use_cases.relate_entities import RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

from tests.builders import build_caller, build_scope
from tests.entity_tools import build_tools
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")


def fact(text="sings", name="Jeff", kind=EntityType.PERSON):
    return RememberRequest(entity_name=name, entity_type=kind, observation=text)


def relation(source="Jeff", name="knows", target="Ana"):
    return RelateRequest(from_entity=source, relation=name, to_entity=target)


@pytest.fixture
def facts():
    return FakeFactRepository()


@pytest.fixture
def build(facts):
    ids = FakeIds()

    def build(facts_to_keep=(), relations=(), scope=SCOPE) -> Built:
        request = KnowledgeRequest(facts=tuple(facts_to_keep), relations=tuple(relations))
        built: Built = build_tools(facts, ids).build(ANA, scope, request)
        return built

    return build


def totals(facts):
    found = facts.entities.count(SCOPE)
    return found.count(frozenset()), found.observations, found.relations


def failures(built):
    return [(failure.part, failure.index, str(failure.error)) for failure in built.failures]


def test_facts_and_relations_are_kept_and_told_apart_from_what_was_known(facts, build):
    build([fact("sings")])

    built = build([fact("sings"), fact("hums"), fact("dances", "Ana")], [relation()])

    assert [remembered.is_new for remembered in built.remembered] == [False, True, True]
    assert [related.is_new for related in built.related] == [True]
    assert (built.failures, totals(facts)) == ([], (2, 3, 1))


def test_relations_know_the_types_that_the_facts_have_named(build):
    built = build([fact(name="Jeff"), fact(name="Ana")], [relation()])

    (related,) = built.related
    assert (related.relation.source.type, related.relation.target.type) == ("person", "person")


def test_what_fails_is_listed_with_its_place_and_the_others_stand(facts, build):
    built = build(
        [fact(), fact(" "), fact(name="x" * 201), fact("hums")],
        [relation(), relation(target="jeff")],
    )

    assert failures(built) == [
        (Part.FACTS, 1, "observation must have 1 to 2000 characters."),
        (Part.FACTS, 2, "entityName must have 1 to 200 characters."),
        (Part.RELATIONS, 1, "toEntity must be another entity: none relates to itself."),
    ]
    assert (len(built.remembered), len(built.related), totals(facts)) == (2, 1, (2, 2, 1))


def test_a_store_that_fails_for_a_while_fails_some(facts, build):
    facts.write_faults.fail_next(StoreUnavailableError("The store is busy."), times=5)

    built = build([fact("sings"), fact("hums")])

    assert failures(built) == [(Part.FACTS, 0, "The store is busy.")]
    assert totals(facts) == (1, 1, 0)


def test_asking_again_changes_nothing(facts, build):
    wanted = ([fact("sings"), fact("hums")], [relation()])
    build(*wanted)
    before = totals(facts)

    again = build(*wanted)

    assert not any(kept.is_new for kept in (*again.remembered, *again.related))
    assert totals(facts) == before


def test_the_very_same_twice_in_a_request_is_kept_once(facts, build):
    built = build([fact(), fact()], [relation(), relation()])

    assert [kept.is_new for kept in (*built.remembered, *built.related)] == [True, False] * 2
    assert totals(facts) == (2, 1, 1)


def test_who_may_not_write_there_is_told_so_at_once(facts, build):
    with pytest.raises(PermissionDeniedError):
        build([fact()], scope=build_scope(projectId="apollo"))


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({}, "facts", "facts or relations must have at least one item."),
        ({"facts": (fact(),) * 51}, "facts", "facts takes at most 50 items."),
        ({"relations": (relation(),) * 51}, "relations", "relations takes at most 50 items."),
    ],
)
def test_nothing_and_too_much_are_refused(fields, field, words):
    with pytest.raises(BadInputError, match=words) as refused:
        KnowledgeRequest(**fields)

    assert refused.value.field == field


def test_as_much_as_may_be_is_taken():
    KnowledgeRequest(facts=(fact(),) * 50, relations=(relation(),) * 50)
