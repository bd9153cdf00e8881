import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.observations import (
    OBSERVATION_TYPE,
    Observation,
    ObservationSource,
    content_of,
    observation_of,
)

from tests.builders import build_fact
from tests.fakes.ids import FakeIds
from tests.strategies import json_values

JEFF = EntityName("Jeff", EntityType.PERSON)
KEYS = ["entity", "entityType", "observation", "source"]


def read(content, fact_type=OBSERVATION_TYPE):
    return observation_of(build_fact(ids=FakeIds(), type=fact_type, content=content).revision)


def test_an_observation_is_kept_in_words_that_the_facts_door_can_write_too():
    said = Observation(entity=JEFF, text="prefers dark roast", source=ObservationSource.NOTE)

    assert content_of(said) == {
        "entity": "Jeff",
        "entityType": "person",
        "observation": "prefers dark roast",
        "source": "note",
    }


def test_a_source_that_nobody_said_is_left_out():
    assert "source" not in content_of(Observation(entity=JEFF, text="sings"))


@pytest.mark.parametrize("source", [None, *ObservationSource])
def test_what_is_kept_is_read_again(source):
    said = Observation(entity=JEFF, text=" prefers dark roast\n", source=source)

    assert read(content_of(said)) == said


@pytest.mark.parametrize(
    "content",
    [
        "Jeff sings",
        ["Jeff", "sings"],
        None,
        {},
        {"entity": "Jeff"},
        {"entity": "Jeff", "observation": " "},
        {"entity": "Jeff", "observation": 7},
        {"entity": " ", "observation": "sings"},
        {"observation": "sings"},
    ],
)
def test_a_content_without_entity_or_text_is_no_observation(content):
    assert read(content) is None


def test_fields_that_are_unfit_are_as_if_they_were_not_said():
    content = {"entity": "Jeff", "entityType": "robot", "observation": "sings", "source": "rumour"}

    assert read(content) == Observation(
        entity=EntityName("Jeff", EntityType.CONCEPT), text="sings", source=None
    )


def test_a_fact_of_another_type_is_no_observation():
    assert read(content_of(Observation(entity=JEFF, text="sings")), "note") is None


@given(json_values | st.dictionaries(st.sampled_from(KEYS), json_values))
def test_reading_never_fails(content):
    found = read(content)

    assert found is None or found.text.strip()
