from dataclasses import replace

import pytest
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.facts import Review
from palimpsest.domain.observations import OBSERVATION_TYPE, Observation, content_of
from palimpsest.domain.relations import RELATION_TYPE, Relation
from palimpsest.domain.relations import content_of as relation_content
from palimpsest.domain.revisions import delete, verify
from palimpsest.domain.ties import (
    EntityChange,
    Side,
    Tie,
    changes_between,
    entities_of,
    observation_mark,
    relation_mark,
    ties_of,
)

from tests.builders import build_act, build_fact, build_step
from tests.fakes.ids import FakeIds

JEFF = EntityName("Jeff", EntityType.PERSON)
ACME = EntityName("Acme Corp", EntityType.ORGANIZATION)


@pytest.fixture
def ids():
    return FakeIds()


def observed(ids, text="sings", entity=JEFF):
    content = content_of(Observation(entity=entity, text=text))
    return build_fact(ids=ids, type=OBSERVATION_TYPE, content=content)


def related(ids, source=JEFF, target=ACME, name="works_at"):
    content = relation_content(Relation(source=source, name=name, target=target))
    return build_fact(ids=ids, type=RELATION_TYPE, content=content)


def told(entity, *sides, added=True, is_told=True):
    """Return a change as far as a test looks at it: entity, sides, and whether it moves up."""
    return (entity.key, sides if added else (), () if added else sides, is_told)


def outlines(changes: tuple[EntityChange, ...]):
    return [
        (
            change.entity.key,
            tuple(tie.side for tie in change.added),
            tuple(tie.side for tie in change.removed),
            change.is_told,
        )
        for change in changes
    ]


def test_an_observation_hangs_on_its_entity(ids):
    assert ties_of(observed(ids).revision) == (
        Tie(entity=JEFF, side=Side.OBSERVATION, mark=observation_mark("sings")),
    )


def test_a_relation_hangs_on_both_ends_and_is_marked_on_the_near_one(ids):
    assert ties_of(related(ids).revision) == (
        Tie(entity=JEFF, side=Side.OUT, mark=relation_mark("works_at", ACME.key)),
        Tie(entity=ACME, side=Side.IN),
    )


def test_a_revision_names_its_entities_also_once_it_is_closed(ids):
    fact = related(ids)
    closed = delete(fact, build_act(ids=ids))

    assert entities_of(closed.revision) == (JEFF, ACME)
    assert entities_of(related(ids, target=JEFF).revision) == (JEFF,)


def test_other_facts_hang_on_nothing(ids):
    assert ties_of(build_fact(ids=ids, content={"entity": "Jeff"}).revision) == ()
    assert ties_of(build_fact(ids=ids, type=OBSERVATION_TYPE, content="Jeff").revision) == ()
    assert ties_of(None) == ()


def test_what_is_closed_or_waits_for_its_review_hangs_on_nothing(ids):
    fact = observed(ids)
    closed = delete(fact, build_act(ids=ids))

    assert ties_of(closed.revision) == ()
    assert ties_of(replace(fact.revision, review=Review.PENDING)) == ()


def test_a_first_write_adds_and_tells(ids):
    changes = changes_between(None, related(ids))

    assert outlines(changes) == [told(ACME, Side.IN), told(JEFF, Side.OUT)]
    assert [change.growth for change in changes] == [1, 1]


def test_a_delete_removes_and_moves_nothing_up(ids):
    fact = observed(ids)

    changes = changes_between(fact, delete(fact, build_act(ids=ids)))

    assert outlines(changes) == [told(JEFF, Side.OBSERVATION, added=False, is_told=False)]
    assert (changes[0].growth, changes[0].growth_of(Side.OBSERVATION)) == (-1, -1)


def test_a_fact_that_is_taken_away_removes_all_that_hangs_on_it(ids):
    assert outlines(changes_between(related(ids), None)) == [
        told(ACME, Side.IN, added=False, is_told=False),
        told(JEFF, Side.OUT, added=False, is_told=False),
    ]


def test_a_verify_only_moves_up(ids):
    fact = observed(ids)
    step = verify(fact, build_act(ids=ids))

    assert changes_between(fact, step.fact) == (EntityChange(entity=JEFF, is_told=True),)


def test_an_approval_adds_what_was_waiting(ids):
    fact = observed(ids)
    waiting = replace(fact, revision=replace(fact.revision, review=Review.PENDING))
    step = verify(waiting, build_act(ids=ids))

    assert outlines(changes_between(None, waiting)) == []
    assert outlines(changes_between(waiting, step.fact)) == [told(JEFF, Side.OBSERVATION)]


def test_a_supersede_that_says_something_else_exchanges_the_mark_and_counts_nothing(ids):
    fact = observed(ids, "sings")
    content = content_of(Observation(entity=JEFF, text="whistles"))

    (change,) = changes_between(fact, build_step(fact, ids=ids, content=content).fact)

    assert (change.growth, change.is_told) == (0, True)
    assert [tie.mark for tie in change.removed] == [observation_mark("sings")]
    assert [tie.mark for tie in change.added] == [observation_mark("whistles")]


def test_a_supersede_about_another_entity_moves_the_fact(ids):
    fact = observed(ids)
    content = content_of(Observation(entity=ACME, text="sings"))

    changes = changes_between(fact, build_step(fact, ids=ids, content=content).fact)

    assert outlines(changes) == [
        told(ACME, Side.OBSERVATION),
        told(JEFF, Side.OBSERVATION, added=False, is_told=False),
    ]


def test_a_supersede_that_says_nothing_of_an_entity_any_more_removes(ids):
    fact = observed(ids)

    changes = changes_between(fact, build_step(fact, ids=ids, content="sings").fact)

    assert outlines(changes) == [told(JEFF, Side.OBSERVATION, added=False, is_told=False)]


def test_another_spelling_of_the_same_name_changes_no_tie(ids):
    fact = observed(ids)
    content = content_of(Observation(entity=EntityName("JEFF", EntityType.PERSON), text="sings"))

    (change,) = changes_between(fact, build_step(fact, ids=ids, content=content).fact)

    assert (change.added, change.removed, change.is_told) == ((), (), True)


def test_a_relation_to_itself_from_another_door_hangs_twice_on_one_entity(ids):
    (change,) = changes_between(None, related(ids, target=JEFF))

    assert [tie.side for tie in change.added] == [Side.OUT, Side.IN]
    assert change.growth == 2


def test_marks_are_alike_for_what_says_the_same_and_for_nothing_else():
    composed, decomposed = "caf\u00e9", "cafe\u0301"

    assert observation_mark(composed) == observation_mark(decomposed)
    assert observation_mark("sings") != observation_mark("Sings")
    assert relation_mark("works_at", ACME.key) != relation_mark("works_at", JEFF.key)
    assert relation_mark("works_at", ACME.key) != relation_mark("left", ACME.key)
