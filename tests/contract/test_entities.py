"""What every directory of entities promises, whoever keeps it: it follows the facts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from palimpsest.domain.entities import Entity, EntityKey, EntityName, EntityType, Totals, Window
from palimpsest.domain.errors import DuplicateFactError
from palimpsest.domain.facts import Fact, Review
from palimpsest.domain.observations import OBSERVATION_TYPE, Observation
from palimpsest.domain.observations import content_of as observation_content
from palimpsest.domain.relations import RELATION_TYPE, Relation
from palimpsest.domain.relations import content_of as relation_content
from palimpsest.domain.revisions import delete, verify
from palimpsest.domain.ties import Side
from palimpsest.ports.entities import EntityDirectory
from palimpsest.use_cases.attempts import with_attempts

from tests.builders import OTHER_TENANT, build_act, build_fact, build_scope, build_step
from tests.contract.stores import SERIES, Store
from tests.fakes.clock import FakeClock
from tests.fakes.entities import FakeEntityDirectory
from tests.fakes.ids import FakeIds
from tests.fakes.pauses import FakePauses
from tests.racing import all_at_once

SECOND = timedelta(seconds=1)
SCOPE = build_scope(userId="ana")
ALL: frozenset[EntityType] = frozenset()
WHOLE = Window(limit=100)

JEFF = EntityName("Jeff", EntityType.PERSON)
ACME = EntityName("Acme Corp", EntityType.ORGANIZATION)
APOLLO = EntityName("Apollo", EntityType.PROJECT)


def observed(ids: FakeIds, text="sings", entity=JEFF, **fields) -> Fact:
    """Return a new observation, a second after the one before."""
    ids.clock.advance(SECOND)
    content = observation_content(Observation(entity=entity, text=text))
    return build_fact(
        ids=ids, content=content, **{"type": OBSERVATION_TYPE, "scope": SCOPE, **fields}
    )


def related(ids: FakeIds, source=JEFF, name="works_at", target=ACME, **fields) -> Fact:
    """Return a new relation, likewise."""
    ids.clock.advance(SECOND)
    content = relation_content(Relation(source=source, name=name, target=target))
    return build_fact(ids=ids, content=content, **{"type": RELATION_TYPE, "scope": SCOPE, **fields})


def added(store: Store, *facts: Fact) -> list[str]:
    for fact in facts:
        store.facts.add(fact)
    return [fact.id for fact in facts]


def ended(fact: Fact, ids: FakeIds) -> Fact:
    return delete(fact, build_act(ids=ids, now=ids.clock.advance(SECOND)))


def deleted(store: Store, fact: Fact, ids: FakeIds) -> None:
    store.facts.close(fact, ended(fact, ids))


def superseded(store: Store, fact: Fact, ids: FakeIds, content) -> Fact:
    step = build_step(fact, ids=ids, content=content, now=ids.clock.advance(SECOND))
    store.facts.replace(fact, step.closed, step.fact)
    return step.fact


def verified(store: Store, fact: Fact, ids: FakeIds) -> Fact:
    step = verify(fact, build_act(ids=ids, now=ids.clock.advance(SECOND)))
    store.facts.replace(fact, step.closed, step.fact)
    return step.fact


def names(entities: list[Entity]) -> list[str]:
    return [entity.name for entity in entities]


def listed(store: Store, types=ALL, window=WHOLE, scope=SCOPE) -> list[str]:
    return names(store.entities.list_page(scope, types, window).entities)


def totals(store: Store, scope=SCOPE) -> tuple[int, int, int]:
    found = store.entities.count(scope)
    return found.count(ALL), found.observations, found.relations


_entities = st.sampled_from([JEFF, ACME, APOLLO])


class TestComingAndGoing:
    def test_where_nothing_was_written_there_is_nothing(self, store):
        page = store.entities.list_page(SCOPE, ALL, WHOLE)

        assert store.entities.find(SCOPE, "Jeff") == []
        assert (page.entities, page.total) == ([], 0)
        assert store.entities.count(SCOPE) == Totals(entities={}, observations=0, relations=0)
        assert store.entities.list_ties(SCOPE, JEFF.key, Side.OBSERVATION, limit=10) == []

    def test_an_entity_appears_with_its_first_observation(self, store, ids):
        fact = observed(ids)

        added(store, fact)

        assert store.entities.find(SCOPE, "Jeff") == [
            Entity(
                id=store.entity_ids.id_of(SCOPE, JEFF.key),
                name="Jeff",
                type=EntityType.PERSON,
                updated_at=fact.revision.created_at,
                observations=1,
                relations=0,
            )
        ]
        assert totals(store) == (1, 1, 0)

    def test_further_observations_hang_on_it(self, store, ids):
        added(store, *(observed(ids, f"sings song {number}") for number in range(3)))

        (jeff,) = store.entities.find(SCOPE, "Jeff")

        assert (jeff.observations, jeff.relations) == (3, 0)
        assert totals(store) == (1, 3, 0)

    def test_both_ends_appear_with_a_relation(self, store, ids):
        added(store, related(ids))

        found = store.entities.find(SCOPE, "Jeff") + store.entities.find(SCOPE, "acme corp")

        assert [(e.name, e.type, e.observations, e.relations) for e in found] == [
            ("Jeff", EntityType.PERSON, 0, 1),
            ("Acme Corp", EntityType.ORGANIZATION, 0, 1),
        ]
        assert totals(store) == (2, 0, 1)

    def test_a_relation_to_itself_hangs_twice_and_is_one(self, store, ids):
        fact = related(ids, target=JEFF)
        added(store, fact)

        (jeff,) = store.entities.find(SCOPE, "Jeff")
        assert (jeff.observations, jeff.relations, totals(store)) == (0, 2, (1, 0, 1))

        deleted(store, fact, ids)
        assert (store.entities.find(SCOPE, "Jeff"), totals(store)) == ([], (0, 0, 0))

    def test_five_written_and_two_deleted_are_three(self, store, ids):
        facts = [observed(ids, f"sings song {number}") for number in range(5)]
        added(store, *facts)

        for fact in facts[1:3]:
            deleted(store, fact, ids)

        (jeff,) = store.entities.find(SCOPE, "Jeff")
        assert (jeff.observations, totals(store)) == (3, (1, 3, 0))
        assert store.entities.list_ties(SCOPE, JEFF.key, Side.OBSERVATION, limit=10) == [
            facts[4].id,
            facts[3].id,
            facts[0].id,
        ]

    def test_an_entity_goes_with_its_last_fact_and_comes_again_with_the_next(self, store, ids):
        fact = observed(ids)
        added(store, fact)
        (first,) = store.entities.find(SCOPE, "Jeff")

        deleted(store, fact, ids)
        assert store.entities.find(SCOPE, "Jeff") == []
        assert (listed(store), store.entities.count(SCOPE).entities) == ([], {})

        added(store, observed(ids))
        (again,) = store.entities.find(SCOPE, "Jeff")
        assert (again.id, totals(store)) == (first.id, (1, 1, 0))

    def test_an_end_that_has_an_observation_stays_when_the_relation_goes(self, store, ids):
        relation = related(ids)
        added(store, observed(ids), relation)

        deleted(store, relation, ids)

        assert listed(store) == ["Jeff"]
        assert totals(store) == (1, 1, 0)

    def test_facts_of_other_types_and_contents_name_nothing(self, store, ids):
        added(
            store,
            build_fact(ids=ids, scope=SCOPE, content={"entity": "Jeff", "observation": "sings"}),
            build_fact(ids=ids, scope=SCOPE, type=OBSERVATION_TYPE, content="Jeff sings"),
        )

        assert totals(store) == (0, 0, 0)

    def test_what_waits_for_its_review_counts_once_it_is_approved(self, store, ids):
        fact = observed(ids)
        waiting = replace(fact, revision=replace(fact.revision, review=Review.PENDING))
        added(store, waiting)
        assert totals(store) == (0, 0, 0)

        verified(store, waiting, ids)
        assert totals(store) == (1, 1, 0)

    def test_writing_and_deleting_again_counts_once(self, store, ids):
        fact = observed(ids)
        added(store, fact, fact)
        assert totals(store) == (1, 1, 0)

        closed = ended(fact, ids)
        added(store, observed(ids, "whistles"))
        store.facts.close(fact, closed)
        store.facts.close(fact, closed)
        assert totals(store) == (1, 1, 0)


class TestChanging:
    def test_a_supersede_counts_nothing_and_moves_up(self, store, ids):
        fact = observed(ids)
        added(store, fact, observed(ids, entity=ACME))

        superseded(store, fact, ids, observation_content(Observation(entity=JEFF, text="whistles")))

        assert (listed(store), totals(store)) == (["Jeff", "Acme Corp"], (2, 2, 0))

    def test_a_supersede_about_another_entity_moves_the_fact(self, store, ids):
        fact = observed(ids)
        added(store, fact)

        superseded(store, fact, ids, observation_content(Observation(entity=ACME, text="sings")))

        assert store.entities.find(SCOPE, "Jeff") == []
        assert store.entities.list_ties(SCOPE, ACME.key, Side.OBSERVATION, limit=9) == [fact.id]
        assert totals(store) == (1, 1, 0)

    def test_a_supersede_that_names_nothing_any_more_takes_the_entity_away(self, store, ids):
        fact = observed(ids)
        added(store, fact)

        superseded(store, fact, ids, "sings")

        assert totals(store) == (0, 0, 0)

    def test_a_verify_moves_up_and_a_delete_moves_nothing(self, store, ids):
        fact, other = observed(ids), observed(ids, "hums")
        added(store, fact, other, observed(ids, entity=ACME))
        assert listed(store) == ["Acme Corp", "Jeff"]

        deleted(store, other, ids)
        assert listed(store) == ["Acme Corp", "Jeff"]

        verified(store, fact, ids)
        assert listed(store) == ["Jeff", "Acme Corp"]

    def test_an_entity_keeps_the_name_that_it_got_first(self, store, ids):
        added(store, observed(ids), observed(ids, "hums", EntityName(" JEFF", EntityType.PERSON)))

        assert [(e.name, e.observations) for e in store.entities.find(SCOPE, "jeff")] == [
            ("Jeff", 2)
        ]

    def test_another_key_of_the_ledger_makes_no_second_entity(self, store, ids):
        added(store, observed(ids))
        (before,) = store.entities.find(SCOPE, "Jeff")
        store.entity_ids.secret = "a newer one"

        added(store, observed(ids, "hums"))

        (after,) = store.entities.find(SCOPE, "Jeff")
        assert (after.id, after.observations) == (before.id, 2)
        assert store.entity_ids.id_of(SCOPE, JEFF.key) != before.id


class TestTwins:
    def test_the_very_same_is_refused_where_it_stands_once(self, store, ids):
        first = observed(ids)
        added(store, first)

        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([observed(ids)])

        assert (refused.value.fact_id, totals(store)) == (first.id, (1, 1, 0))

    def test_a_relation_stands_once_too(self, store, ids):
        first = related(ids)
        store.facts.add_all([first])

        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([related(ids)])

        assert (refused.value.fact_id, totals(store)) == (first.id, (2, 0, 1))

    @pytest.mark.parametrize(
        "other",
        [
            lambda ids: observed(ids, "Sings"),
            lambda ids: observed(ids, entity=ACME),
            lambda ids: observed(ids, entity=EntityName("Jeff", EntityType.PROJECT)),
            lambda ids: observed(ids, scope=build_scope(userId="ben")),
            lambda ids: observed(ids, scope=build_scope(OTHER_TENANT, userId="ana")),
            lambda ids: related(ids, name="left"),
            lambda ids: related(ids, source=ACME, target=JEFF),
            lambda ids: related(ids, target=APOLLO),
        ],
    )
    def test_what_is_not_the_very_same_is_another(self, store, ids, other):
        store.facts.add_all([observed(ids)])
        store.facts.add_all([related(ids)])

        store.facts.add_all([other(ids)])

    def test_what_ended_makes_room(self, store, ids):
        first = observed(ids)
        store.facts.add_all([first])
        deleted(store, first, ids)

        store.facts.add_all([observed(ids)])

        assert totals(store) == (1, 1, 0)

    def test_what_is_known_to_have_ended_makes_room(self, store, ids):
        first, second = observed(ids), observed(ids)
        store.facts.add_all([first])

        store.facts.add_all([second], stale=frozenset({first.id}))

        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([observed(ids)], stale=frozenset({first.id}))
        assert refused.value.fact_id == second.id

    def test_what_is_closed_in_the_same_transaction_makes_room(self, store, ids):
        first, second = observed(ids), observed(ids)
        store.facts.add_all([first])

        store.facts.add_all([second], [(first, ended(first, ids))])

        assert totals(store) == (1, 1, 0)
        assert store.entities.list_ties(SCOPE, JEFF.key, Side.OBSERVATION, limit=9) == [second.id]
        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([observed(ids)])
        assert refused.value.fact_id == second.id

    def test_two_that_are_alike_are_not_added_together(self, store, ids):
        first, second = observed(ids), observed(ids)

        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([first, second])

        assert (refused.value.fact_id, totals(store)) == (first.id, (0, 0, 0))

    def test_what_was_superseded_by_something_else_makes_room(self, store, ids):
        first = observed(ids)
        store.facts.add_all([first])
        content = observation_content(Observation(entity=JEFF, text="hums"))
        superseded(store, first, ids, content)

        store.facts.add_all([observed(ids)])

        with pytest.raises(DuplicateFactError):
            store.facts.add_all([observed(ids, "hums")])
        assert totals(store) == (1, 2, 0)

    def test_the_facts_door_writes_it_twice_and_it_counts_twice(self, store, ids):
        first, second = observed(ids), observed(ids)

        added(store, first, second)
        assert totals(store) == (1, 2, 0)

        deleted(store, first, ids)
        assert totals(store) == (1, 1, 0)
        with pytest.raises(DuplicateFactError) as refused:
            store.facts.add_all([observed(ids)])
        assert refused.value.fact_id == second.id


class TestFinding:
    def test_one_name_is_found_in_every_type_latest_update_first(self, store, ids):
        types = [EntityType.PROJECT, EntityType.PERSON, EntityType.LOCATION]
        added(store, *(observed(ids, entity=EntityName("Apollo", kind)) for kind in types))

        found = store.entities.find(SCOPE, "  APOLLO ")

        assert [entity.type for entity in found] == types[::-1]

    @pytest.mark.parametrize("name", ["", "#", "Jef", "Jeff#", "\x00", "%", "x" * 5000, "\ud800"])
    def test_any_text_that_names_nothing_finds_nothing(self, store, ids, name):
        added(store, observed(ids))

        assert store.entities.find(SCOPE, name) == []

    @pytest.mark.parametrize(
        "name", ["#", "a#E#person", "../..", "%23", "💥" * 200, "Łódź ✨", "jeff\n", "x" * 200]
    )
    def test_any_name_is_found_again(self, store, ids, name):
        entity = EntityName(name.strip(), EntityType.CONCEPT)
        added(store, observed(ids, entity=entity))

        assert names(store.entities.find(SCOPE, name)) == [name.strip()]
        assert listed(store) == [name.strip()]

    @pytest.mark.parametrize(
        "other",
        [
            build_scope(userId="ben"),
            build_scope(userId="ana", projectId="p"),
            build_scope(projectId="ana"),
            build_scope(),
            build_scope(OTHER_TENANT, userId="ana"),
        ],
    )
    def test_another_scope_has_entities_of_its_own(self, store, ids, other):
        added(store, observed(ids), related(ids))

        assert store.entities.find(other, "Jeff") == []
        assert (listed(store, scope=other), totals(store, other)) == ([], (0, 0, 0))
        assert store.entities.list_ties(other, JEFF.key, Side.OUT, limit=9) == []


class TestLists:
    @pytest.fixture
    def seven(self, store, ids):
        """Two people, two projects and three places, told of in this order."""
        kinds = [EntityType.PERSON, EntityType.PROJECT, EntityType.LOCATION]
        entities = [EntityName(f"e{n}", kinds[n % 3]) for n in range(6)]
        entities.append(EntityName("e6", EntityType.LOCATION))
        added(store, *(observed(ids, entity=entity) for entity in entities))
        return store

    @pytest.mark.parametrize(
        ("types", "expected"),
        [
            (set(), ["e6", "e5", "e4", "e3", "e2", "e1", "e0"]),
            ({EntityType.PERSON}, ["e3", "e0"]),
            ({EntityType.PERSON, EntityType.LOCATION}, ["e6", "e5", "e3", "e2", "e0"]),
            ({EntityType.FACT}, []),
            ({EntityType.FACT, EntityType.PROJECT}, ["e4", "e1"]),
            (set(EntityType), ["e6", "e5", "e4", "e3", "e2", "e1", "e0"]),
        ],
    )
    def test_types_are_a_union_and_none_is_all(self, seven, types, expected):
        page = seven.entities.list_page(SCOPE, frozenset(types), WHOLE)

        assert (names(page.entities), page.total) == (expected, len(expected))

    @pytest.mark.parametrize("types", [ALL, frozenset(EntityType) - {EntityType.PROJECT}])
    @pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
    def test_parts_make_the_whole_each_entity_once(self, seven, types, limit):
        whole = listed(seven, types)

        parts = [
            seven.entities.list_page(SCOPE, types, Window(limit=limit, offset=offset))
            for offset in range(0, 9, limit)
        ]

        assert [name for part in parts for name in names(part.entities)] == whole
        assert {part.total for part in parts} == {len(whole)}

    def test_behind_the_end_there_is_nothing(self, seven):
        page = seven.entities.list_page(SCOPE, ALL, Window(limit=3, offset=10**9))

        assert (page.entities, page.total) == ([], 7)

    def test_entities_of_one_instant_are_listed_by_id(self, store, ids):
        facts = [observed(ids, entity=EntityName(f"e{n}", EntityType.PERSON)) for n in range(9)]
        instant = facts[0].revision.created_at
        for fact in facts:
            store.facts.add(replace(fact, revision=replace(fact.revision, created_at=instant)))

        page = store.entities.list_page(SCOPE, ALL, Window(limit=5))
        rest = store.entities.list_page(SCOPE, ALL, Window(limit=5, offset=5))

        found = [entity.id for entity in (*page.entities, *rest.entities)]
        assert (found, len(found)) == (sorted(found), 9)


class TestTies:
    def test_ties_are_read_newest_first_and_part_by_part(self, store, ids):
        facts = added(store, *(observed(ids, f"sings song {n}") for n in range(7)))[::-1]

        first = store.entities.list_ties(SCOPE, JEFF.key, Side.OBSERVATION, limit=3)
        second = store.entities.list_ties(
            SCOPE, JEFF.key, Side.OBSERVATION, limit=3, before=first[-1]
        )
        third = store.entities.list_ties(
            SCOPE, JEFF.key, Side.OBSERVATION, limit=3, before=second[-1]
        )

        assert (first, second, third) == (facts[:3], facts[3:6], facts[6:])

    def test_each_side_has_its_own(self, store, ids):
        out, back = related(ids), related(ids, source=ACME, name="employs", target=JEFF)
        told = observed(ids)
        added(store, out, back, told)

        found = {side: store.entities.list_ties(SCOPE, JEFF.key, side, limit=9) for side in Side}

        assert found == {Side.OBSERVATION: [told.id], Side.OUT: [out.id], Side.IN: [back.id]}


class TestTouching:
    def test_a_touched_entity_moves_to_the_top_and_nothing_else_changes(self, store, ids):
        added(store, observed(ids), observed(ids, entity=ACME))
        (before,) = store.entities.find(SCOPE, "Jeff")
        later = ids.clock.advance(SECOND)

        store.entities.touch(SCOPE, [JEFF.key], later)

        (after,) = store.entities.find(SCOPE, "Jeff")
        assert after == replace(before, updated_at=later)
        assert (listed(store), totals(store)) == (["Jeff", "Acme Corp"], (2, 2, 0))

    def test_an_entity_never_moves_down(self, store, ids):
        added(store, observed(ids), observed(ids, entity=ACME))
        before = store.entities.find(SCOPE, "Jeff")

        store.entities.touch(SCOPE, [JEFF.key], before[0].updated_at - SECOND)
        store.entities.touch(SCOPE, [JEFF.key], before[0].updated_at)

        assert store.entities.find(SCOPE, "Jeff") == before

    def test_what_does_not_stand_is_not_made(self, store, ids):
        store.entities.touch(SCOPE, [JEFF.key, ACME.key], ids.clock.now())

        assert (listed(store), totals(store)) == ([], (0, 0, 0))


# Not over moto: see ``tests/contract/test_facts.py``.
@pytest.mark.parametrize("stores", ["fake", "dynoxide"], indirect=True)
class TestRaces:
    @pytest.mark.parametrize("writers", [4, 20])
    def test_writers_at_once_make_one_entity_and_every_count(self, store, ids, writers):
        facts = [observed(ids, f"sings song {number}") for number in range(writers)]

        all_at_once(lambda fact: persistently(lambda: store.facts.add(fact)), facts)

        (jeff,) = store.entities.find(SCOPE, "Jeff")
        assert (jeff.observations, totals(store)) == (writers, (1, writers, 0))
        assert len(listed(store)) == 1

    @pytest.mark.parametrize("writers", [4, 20])
    def test_who_says_the_same_at_once_says_it_once(self, store, ids, writers):
        facts = [observed(ids) for _ in range(writers)]

        def say(fact: Fact) -> bool:
            try:
                persistently(lambda: store.facts.add_all([fact]))
            except DuplicateFactError:
                return False
            return True

        said = all_at_once(say, facts)

        assert (sum(said), totals(store)) == (1, (1, 1, 0))

    def test_deleters_and_writers_at_once_leave_what_stands(self, store, ids):
        old = [observed(ids, f"sings song {number}") for number in range(10)]
        added(store, *old)
        new = [related(ids, name=f"knows_{number}") for number in range(10)]
        ends = [partial(store.facts.close, fact, ended(fact, ids)) for fact in old]
        adds = [partial(store.facts.add, fact) for fact in new]

        all_at_once(persistently, [*ends, *adds])

        (jeff,) = store.entities.find(SCOPE, "Jeff")
        assert (jeff.observations, jeff.relations, totals(store)) == (0, 10, (2, 0, 10))

    def test_the_last_facts_that_go_at_once_take_the_entity_along_once(self, store, ids):
        facts = [observed(ids, f"sings song {number}") for number in range(8)]
        added(store, *facts)
        ends = [partial(store.facts.close, fact, ended(fact, ids)) for fact in facts]

        all_at_once(persistently, ends)

        assert (listed(store), totals(store)) == ([], (0, 0, 0))


def persistently(write: Callable[[], None]) -> None:
    """Write as a use case does: again, while others are in the way."""
    with_attempts(write, FakePauses())


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_is_written_the_counts_are_those_of_the_facts(stores, data):
    store, ids = stores(), FakeIds(FakeClock(), series=next(SERIES))
    standing: list[Fact] = []
    for _ in range(data.draw(st.integers(1, 10))):
        verb = data.draw(st.sampled_from(["observe", "relate", "delete", "supersede"]))
        if verb == "observe" or (not standing and verb != "relate"):
            text, entity = data.draw(st.sampled_from("ab")), data.draw(_entities)
            standing.append(observed(ids, text, entity))
            store.facts.add(standing[-1])
        elif verb == "relate":
            standing.append(related(ids, data.draw(_entities), "r", data.draw(_entities)))
            store.facts.add(standing[-1])
        else:
            fact = standing.pop(data.draw(st.integers(0, len(standing) - 1)))
            if verb == "delete":
                deleted(store, fact, ids)
            else:
                said = Observation(entity=data.draw(_entities), text="a")
                standing.append(superseded(store, fact, ids, observation_content(said)))

    fresh = FakeEntityDirectory()
    for fact in standing:
        fresh.follow(None, fact)
    assert store.entities.count(SCOPE) == fresh.count(SCOPE)
    for entity in fresh.list_page(SCOPE, ALL, WHOLE).entities:
        found = [e for e in store.entities.find(SCOPE, entity.name) if e.type is entity.type]
        assert [(e.observations, e.relations) for e in found] == [
            (entity.observations, entity.relations)
        ]
        assert ties(store.entities, entity.key) == ties(fresh, entity.key)


def ties(directory: EntityDirectory, key: EntityKey) -> dict[Side, list[str]]:
    return {side: directory.list_ties(SCOPE, key, side, limit=100) for side in Side}
