import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.entities import EntityName, EntityType
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.relations import (
    MAX_RELATION_CHARACTERS,
    RELATION_TYPE,
    Relation,
    check_not_to_itself,
    content_of,
    fit_relation_name,
    relation_name,
    relation_of,
)

from tests.builders import build_fact
from tests.fakes.ids import FakeIds
from tests.strategies import json_values

JEFF = EntityName("Jeff", EntityType.PERSON)
ACME = EntityName("Acme Corp", EntityType.ORGANIZATION)
WORKS_AT = Relation(source=JEFF, name="works_at", target=ACME)
KEYS = ["from", "fromType", "relation", "to", "toType"]


def read(content, fact_type=RELATION_TYPE):
    return relation_of(build_fact(ids=FakeIds(), type=fact_type, content=content).revision)


@pytest.mark.parametrize(
    "written", ["works_at", "Works at", " WORKS  AT ", "works\tat", "ｗorks at"]
)
def test_a_relation_has_one_form(written):
    assert relation_name(written) == "works_at"


@given(st.text(max_size=150))
def test_the_form_of_a_form_is_itself_and_holds_no_blank(written):
    once = relation_name(written)

    assert not any(character.isspace() for character in once)
    assert relation_name(once) == once


@pytest.mark.parametrize("text", ["", "  ", "x" * (MAX_RELATION_CHARACTERS + 1)])
def test_a_name_that_is_blank_or_too_long_names_its_field(text):
    with pytest.raises(BadInputError, match="relation must have 1 to 100 characters") as refused:
        fit_relation_name(text, field="relation")

    assert refused.value.field == "relation"


def test_a_relation_is_kept_in_words_that_the_facts_door_can_write_too():
    assert content_of(WORKS_AT) == {
        "from": "Jeff",
        "fromType": "person",
        "relation": "works_at",
        "to": "Acme Corp",
        "toType": "organization",
    }


def test_what_is_kept_is_read_again():
    assert read(content_of(WORKS_AT)) == WORKS_AT


def test_what_is_searched_is_a_sentence():
    assert WORKS_AT.sentence == "Jeff works at Acme Corp"


@pytest.mark.parametrize("missing", ["from", "to", "relation"])
@pytest.mark.parametrize("instead", [None, " ", 7])
def test_a_content_without_an_end_or_a_name_is_no_relation(missing, instead):
    assert read({**content_of(WORKS_AT), missing: instead}) is None


def test_what_another_door_wrote_is_read_as_far_as_it_can_be():
    content = {"from": " Jeff", "relation": "Works At", "to": "Acme Corp", "toType": 3}

    assert read(content) == Relation(
        source=EntityName("Jeff", EntityType.CONCEPT),
        name="works_at",
        target=EntityName("Acme Corp", EntityType.CONCEPT),
    )


def test_a_fact_of_another_type_is_no_relation():
    assert read(content_of(WORKS_AT), "note") is None


@given(json_values | st.dictionaries(st.sampled_from(KEYS), json_values))
def test_reading_never_fails(content):
    found = read(content)

    assert found is None or len(found.name) <= MAX_RELATION_CHARACTERS


def test_an_entity_does_not_relate_to_itself_however_it_is_written():
    to_itself = Relation(source=JEFF, name="knows", target=EntityName(" JEFF", EntityType.PERSON))

    with pytest.raises(BadInputError, match="toEntity must be another entity"):
        check_not_to_itself(to_itself, field="toEntity")


def test_one_name_of_two_types_may_be_related():
    check_not_to_itself(
        Relation(source=JEFF, name="is", target=EntityName("Jeff", EntityType.CONCEPT)),
        field="toEntity",
    )
