import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.audiences import Audience, Root, audience_of, audiences_of
from palimpsest.domain.callers import (
    MAX_GRANTS,
    Caller,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.sight import may_see

from tests.builders import TENANT, build_caller, build_scope
from tests.unit.domain.worlds import ALL_SCOPES, BLANK, callers


@given(caller=callers(admins=False))
def test_a_callers_audiences_hold_every_fact_that_they_may_see(caller):
    audiences = set(audiences_of(caller))
    visible = [scope for scope in ALL_SCOPES if may_see(caller, scope)]

    assert [scope for scope in visible if audience_of(scope) not in audiences] == []


@given(caller=callers(admins=False))
def test_an_audience_is_wider_than_sight_only_by_an_org_beside_a_project_or_a_thread(caller):
    audiences = set(audiences_of(caller))
    read_in_vain = [
        scope
        for scope in ALL_SCOPES
        if scope.tenant_id == TENANT
        and audience_of(scope) in audiences
        and not may_see(caller, scope)
    ]

    assert all(s.org_id and (s.project_id or s.thread_id) for s in read_in_vain)


@given(caller=callers(admins=False))
def test_audiences_are_bounded_by_the_grants_and_never_repeat(caller):
    audiences = audiences_of(caller)
    orgs = {*caller.orgs, *(p.org_id for p in caller.projects.values() if p.org_id)}
    bound = 2 + 2 * len(orgs) + 4 * len(caller.projects) + 2 * len(caller.conversations)

    assert len(audiences) == len(set(audiences))
    assert len(audiences) <= bound


def test_the_most_grants_that_a_caller_can_have_still_make_a_bounded_list():
    grants = [
        ProjectGrant(project_id=f"p-{n}", access=ProjectAccess.WRITE, org_id=f"o-{n}")
        for n in range(MAX_GRANTS)
    ]
    caller = build_caller(projects={grant.project_id: grant for grant in grants})

    assert len(audiences_of(caller)) == 2 + 2 * MAX_GRANTS + 4 * MAX_GRANTS


@given(caller=callers(admins=False, limits=("acme",)))
def test_a_limited_key_reads_that_projects_audiences_only(caller):
    audiences = audiences_of(caller)

    assert {(a.root, a.root_id) for a in audiences} <= {(Root.PROJECT, "acme")}
    assert len(audiences) <= 4


@given(caller=callers())
def test_no_audience_is_named_after_a_blank(caller):
    audiences = audiences_of(caller)

    named = [a.root_id for a in audiences if a.root is not Root.TENANT]
    assert all(root_id.strip() for root_id in named)
    assert all(a.user_id is None or a.user_id.strip() for a in audiences)


@pytest.mark.parametrize(
    ("named", "audience"),
    [
        ({}, Audience(root=Root.TENANT)),
        ({"sessionId": "s"}, Audience(root=Root.TENANT)),
        ({"userId": "u"}, Audience(root=Root.TENANT, user_id="u")),
        ({"orgId": "o"}, Audience(root=Root.ORG, root_id="o")),
        ({"orgId": "o", "userId": "u"}, Audience(root=Root.ORG, root_id="o", user_id="u")),
        ({"threadId": "t"}, Audience(root=Root.THREAD, root_id="t")),
        ({"threadId": "t", "orgId": "o"}, Audience(root=Root.THREAD, root_id="t")),
        ({"projectId": "p"}, Audience(root=Root.PROJECT, root_id="p")),
        ({"projectId": "p", "orgId": "o"}, Audience(root=Root.PROJECT, root_id="p")),
        (
            {"projectId": "p", "threadId": "t"},
            Audience(root=Root.PROJECT, root_id="p", is_private=True),
        ),
        (
            {"projectId": "p", "participantId": "x", "userId": "u"},
            Audience(root=Root.PROJECT, root_id="p", is_private=True, user_id="u"),
        ),
        ({"projectId": "p", "teamId": "red"}, Audience(root=Root.UNKNOWN)),
        ({"participantId": "x"}, Audience(root=Root.UNKNOWN)),
    ],
)
def test_every_fact_lies_in_the_one_audience_that_the_data_model_draws(named, audience):
    assert audience_of(build_scope(**named)) == audience


def test_a_read_grant_leaves_the_private_audience_out():
    audiences = audiences_of(build_caller("ana", reads=("acme",)))

    assert audiences == (
        Audience(root=Root.TENANT),
        Audience(root=Root.TENANT, user_id="ana"),
        Audience(root=Root.PROJECT, root_id="acme"),
        Audience(root=Root.PROJECT, root_id="acme", user_id="ana"),
    )


@given(names=st.permutations(["b", "a", "c"]))
def test_the_order_of_audiences_does_not_depend_on_the_order_of_grants(names):
    sorted_first = build_caller(reads=("a", "b", "c"), conversations=frozenset("abc"))
    any_order = build_caller(reads=tuple(names), conversations=frozenset(names))

    assert audiences_of(any_order) == audiences_of(sorted_first)


def test_blank_grants_put_a_caller_into_no_audience():
    grant = OrgGrant(org_id=BLANK, access=OrgAccess.ADMIN)
    blank = build_caller(BLANK, writes=(BLANK,), orgs=(grant,), conversations=frozenset({BLANK}))

    assert isinstance(blank, Caller)
    assert audiences_of(blank) == (Audience(root=Root.TENANT),)
