from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.json_text import write_json
from palimpsest.domain.labels import Label, LabelKind, home_label, labels_of, meets

from tests.builders import OTHER_TENANT, build_fact, build_scope
from tests.fakes.ids import FakeIds

REVISION = build_fact(ids=FakeIds()).revision

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def labelled(content, type="memory.atom"):  # noqa: A002 - the domain's own name for it
    return labels_of(replace(REVISION, type=type, content=write_json(content)))


def concept(value: str) -> Label:
    return Label(LabelKind.CONCEPT, value)


def test_an_atom_is_filed_under_its_home_its_domain_and_its_concepts():
    labels = labelled({"text": "x", "domain": "work", "concepts": ["chess", "go"]})

    assert labels == {
        home_label(REVISION.scope),
        Label(LabelKind.DOMAIN, "work"),
        concept("chess"),
        concept("go"),
    }


def test_a_fact_of_another_type_is_filed_under_its_home_alone():
    content = {"text": "x", "domain": "work", "concepts": ["chess"]}

    assert labelled(content, type="note") == {home_label(REVISION.scope)}


def test_concepts_that_are_written_in_different_ways_are_one_label():
    labels = labelled({"text": "x", "concepts": ["Sports  Car", " sports car ", "\uff33ports car"]})

    assert {label for label in labels if label.kind is LabelKind.CONCEPT} == {concept("sports car")}


def test_concepts_beyond_those_that_an_atom_may_have_are_no_labels():
    labels = labelled({"text": "x", "concepts": [f"c{n}" for n in range(300)]})

    assert {concept("c0"), concept("c255")} <= labels
    assert concept("c256") not in labels


def test_a_domain_is_filed_as_it_is_written():
    assert Label(LabelKind.DOMAIN, "Work ") in labelled({"text": "x", "domain": "Work "})


@given(values)
def test_an_atom_of_any_content_has_a_home_and_one_domain(content):
    labels = labelled(content)

    assert home_label(REVISION.scope) in labels
    assert len([label for label in labels if label.kind is LabelKind.DOMAIN]) == 1


@pytest.mark.parametrize(
    "other",
    [
        build_scope(projectId="p"),
        build_scope(projectId="p", userId="ben"),
        build_scope(userId="ana"),
        build_scope(projectId="p", userId="ana", team="red"),
        build_scope(OTHER_TENANT, projectId="p", userId="ana"),
    ],
)
def test_a_home_is_exactly_one_scope(other):
    home = home_label(build_scope(projectId="p", userId="ana"))

    assert home_label(build_scope(userId="ana", projectId="p")) == home
    assert home_label(other) != home


def test_one_label_of_each_group_meets_them():
    carried = frozenset({concept("chess"), concept("go")})
    chess, bridge = frozenset({concept("chess")}), frozenset({concept("bridge")})

    assert meets(carried, ())
    assert meets(carried, (chess, chess | bridge))
    assert not meets(carried, (chess, bridge))
    assert not meets(carried, (chess, frozenset()))


def test_an_observation_is_filed_under_its_entity_and_its_type():
    content = {"entity": "Acme  Corp", "entityType": "organization", "observation": "makes anvils"}

    assert labelled(content, type="memory.observation") == {
        home_label(REVISION.scope),
        Label(LabelKind.ENTITY, "acme corp"),
        Label(LabelKind.ENTITY_TYPE, "organization"),
    }


def test_a_relation_is_filed_under_both_its_ends():
    content = {"from": "Jeff", "fromType": "person", "relation": "likes", "to": "Apollo"}

    assert labelled(content, type="memory.relation") == {
        home_label(REVISION.scope),
        Label(LabelKind.ENTITY, "jeff"),
        Label(LabelKind.ENTITY_TYPE, "person"),
        Label(LabelKind.ENTITY, "apollo"),
        Label(LabelKind.ENTITY_TYPE, "concept"),
    }
