from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.fact_text import MAX_TEXT_CHARACTERS, text_hash, text_of
from palimpsest.domain.json_text import write_json
from palimpsest.domain.people import Person, PersonKind

from tests.builders import build_fact
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

REVISION = build_fact(ids=FakeIds(), type="note").revision

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def build_revision(content, **fields):
    return replace(REVISION, content=write_json(content), **fields)


def test_a_text_says_who_and_when_and_then_everything_in_the_content():
    revision = build_revision(
        {"speaker": "Ana", "said": ["I moved", {"to": "Lyon"}], "age": 41, "old": True, "x": None},
        type="life.place_of_living",
        subjects=(Person(PersonKind.EXTERNAL, "ana"), Person(PersonKind.USER, "ben")),
        observed_at=NOON,
    )

    assert text_of(revision).split("\n") == [
        "ana and ben, on 1 May 2026: speaker: Ana",
        "I moved",
        "to: Lyon",
        "age: 41",
    ]


@pytest.mark.parametrize(
    ("fields", "start"),
    [
        ({"observed_at": NOON, "valid_from": NOON - timedelta(days=1)}, "On 1 May 2026: "),
        ({"valid_from": NOON - timedelta(days=1)}, "On 30 April 2026: "),
        ({"subjects": (Person(PersonKind.EXTERNAL, "ana"),)}, "ana: "),
        ({}, ""),
    ],
)
def test_the_day_is_that_of_the_observation_before_that_of_the_validity(fields, start):
    assert text_of(build_revision("x", **fields)) == f"{start}x"


def test_a_key_that_says_nothing_is_left_out():
    content = {"text": "Ana plays chess.", "where": "Berlin"}

    assert text_of(build_revision(content)) == "Ana plays chess.\nwhere: Berlin"


@pytest.mark.parametrize("content", [{}, [], None, "  ", True, {"a": ["\n"]}])
def test_the_type_stands_in_for_a_content_without_texts(content):
    revision = build_revision(content, type="life.place_of_living", observed_at=NOON)

    assert text_of(revision) == "On 1 May 2026: life place of living"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            {"text": "Ana plays chess.", "domain": "games", "concepts": ["chess"]},
            "Ana plays chess.",
        ),
        ("Ana plays chess.", "Ana plays chess."),
        ({"text": " "}, "memory atom"),
    ],
)
def test_an_atom_says_its_own_text_and_no_more(content, text):
    about = {"subjects": (Person(PersonKind.EXTERNAL, "ana"),), "observed_at": NOON}

    assert text_of(build_revision(content, type="memory.atom", **about)) == text


@given(content=values)
def test_any_content_has_a_text_that_is_the_same_each_time(content):
    revision = build_revision(content)

    assert text_of(revision) == text_of(revision)
    assert text_hash(text_of(revision)) == text_hash(text_of(revision))


@given(content=values, other=values)
def test_what_is_not_said_in_words_does_not_change_the_text(content, other):
    revision = build_revision(content)
    later = replace(revision, version=9, created_at=NOON + timedelta(days=9), revision_id="other")

    assert text_of(later) == text_of(revision)
    assert text_of(build_revision([content, None, True])) == text_of(build_revision([content]))


def test_a_long_text_is_cut():
    assert len(text_of(build_revision("a" * (MAX_TEXT_CHARACTERS + 1)))) == MAX_TEXT_CHARACTERS


def test_two_texts_have_two_hashes():
    assert text_hash("Ana plays chess.") != text_hash("Ana plays go.")


def test_an_observation_is_about_its_entity():
    content = {"entity": "Jeff", "entityType": "person", "observation": "sings", "source": "note"}
    said = build_revision(content, type="memory.observation")

    assert text_of(said) == "Jeff: sings"
    assert text_of(replace(said, observed_at=NOON)) == "Jeff, on 1 May 2026: sings"


def test_a_relation_is_a_sentence():
    content = {"from": "Jeff", "relation": "works_at", "to": "Acme Corp", "toType": "organization"}

    assert text_of(build_revision(content, type="memory.relation")) == "Jeff works at Acme Corp"


def test_an_observation_of_nothing_says_what_is_in_it():
    assert text_of(build_revision("sings", type="memory.observation")) == "sings"
