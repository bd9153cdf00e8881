import pytest
from hypothesis import given
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import PermissionDeniedError
from palimpsest.domain.homes import home_of, scope_hash

from tests.builders import OTHER_TENANT, TENANT, build_admin, build_caller, build_scope
from tests.strategies import hostile_ids, scopes


@pytest.mark.parametrize(
    ("caller", "home"),
    [
        (build_caller("ana"), build_scope(userId="ana")),
        (build_caller("ana", project_limit="p"), build_scope(projectId="p")),
        (
            build_caller(
                "ana", project_limit="p", default_scope={"projectId": "p", "userId": "ana"}
            ),
            build_scope(projectId="p", userId="ana"),
        ),
        (build_caller("ana", default_scope={"threadId": "t"}), build_scope(threadId="t")),
        (build_admin(default_scope={}), build_scope()),
        (
            build_admin(default_scope={"colour": "red", "tenantId": OTHER_TENANT}),
            build_scope(colour="red"),
        ),
        (build_admin(), build_scope(userId="root")),
        (
            build_caller("bot", kind=CallerKind.AGENT, project_limit="p"),
            build_scope(projectId="p"),
        ),
    ],
)
def test_a_home_is_the_default_scope_else_the_project_limit_else_the_users_own(caller, home):
    assert home_of(caller) == home


@pytest.mark.parametrize(
    "caller",
    [
        build_caller("bot", kind=CallerKind.AGENT),
        build_caller("bot", kind=CallerKind.SERVICE),
        build_caller("bot", kind=CallerKind.SERVICE, is_tenant_admin=True),
        build_caller(" "),
    ],
)
def test_who_has_no_place_of_their_own_writes_nowhere(caller):
    with pytest.raises(PermissionDeniedError, match="default scope"):
        home_of(caller)


@given(scopes(hostile_ids), scopes(hostile_ids))
def test_two_scopes_share_a_hash_just_when_they_are_equal(one, other):
    assert (scope_hash(one) == scope_hash(other)) is (one == other)


def test_the_order_in_which_a_scope_names_things_does_not_matter():
    assert scope_hash(build_scope(a=1, b=2)) == scope_hash(build_scope(b=2, a=1))
    assert scope_hash(build_scope()) != scope_hash(build_scope(OTHER_TENANT))
    assert len(scope_hash(build_scope(TENANT))) == 64
