import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.entities import (
    MAX_NAME_CHARACTERS,
    EntityName,
    EntityType,
    Totals,
    Window,
    entity_name,
    entity_name_in,
    fit_text,
)
from palimpsest.domain.errors import BadInputError

PERSON = EntityType.PERSON


@pytest.mark.parametrize("written", ["Acme Corp", "acme  corp", " ACME\tCORP ", "Ａｃｍｅ Corp"])
def test_names_that_differ_in_case_width_and_blanks_name_one_entity(written):
    assert EntityName(written, PERSON).key == EntityName("Acme Corp", PERSON).key


@pytest.mark.parametrize("other", ["Acme-Corp", "AcmeCorp", "Acme Corp.", "Acmé Corp"])
def test_other_names_name_others(other):
    assert EntityName(other, PERSON).key != EntityName("Acme Corp", PERSON).key


def test_one_name_of_two_types_names_two_entities():
    assert EntityName("Apollo", PERSON).key != EntityName("Apollo", EntityType.PROJECT).key


def test_a_name_is_kept_as_it_was_written_without_the_blanks_around_it():
    assert entity_name("  Jeff  Dean ", PERSON, field="entityName").name == "Jeff  Dean"


@pytest.mark.parametrize(
    "text", ["", "   ", "\u3000", "x" * (MAX_NAME_CHARACTERS + 1), "\ud800"], ids=ascii
)
def test_a_text_that_is_blank_too_long_or_no_text_names_its_field(text):
    with pytest.raises(BadInputError, match="entityName must") as refused:
        fit_text(text, MAX_NAME_CHARACTERS, field="entityName")

    assert refused.value.details == {"field": "entityName"}


def test_the_longest_text_is_taken():
    assert fit_text("x" * 200, 200, field="entityName") == "x" * 200


@pytest.mark.parametrize(
    ("name", "entity_type", "expected"),
    [
        (" Jeff ", "person", EntityName("Jeff", PERSON)),
        ("Jeff", "robot", EntityName("Jeff", EntityType.CONCEPT)),
        ("Jeff", None, EntityName("Jeff", EntityType.CONCEPT)),
        ("Jeff", ["person"], EntityName("Jeff", EntityType.CONCEPT)),
        ("x" * 300, "person", EntityName("x" * 200, PERSON)),
        ("  ", "person", None),
        (None, "person", None),
        (7, "person", None),
    ],
)
def test_what_another_door_wrote_is_read_as_far_as_it_can_be(name, entity_type, expected):
    assert entity_name_in(name, entity_type) == expected


@given(st.text(max_size=400), st.one_of(st.none(), st.text(), st.integers()))
def test_a_name_that_is_read_is_always_one_that_could_be_given(name, entity_type):
    found = entity_name_in(name, entity_type)

    assert found is None or (1 <= len(found.name) <= MAX_NAME_CHARACTERS and found.key.name)


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (frozenset(), 7),
        (frozenset({PERSON}), 4),
        (frozenset({PERSON, EntityType.PROJECT}), 7),
        (frozenset({EntityType.FACT}), 0),
    ],
)
def test_totals_count_the_union_of_types_and_all_where_none_is_named(types, expected):
    totals = Totals(entities={PERSON: 4, EntityType.PROJECT: 3})

    assert totals.count(types) == expected


@pytest.mark.parametrize("limit", [1, 50, 100])
def test_a_window_takes_what_the_door_allows(limit):
    assert Window(limit=limit, offset=10).end == limit + 10


@pytest.mark.parametrize(
    ("window", "field", "words"),
    [
        ({"limit": 0}, "limit", "limit must be 1 to 100."),
        ({"limit": -1}, "limit", "limit must be 1 to 100."),
        ({"limit": 101}, "limit", "limit must be 1 to 100."),
        ({"limit": 201, "max_limit": 200}, "limit", "limit must be 1 to 200."),
        ({"limit": 1, "offset": -1}, "offset", "offset must be 0 or more."),
    ],
)
def test_a_window_outside_its_range_names_the_field_and_its_limit(window, field, words):
    with pytest.raises(BadInputError) as refused:
        Window(**window)

    assert (str(refused.value), refused.value.field) == (words, field)
