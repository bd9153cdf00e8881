from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import (
    BadInputError,
    ErasureInProgressError,
    PermissionDeniedError,
    StoreUnavailableError,
    TooLargeError,
    WriteConflictError,
)
from palimpsest.domain.facts import Retention, Trust
from palimpsest.domain.observations import OBSERVATION_TYPE, ObservationSource
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import delete
from palimpsest.use_cases.remember_observation import Remembered, RememberRequest

from tests.builders import TENANT, build_act, build_admin, build_caller, build_fact, build_scope
from tests.entity_tools import build_tools
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.pseudonyms import FakePseudonyms

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")
PERSON = EntityType.PERSON
SECOND = timedelta(seconds=1)


@pytest.fixture
def ids():
    return FakeIds()


@pytest.fixture
def facts():
    return FakeFactRepository()


@pytest.fixture
def remember(facts, ids):
    def remember(observation="sings", caller=ANA, scope=SCOPE, **fields) -> Remembered:
        given = {"entity_name": "Jeff", "entity_type": PERSON, **fields}
        request = RememberRequest(observation=observation, **given)
        found: Remembered = build_tools(facts, ids).remember(caller, scope, request)
        ids.clock.advance(SECOND)
        return found

    return remember


def stored(facts, remembered):
    return facts.load(TENANT, remembered.fact_id).fact


def counts(facts, scope=SCOPE):
    totals = facts.entities.count(scope)
    return totals.count(frozenset()), totals.observations


class TestKeeping:
    def test_an_observation_is_a_fact_of_the_callers_scope(self, facts, remember, ids):
        until = ids.clock.now() + 60 * SECOND

        remembered = remember(
            "  prefers dark roast ", source=ObservationSource.NOTE, valid_until=until
        )

        revision = stored(facts, remembered).revision
        assert remembered == Remembered(
            entity=EntityName("Jeff", PERSON), fact_id=revision.fact_id, is_new=True
        )
        assert (revision.type, revision.scope, revision.trust) == (
            OBSERVATION_TYPE,
            SCOPE,
            Trust.ASSERTED,
        )
        assert revision.content == (
            '{"entity":"Jeff","entityType":"person","observation":"prefers dark roast","source":"note"}'
        )
        assert (revision.valid_until, counts(facts)) == (until, (1, 1))

    def test_what_an_agent_says_is_unverified(self, facts, remember):
        agent = build_caller("bot", kind=CallerKind.AGENT, writes=("apollo",))

        remembered = remember(caller=agent, scope=build_scope(projectId="apollo"))

        assert stored(facts, remembered).revision.trust is Trust.UNVERIFIED

    def test_without_a_type_it_is_that_of_the_entity_told_of_last(self, remember):
        remember(entity_name="Apollo", entity_type=EntityType.LOCATION)
        remember(entity_name="Apollo", entity_type=EntityType.PROJECT)

        remembered = remember("launches in May", entity_name="apollo", entity_type=None)

        assert remembered.entity == EntityName("apollo", EntityType.PROJECT)

    def test_without_a_type_and_an_entity_it_is_a_concept(self, remember):
        assert remember(entity_type=None).entity == EntityName("Jeff", EntityType.CONCEPT)

    @pytest.mark.parametrize(
        ("fields", "field", "words"),
        [
            ({"observation": "  "}, "observation", "observation must have 1 to 2000 characters."),
            ({"observation": "x" * 2001}, "observation", "observation must have 1 to 2000"),
            ({"entity_name": ""}, "entityName", "entityName must have 1 to 200 characters."),
            ({"entity_name": "x" * 201}, "entityName", "entityName must have 1 to 200 characters."),
        ],
    )
    def test_a_text_that_is_unfit_is_refused_and_nothing_is_kept(
        self, facts, remember, fields, field, words
    ):
        with pytest.raises(BadInputError, match=words) as refused:
            remember(**fields)

        assert (refused.value.field, counts(facts)) == (field, (0, 0))

    def test_the_longest_text_is_kept(self, remember):
        assert remember("x" * 2000).is_new

    def test_what_would_not_hold_any_more_is_refused(self, facts, remember, ids):
        with pytest.raises(BadInputError, match="validUntil must lie in the future"):
            remember(valid_until=ids.clock.now())

        assert counts(facts) == (0, 0)

    @pytest.mark.parametrize(
        "scope",
        [build_scope(userId="ben"), build_scope(projectId="apollo"), build_scope()],
    )
    def test_where_the_caller_may_not_write_nothing_is_kept(self, facts, remember, scope):
        with pytest.raises(PermissionDeniedError):
            remember(scope=scope)

        assert counts(facts, scope) == (0, 0)

    def test_nothing_is_kept_for_somebody_who_is_being_erased(self, facts, remember):
        scope = build_scope(projectId="apollo", participantId="p-9")
        person = Person(PersonKind.PARTICIPANT, "p-9")
        facts.open_erasures[TENANT] = (
            OpenErasure(erasure_id="e", pseudonyms=FakePseudonyms().all(TENANT, person)),
        )

        with pytest.raises(ErasureInProgressError):
            remember(caller=build_caller(writes=("apollo",)), scope=scope)

        assert counts(facts, scope) == (0, 0)

    def test_people_whom_the_scope_names_can_be_found_by_an_erasure(self, facts, remember):
        scope = build_scope(projectId="apollo", participantId="p-9")

        remembered = remember(caller=build_caller(writes=("apollo",)), scope=scope)

        assert len([p for p in facts.pointers if p[2] == remembered.fact_id]) == 1

    def test_a_lost_answer_keeps_it_once(self, facts, remember):
        facts.write_faults.drop_answers()

        assert remember().is_new
        assert counts(facts) == (1, 1)

    def test_a_lost_race_is_tried_again(self, facts, remember):
        facts.write_faults.fail_next(WriteConflictError("Another writer was there first."), times=4)

        assert remember().is_new

    def test_a_store_that_stays_busy_says_so(self, facts, remember):
        facts.write_faults.fail_next(StoreUnavailableError("The store is busy."), times=5)

        with pytest.raises(StoreUnavailableError):
            remember()

    def test_a_store_that_takes_no_more_says_so(self, facts, remember):
        facts.write_faults.fail_next(TooLargeError(1))

        with pytest.raises(TooLargeError):
            remember()


