from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.api_keys import token_from_text
from palimpsest.domain.callers import (
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.errors import (
    BadInputError,
    KeyProjectMismatchError,
    PermissionDeniedError,
    ScopeMismatchError,
    StoreUnavailableError,
)
from palimpsest.use_cases.authenticate import Authenticate
from palimpsest.use_cases.create_key import CreateKey

from tests.builders import OTHER_TENANT, build_admin, build_caller
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.ids import FakeIds


@pytest.fixture
def api_keys() -> FakeApiKeyRepository:
    return FakeApiKeyRepository()


@pytest.fixture
def create_key(api_keys: FakeApiKeyRepository) -> CreateKey:
    return CreateKey(api_keys=api_keys, clock=FakeClock(), ids=FakeIds())


def _project(project_id: str, access: ProjectAccess = ProjectAccess.WRITE, org_id=None):
    return {project_id: ProjectGrant(project_id=project_id, access=access, org_id=org_id)}


def test_a_new_token_speaks_for_the_caller_it_was_made_for(create_key, api_keys):
    caller = build_caller("bot", kind=CallerKind.AGENT, writes=("p",))

    created = create_key(caller, name="the bot", expires_at=None)

    authenticated = Authenticate(api_keys=api_keys, clock=FakeClock())(created.token_text)
    assert authenticated == replace(caller, token_id=created.key.id, token_name="the bot")


def test_what_is_kept_holds_no_secret(create_key, api_keys):
    created = create_key(build_caller(), name="", expires_at=None)

    token = token_from_text(created.token_text)
    [kept] = api_keys.list_all(created.key.caller.tenant_id)
    assert kept == created.key
    assert kept.secret_hash == token.secret_hash
    assert token.secret.hex() not in repr(kept)
    assert created.token_text not in repr(created)


def test_the_times_are_the_clocks_and_the_wish(create_key):
    expires_at = NOON + timedelta(days=90)

    key = create_key(build_caller(), name="", expires_at=expires_at).key

    assert (key.created_at, key.expires_at, key.revoked_at) == (NOON, expires_at, None)


@pytest.mark.parametrize(
    ("expires_at", "message"),
    [
        (NOON, "must be in the future"),
        (NOON - timedelta(days=1), "must be in the future"),
        (NOON + timedelta(days=100 * 365, seconds=1), "more than 100 years"),
    ],
)
def test_an_expiry_that_makes_no_sense_is_refused(create_key, api_keys, expires_at, message):
    caller = build_caller()

    with pytest.raises(BadInputError, match=message):
        create_key(caller, name="", expires_at=expires_at)

    assert api_keys.list_all(caller.tenant_id) == []


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"tenant_id": "acme"}, "tenantId"),
        ({"tenant_id": OTHER_TENANT.upper()}, "tenantId"),
        ({"tenant_id": ""}, "tenantId"),
        ({"project_limit": ""}, "projectLimit"),
        ({"project_limit": " \t"}, "projectLimit"),
        ({"tools": frozenset({"fly"})}, "tools"),
        ({"conversations": frozenset({" "})}, "conversations"),
        ({"projects": _project("")}, "projects.projectId"),
        ({"projects": _project("p", org_id=" ")}, "projects.orgId"),
        ({"projects": _project("p" * 257)}, "projects.projectId"),
        ({"projects": _project("😀" * 129)}, "projects.projectId"),
        ({"projects": _project("\udcff")}, "projects.projectId"),
        ({"orgs": (OrgGrant(org_id=" ", access=OrgAccess.READ),)}, "orgs.orgId"),
        ({"default_scope": {"userId": 7}}, "defaultScope.userId"),
        ({"default_scope": {"userId": None}}, "defaultScope.userId"),
        ({"default_scope": {"userId": ""}}, "defaultScope.userId"),
        ({"default_scope": {"participantId": "x"}}, "defaultScope.participantId"),
        ({"default_scope": {"x": "y" * 8192}}, "defaultScope"),
    ],
)
def test_a_caller_who_makes_no_sense_is_refused(create_key, api_keys, fields, where):
    caller = build_caller(**fields)

    with pytest.raises(BadInputError) as refused:
        create_key(caller, name="", expires_at=None)

    assert refused.value.field == where
    assert api_keys.list_all(caller.tenant_id) == []


@pytest.mark.parametrize("blank", ["", "  ", "i" * 257, "\udc80"])
def test_a_caller_without_a_fit_id_is_refused(create_key, blank):
    with pytest.raises(BadInputError) as refused:
        create_key(build_caller(blank), name="", expires_at=None)

    assert refused.value.field == "id"


@pytest.mark.parametrize("name", ["n" * 257, "\ud800"])
def test_a_name_that_cannot_be_kept_is_refused(create_key, name):
    with pytest.raises(BadInputError) as refused:
        create_key(build_caller(), name=name, expires_at=None)

    assert refused.value.field == "name"


def _with_grants(count: int):
    return build_caller(
        reads=tuple(f"p{number}" for number in range(count - 2)),
        orgs=(OrgGrant(org_id="o", access=OrgAccess.READ),),
        conversations=frozenset({"t"}),
    )


def test_a_key_may_have_200_grants(create_key):
    created = create_key(_with_grants(200), name="", expires_at=None)

    assert len(created.key.caller.projects) == 198


def test_a_key_may_not_have_more(create_key):
    with pytest.raises(BadInputError, match="at most 200 grants"):
        create_key(_with_grants(201), name="", expires_at=None)


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        (build_caller(default_scope={"userId": "bo"}), PermissionDeniedError),
        (build_caller(default_scope={}), PermissionDeniedError),
        (build_caller(default_scope={"projectId": "p"}, reads=("p",)), PermissionDeniedError),
        (build_caller(default_scope={"colour": "red"}), PermissionDeniedError),
        (build_caller(default_scope={"tenantId": OTHER_TENANT}), ScopeMismatchError),
        (
            build_caller(default_scope={"projectId": "q"}, writes=("p", "q"), project_limit="p"),
            KeyProjectMismatchError,
        ),
        (build_admin(default_scope={}, project_limit="p"), PermissionDeniedError),
    ],
)
def test_a_default_scope_that_the_caller_could_not_write_in_is_refused(
    create_key, caller, expected
):
    with pytest.raises(expected):
        create_key(caller, name="", expires_at=None)


@pytest.mark.parametrize(
    "caller",
    [
        build_caller(default_scope={"userId": "ana"}),
        build_caller(default_scope={"projectId": "p", "participantId": "x"}, writes=("p",)),
        build_caller(default_scope={"projectId": "p"}, writes=("p",), project_limit="p"),
        build_admin(default_scope={}),
        build_admin(default_scope={"colour": "red"}),
    ],
)
def test_a_default_scope_that_the_caller_can_write_in_is_kept(create_key, caller):
    created = create_key(caller, name="", expires_at=None)

    assert created.key.caller.default_scope == caller.default_scope


def test_a_store_that_is_down_is_told(create_key, api_keys):
    api_keys.faults.fail_next(StoreUnavailableError("Down."))

    with pytest.raises(StoreUnavailableError):
        create_key(build_caller(), name="", expires_at=None)
