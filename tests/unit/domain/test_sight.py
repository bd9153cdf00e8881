import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from palimpsest.domain.callers import (
    Caller,
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.errors import KeyProjectMismatchError, PermissionDeniedError
from palimpsest.domain.sight import check_may_write, may_see, may_write

from tests.builders import OTHER_TENANT, build_admin, build_caller, build_scope
from tests.unit.domain.literal_sight import literally_may_see, literally_may_write
from tests.unit.domain.worlds import ALL_SCOPES, BLANK, PROJECTS, callers


@settings(max_examples=25)  # of 3,072 scopes each
@given(caller=callers())
def test_the_rule_of_sight_is_a_literal_reading_of_the_table(caller):
    differing = [s for s in ALL_SCOPES if may_see(caller, s) != literally_may_see(caller, s)]

    assert differing == []


@settings(max_examples=25)  # of 3,072 scopes each
@given(caller=callers())
def test_the_rule_of_writing_is_a_literal_reading_of_the_ordered_list(caller):
    differing = [s for s in ALL_SCOPES if may_write(caller, s) != literally_may_write(caller, s)]

    assert differing == []


@given(caller=callers())
def test_whoever_may_write_a_fact_may_see_it(caller):
    unseen = [s for s in ALL_SCOPES if may_write(caller, s) and not may_see(caller, s)]

    assert unseen == []


@given(caller=callers(limits=PROJECTS))
def test_a_key_limited_to_a_project_reaches_nothing_else(caller):
    outside = [s for s in ALL_SCOPES if s.project_id != caller.project_limit]

    assert not any(may_see(caller, s) or may_write(caller, s) for s in outside)


@given(caller=callers())
def test_nobody_reaches_another_tenant(caller):
    foreign = [s for s in ALL_SCOPES if s.tenant_id == OTHER_TENANT]

    assert not any(may_see(caller, s) or may_write(caller, s) for s in foreign)


@given(caller=callers(admins=False))
def test_only_an_admin_reaches_a_key_that_the_service_does_not_know(caller):
    unknown = [s for s in ALL_SCOPES if s.unknown]

    assert not any(may_see(caller, s) or may_write(caller, s) for s in unknown)


@given(caller=callers(), session=st.text(min_size=1, max_size=5))
def test_a_session_changes_nothing_about_sight(caller, session):
    without = build_scope(projectId="acme", userId="ana")
    within = build_scope(projectId="acme", userId="ana", sessionId=session)

    assert may_see(caller, within) == may_see(caller, without)
    assert may_write(caller, within) == may_write(caller, without)


def test_everybody_of_the_tenant_sees_what_names_no_container():
    stranger = build_caller("nobody", kind=CallerKind.AGENT)

    assert may_see(stranger, build_scope())
    assert not may_write(stranger, build_scope())


@pytest.mark.parametrize("kind", [CallerKind.SERVICE, CallerKind.AGENT])
def test_a_service_or_agent_of_a_users_name_is_not_that_user(kind):
    namesake = build_caller("ana", kind=kind)

    assert may_see(build_caller("ana"), build_scope(userId="ana"))
    assert not may_see(namesake, build_scope(userId="ana"))
    assert not may_write(namesake, build_scope(userId="ana"))


@pytest.mark.parametrize("other", ["Ana", "ana ", "john_doe", "john%", "john*", "an"])
def test_names_compare_exactly(other):
    assert not may_see(build_caller("ana"), build_scope(userId=other))
    assert not may_see(build_caller(reads=("ana",)), build_scope(projectId=other))


def test_an_end_users_and_a_conversations_facts_are_for_those_who_may_write_the_project():
    reader, writer = build_caller(reads=("acme",)), build_caller(writes=("acme",))
    private = [
        build_scope(projectId="acme", participantId="p-1"),
        build_scope(projectId="acme", threadId="t-1"),
    ]

    assert [may_see(reader, scope) for scope in private] == [False, False]
    assert [may_see(writer, scope) for scope in private] == [True, True]
    assert may_see(reader, build_scope(projectId="acme"))


def test_a_conversation_of_a_project_is_not_opened_by_a_grant_on_the_conversation():
    caller = build_caller(reads=("acme",), conversations=frozenset({"t-1"}))

    assert not may_see(caller, build_scope(projectId="acme", threadId="t-1"))
    assert may_see(caller, build_scope(threadId="t-1"))


@pytest.mark.parametrize(
    ("org_of_grant", "is_seen"), [(None, True), ("north", True), ("south", False), (BLANK, False)]
)
def test_an_org_beside_a_project_needs_the_projects_grant_to_name_it_or_none(org_of_grant, is_seen):
    grant = ProjectGrant(project_id="acme", access=ProjectAccess.WRITE, org_id=org_of_grant)
    caller = build_caller(projects={"acme": grant})
    scope = build_scope(projectId="acme", orgId="north")

    assert may_see(caller, scope) is is_seen


@pytest.mark.parametrize(("access", "may"), [(OrgAccess.READ, False), (OrgAccess.ADMIN, True)])
def test_an_org_is_written_by_those_who_administer_it(access, may):
    caller = build_caller("ana", orgs=(OrgGrant(org_id="north", access=access),))

    for scope in (build_scope(orgId="north"), build_scope(orgId="north", userId="ana")):
        assert may_see(caller, scope)
        assert may_write(caller, scope) is may


@pytest.mark.parametrize("scope", [build_scope(projectId=BLANK), build_scope(orgId=BLANK)])
def test_a_blank_grant_grants_nothing(scope):
    caller = build_caller(writes=(BLANK,), orgs=(OrgGrant(org_id=BLANK, access=OrgAccess.ADMIN),))

    assert not may_see(caller, scope)
    assert not may_write(caller, scope)


def test_an_end_user_without_a_project_is_nobodys_but_an_admins():
    own = build_scope(userId="ana", participantId="p-1")
    caller = build_caller("ana")

    assert not may_write(caller, own)
    assert not may_see(caller, own)
    assert may_see(build_admin(), own)


def test_naming_another_project_than_the_keys_is_told_apart_from_a_missing_right():
    limited = build_admin(project_limit="acme")

    check_may_write(limited, build_scope(projectId="acme"))
    with pytest.raises(KeyProjectMismatchError):
        check_may_write(limited, build_scope(projectId="acme-corp"))
    with pytest.raises(PermissionDeniedError) as refused:
        check_may_write(limited, build_scope())
    assert not isinstance(refused.value, KeyProjectMismatchError)


@given(caller=callers())
def test_the_check_lets_pass_exactly_whom_the_rule_does(caller):
    def passes(caller: Caller, scope):
        try:
            check_may_write(caller, scope)
        except PermissionDeniedError:
            return False
        return True

    assert all(passes(caller, s) == may_write(caller, s) for s in ALL_SCOPES[::7])
