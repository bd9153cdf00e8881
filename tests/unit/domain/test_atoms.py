import json
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.atoms import Atom, atom_of, content_of, rounded, text_key
from palimpsest.domain.json_text import write_json

from tests.builders import build_fact
from tests.fakes.ids import FakeIds
from tests.strategies import json_values, texts

REVISION = build_fact(ids=FakeIds(), type="memory.atom").revision

words = texts.filter(str.strip)
atoms = st.builds(
    Atom,
    text=words,
    domain=words,
    concepts=st.lists(words, max_size=3).map(tuple),
    metadata=st.dictionaries(texts, json_values, max_size=3),
    fingerprint=st.none() | words,
    external_ref=st.none() | words,
    importance=st.floats(0, 1).map(rounded),
    client_env=words,
    agent_name=st.none() | words,
)


def atom_in(content) -> Atom:
    return atom_of(replace(REVISION, content=write_json(content)))


@given(atoms)
def test_an_atom_comes_back_from_its_content_as_it_went_in(atom):
    assert atom_in(content_of(atom)) == atom


def test_the_content_of_an_atom_leaves_out_what_is_empty():
    assert content_of(Atom(text="Ana plays chess.")) == {
        "text": "Ana plays chess.",
        "domain": "general",
        "importance": 1.0,
        "clientEnv": "unknown",
    }


@given(json_values)
def test_any_content_can_be_read_as_an_atom(content):
    atom = atom_in(content)

    assert atom.domain == "general"
    assert 0 <= atom.importance <= 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Ana plays chess.", "Ana plays chess."),
        ({"said": ["a", {"to": "b"}]}, "a\nto: b"),
        ({"text": 7, "x": "y"}, "7\nx: y"),
        ({"text": "  ", "x": "y"}, "  \nx: y".strip()),
        (["a", 1], "a\n1"),
        (None, ""),
    ],
)
def test_what_another_door_wrote_says_its_texts(content, text):
    assert atom_in(content) == Atom(text=text)


@pytest.mark.parametrize(
    ("field", "unfit"),
    [
        ("domain", [None, 7, "", " ", "d" * 101, ["d"]]),
        ("concepts", [None, 7, "", "chess", {"a": 1}, [1, None, " "]]),
        ("metadata", [None, 7, "x", ["x"]]),
        ("fingerprint", [None, 7, "", " ", "f" * 513]),
        ("externalRef", [None, 7, "", " ", "e" * 256]),
        ("importance", [None, "1", True, -0.1, 1.1, 10**40, [1]]),
        ("clientEnv", [None, 7, "", " "]),
        ("agentName", [None, 7, "", " "]),
    ],
)
def test_a_field_that_is_unfit_is_as_if_it_was_not_said(field, unfit):
    contents: list[dict[str, Any]] = [{"text": "x", field: value} for value in unfit]

    assert [atom_in(content) for content in contents] == [Atom(text="x")] * len(unfit)


def test_concepts_that_are_texts_are_kept_among_others_that_are_none():
    assert atom_in({"text": "x", "concepts": ["a", 1, "", "b"]}).concepts == ("a", "b")


def test_the_very_same_text_has_one_key_in_every_unicode_form():
    text = "Zo\u00eb \u00c5ngstr\u00f6m"

    keys = {text_key(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")}

    assert len(keys) == 1
    assert text_key("Ana plays chess.") != text_key("Ana plays chess. ")
    assert text_key("Ana") != text_key("ana")


@given(st.lists(st.floats(-1, 1).map(rounded), max_size=20))
def test_what_is_kept_is_a_decimal_of_six_places_that_any_json_gives_back(values):
    assert json.loads(json.dumps(values)) == values
    assert all(f"{value:.6f}" == f"{rounded(value):.6f}" for value in values)
    assert all(float(f"{value:.6f}") == value for value in values)
    assert not any(f"{value:.6f}" == "-0.000000" for value in values)
