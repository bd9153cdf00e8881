import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.callers import ProjectAccess, ProjectGrant
from palimpsest.domain.errors import KeyProjectMismatchError, ScopeMismatchError
from palimpsest.domain.filters import FactFilter, check_filter, matches, projects_in_org
from palimpsest.domain.json_text import canonical_json
from palimpsest.domain.labels import Label, LabelKind, home_label
from palimpsest.domain.scopes import WIRE_NAMES

from tests.builders import OTHER_TENANT, TENANT, build_admin, build_caller, build_fact, build_scope
from tests.fakes.ids import FakeIds

GRANTS = {
    "acme": ProjectGrant(project_id="acme", access=ProjectAccess.READ, org_id="north"),
    "zeta": ProjectGrant(project_id="zeta", access=ProjectAccess.READ),
}
MEMBER = build_caller(projects=GRANTS)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 1.5, "", "1", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)


def build_revision(type="note", **named):  # noqa: A002 - the domain's own name for it
    return build_fact(ids=FakeIds(), type=type, scope=build_scope(**named)).revision


@pytest.mark.parametrize(
    ("wanted", "is_match"),
    [
        (FactFilter(), True),
        (FactFilter(type="note"), True),
        (FactFilter(type="Note"), False),
        (FactFilter(type="not"), False),
        (FactFilter(scope={"projectId": "acme"}), True),
        (FactFilter(scope={"projectId": "acme-corp"}), False),
        (FactFilter(scope={"projectId": "ac"}), False),
        (FactFilter(scope={"projectId": "acme", "userId": "ana"}), True),
        (FactFilter(scope={"projectId": "acme", "userId": "ben"}), False),
        (FactFilter(scope={"tenantId": TENANT}), True),
        (FactFilter(scope={"tenantId": OTHER_TENANT}), False),
        (FactFilter(scope={"sessionId": "s-1"}), False),
        (FactFilter(scope={"teamId": "red"}), True),
        (FactFilter(scope={"teamId": "blue"}), False),
        (FactFilter(scope={"otherId": "red"}), False),
        (FactFilter(project_id="acme"), True),
        (FactFilter(project_id="zeta"), False),
        (FactFilter(project_id="acme", scope={"projectId": "acme"}), True),
        (FactFilter(project_id="acme", scope={"projectId": "zeta"}), False),
        (FactFilter(project_id="acme", type="other"), False),
    ],
)
def test_everything_that_is_wanted_must_match(wanted, is_match):
    revision = build_revision(projectId="acme", userId="ana", teamId="red")

    assert matches(wanted, revision, MEMBER) is is_match


CHESS = Label(LabelKind.CONCEPT, "chess")
GO = Label(LabelKind.CONCEPT, "go")
WORK = Label(LabelKind.DOMAIN, "work")
HOME = home_label(build_scope(projectId="acme"))


@pytest.mark.parametrize(
    ("groups", "is_match"),
    [
        ([], True),
        ([{CHESS}], True),
        ([{CHESS, GO}], True),
        ([{GO}], False),
        ([{CHESS}, {WORK}], True),
        ([{CHESS}, {GO}], False),
        ([{HOME}, {WORK}], True),
        ([{home_label(build_scope())}], False),
        ([set()], False),
        ([{CHESS}, set()], False),
        ([{Label(LabelKind.DOMAIN, "chess")}], False),
    ],
)
def test_one_label_of_each_group_must_match(groups, is_match):
    content = {"text": "x", "domain": "work", "concepts": ["Chess"]}
    scope = build_scope(projectId="acme")
    atom = build_fact(ids=FakeIds(), type="memory.atom", scope=scope, content=content).revision

    wanted = FactFilter(labels=tuple(map(frozenset, groups)))

    assert matches(wanted, atom, MEMBER) is is_match


@pytest.mark.parametrize(
    ("named", "is_match"),
    [
        ({"orgId": "north"}, True),
        ({"orgId": "south"}, False),
        ({"projectId": "acme"}, True),
        ({"projectId": "acme", "orgId": "south"}, True),
        ({"projectId": "zeta"}, False),
        ({"projectId": "zeta", "orgId": "north"}, True),
        ({}, False),
        ({"threadId": "north"}, False),
    ],
)
def test_an_org_is_what_names_it_and_the_projects_that_the_grants_place_in_it(named, is_match):
    assert matches(FactFilter(org_id="north"), build_revision(**named), MEMBER) is is_match


def test_only_the_callers_own_grants_place_a_project_in_an_org():
    assert projects_in_org(MEMBER, "north") == {"acme"}
    assert projects_in_org(build_admin(), "north") == frozenset()
    assert not matches(FactFilter(org_id="north"), build_revision(projectId="acme"), build_admin())


@given(stored=values, asked=values)
def test_an_unknown_key_matches_as_json_and_not_as_python(stored, asked):
    revision = build_revision(teamId=stored)

    is_match = matches(FactFilter(scope={"teamId": asked}), revision, build_admin())

    assert is_match == (canonical_json(stored) == canonical_json(asked))


@pytest.mark.parametrize(
    ("stored", "asked", "is_match"),
    [
        (True, 1, False),
        (0, False, False),
        ([True], [1], False),
        ({"a": False}, {"a": 0}, False),
        (1, 1.0, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [2, 1], False),
        ([1, 2], [1], False),
        ("1", 1, False),
        (10**40, 10**40 + 1, False),
        (None, None, True),
    ],
)
def test_true_is_not_1_at_any_depth(stored, asked, is_match):
    revision = build_revision(teamId=stored)

    assert matches(FactFilter(scope={"teamId": asked}), revision, build_admin()) is is_match


@pytest.mark.parametrize("key", WIRE_NAMES)
def test_a_known_key_never_matches_what_is_no_string(key):
    revision = build_revision(**{"projectId": "acme", key: "1"} if key != "tenantId" else {})

    assert not matches(FactFilter(scope={key: 1}), revision, build_admin())


def test_a_filter_of_another_tenant_is_refused():
    with pytest.raises(ScopeMismatchError) as refused:
        check_filter(FactFilter(scope={"tenantId": OTHER_TENANT}), build_admin())

    assert refused.value.field == "scope.tenantId"
    check_filter(FactFilter(scope={"tenantId": TENANT}), build_admin())


@pytest.mark.parametrize(
    "wanted",
    [
        FactFilter(project_id="zeta"),
        FactFilter(scope={"projectId": "zeta"}),
        FactFilter(project_id="acme", scope={"projectId": "zeta"}),
        FactFilter(project_id="zeta", scope={"projectId": "acme"}),
    ],
)
@pytest.mark.parametrize("build", [build_admin, build_caller])
def test_a_limited_key_may_not_ask_for_another_project(build, wanted):
    limited = build(project_limit="acme")

    check_filter(FactFilter(), limited)
    check_filter(FactFilter(project_id="acme", scope={"projectId": "acme"}), limited)
    with pytest.raises(KeyProjectMismatchError):
        check_filter(wanted, limited)