class TestRepeating:
    def test_the_very_same_changes_no_count_and_moves_the_entity_up(self, facts, remember):
        first = remember()
        remember(entity_name="Ana")
        before = counts(facts)

        again = remember(" sings\n")

        assert again == replace(first, is_new=False)
        assert counts(facts) == before
        assert [e.name for e in facts.entities.find(SCOPE, "Jeff")] == ["Jeff"]
        (jeff,), (ana,) = facts.entities.find(SCOPE, "Jeff"), facts.entities.find(SCOPE, "Ana")
        assert jeff.updated_at > ana.updated_at

    @pytest.mark.parametrize("spelling", ["JEFF", " jeff", "Jeff"])
    def test_another_spelling_of_the_name_is_no_other_entity(self, facts, remember, spelling):
        remember()

        assert not remember(entity_name=spelling).is_new
        assert counts(facts) == (1, 1)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Build 41 took 300 s", "Build 42 took 310 s"),
            ("works in the US", "works in the us"),
            ("likes tea", "likes  tea"),
        ],
    )
    def test_what_is_only_alike_is_another(self, facts, remember, one, other):
        remember(one)

        assert remember(other).is_new
        assert counts(facts) == (1, 2)

    def test_the_very_same_keeps_the_end_that_it_had(self, facts, remember, ids):
        until = ids.clock.now() + 60 * SECOND
        remember(valid_until=until)

        again = remember(valid_until=until + SECOND)

        assert not again.is_new
        assert stored(facts, again).revision.valid_until == until

    def test_two_forms_of_one_character_say_the_same(self, remember):
        remember("likes caf\u00e9")

        assert not remember("likes cafe\u0301").is_new

    def test_what_was_deleted_is_remembered_anew(self, facts, remember, ids):
        first = remember()
        fact = stored(facts, first)
        facts.close(fact, delete(fact, build_act(ids=ids)))

        again = remember()

        assert (again.is_new, again.fact_id != first.fact_id, counts(facts)) == (True, True, (1, 1))

    def test_what_does_not_hold_any_more_is_remembered_anew(self, facts, remember, ids):
        first = remember(valid_until=ids.clock.now() + 60 * SECOND)
        ids.clock.advance(60 * SECOND)

        again = remember()

        assert (again.is_new, again.fact_id != first.fact_id) == (True, True)
        assert not remember().is_new

    def test_what_is_being_erased_is_remembered_anew(self, facts, remember):
        first = remember()
        facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=first.fact_id),)

        assert remember().is_new

    def test_what_has_expired_is_remembered_anew(self, facts, remember, ids):
        expiring = build_fact(
            ids=ids,
            scope=SCOPE,
            type=OBSERVATION_TYPE,
            content={"entity": "Jeff", "entityType": "person", "observation": "sings"},
            retention=Retention(keep_until=ids.clock.now() + SECOND),
        )
        facts.add(expiring)
        ids.clock.advance(SECOND)

        assert remember().is_new

    def test_what_another_user_remembers_is_not_told(self, facts, remember):
        remember()

        theirs = remember(caller=build_caller("ben"), scope=build_scope(userId="ben"))

        assert theirs.is_new

    def test_an_admin_in_a_scope_of_the_tenant_is_told_what_stands_there(self, remember):
        remember(caller=build_admin(), scope=build_scope())

        assert not remember(caller=build_admin(), scope=build_scope()).is_new
