import pytest
from palimpsest.domain.audiences import Audience, Root, audience_of
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.domain.scopes import Scope
from palimpsest.domain.search_filters import SearchFilter, search_filter
from palimpsest.domain.search_tokens import (
    audience_token,
    clauses_of,
    label_token,
    named_token,
    tenant_token,
    tokens_of,
    type_token,
)

from tests.builders import OTHER_TENANT, TENANT, build_admin, build_caller, build_scope


def is_found(scope: Scope, wanted: SearchFilter, type_: str = "note") -> bool:
    tokens = tokens_of(scope, type_)
    return all(clause & tokens for clause in clauses_of(wanted))


def test_a_token_is_thirty_two_hex_digits_and_never_changes():
    token = named_token("t", "projectId", "acme")

    assert token == "a7f0b1237d2ed099979727c2e723384f"


def test_tokens_of_different_things_differ():
    audience = Audience(root=Root.PROJECT, root_id="a")

    tokens = [
        tenant_token(TENANT),
        tenant_token(OTHER_TENANT),
        type_token(TENANT, "a"),
        type_token(OTHER_TENANT, "a"),
        named_token(TENANT, "projectId", "a"),
        named_token(TENANT, "orgId", "a"),
        named_token(TENANT, "projectId", "a-b"),
        label_token(TENANT, Label(LabelKind.DOMAIN, "a")),
        label_token(TENANT, Label(LabelKind.CONCEPT, "a")),
        label_token(OTHER_TENANT, Label(LabelKind.CONCEPT, "a")),
        audience_token(TENANT, audience),
        audience_token(TENANT, Audience(root=Root.PROJECT, root_id="a", is_private=True)),
        audience_token(TENANT, Audience(root=Root.PROJECT, root_id="a", user_id="None")),
        audience_token(TENANT, Audience(root=Root.ORG, root_id="a")),
    ]

    assert len(set(tokens)) == len(tokens)


@pytest.mark.parametrize(
    ("left", "right"),
    [(("a", "b|c"), ("a|b", "c")), (("a", 'b","c'), ("a", "b")), (("a\0", "b"), ("a", "\0b"))],
)
def test_no_delimiter_in_an_id_makes_two_tokens_one(left: tuple[str, str], right: tuple[str, str]):
    assert named_token(TENANT, *left) != named_token(TENANT, *right)


def test_a_lone_surrogate_has_a_token():
    assert named_token(TENANT, "userId", "\ud800")


def test_a_document_carries_the_tokens_of_its_tenant_audience_type_keys_and_labels():
    scope = build_scope(projectId="p", userId="ana", custom="x")

    label = Label(LabelKind.CONCEPT, "chess")

    tokens = tokens_of(scope, "note", {label})

    assert tokens == {
        tenant_token(TENANT),
        audience_token(TENANT, audience_of(scope)),
        type_token(TENANT, "note"),
        named_token(TENANT, "tenantId", TENANT),
        named_token(TENANT, "projectId", "p"),
        named_token(TENANT, "userId", "ana"),
        named_token(TENANT, "custom", '"x"'),
        label_token(TENANT, label),
    }


def test_a_key_that_is_not_known_here_narrows_the_search_by_its_json():
    wanted = search_filter(build_admin(), FactFilter(scope={"region": {"b": 1.0, "a": [None]}}))

    assert is_found(build_scope(region={"a": [None], "b": 1}), wanted)
    assert not is_found(build_scope(region={"a": [None], "b": True}), wanted)
    assert not is_found(build_scope(zone={"a": [None], "b": 1}), wanted)
    assert not is_found(build_scope(), wanted)


def test_a_filter_without_audiences_finds_nothing():
    wanted = SearchFilter(tenant_id=TENANT, audiences=())

    assert not is_found(build_scope(), wanted)


def test_an_admin_finds_everything_of_their_tenant_and_nothing_of_another():
    wanted = search_filter(build_admin(), FactFilter())

    assert is_found(build_scope(custom="x"), wanted)
    assert not is_found(build_scope(OTHER_TENANT), wanted)


def test_a_caller_finds_what_lies_in_their_audiences():
    wanted = search_filter(build_caller(reads=("acme",)), FactFilter())

    assert is_found(build_scope(projectId="acme"), wanted)
    assert is_found(build_scope(projectId="acme", userId="ana"), wanted)
    assert not is_found(build_scope(projectId="acme", userId="bob"), wanted)
    assert not is_found(build_scope(projectId="acme-corp"), wanted)


def test_type_and_named_keys_narrow_together():
    wanted = search_filter(build_admin(), FactFilter(type="note", scope={"threadId": "1"}))

    assert is_found(build_scope(projectId="p", threadId="1"), wanted)
    assert not is_found(build_scope(projectId="p", threadId="2"), wanted)
    assert not is_found(build_scope(projectId="p", threadId="1"), wanted, type_="task")


def test_an_org_is_its_own_facts_and_those_of_its_projects():
    wanted = SearchFilter(
        tenant_id=TENANT, audiences=None, org_id="o", org_projects=frozenset({"p"})
    )

    assert is_found(build_scope(orgId="o"), wanted)
    assert is_found(build_scope(projectId="p"), wanted)
    assert not is_found(build_scope(projectId="q"), wanted)
    assert not is_found(build_scope(orgId="p"), wanted)
