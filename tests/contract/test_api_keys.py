from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.api_keys import ApiKey
from palimpsest.domain.callers import (
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.client_envs import ClientEnv
from palimpsest.domain.errors import WriteConflictError

from tests.builders import OTHER_TENANT, TENANT, build_admin, build_caller
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds


@pytest.fixture
def api_keys(stores):
    return stores().api_keys


def build_key(ids: FakeIds, **fields) -> ApiKey:
    given = {"name": "nightly import", "secret_hash": "ab" * 32, "caller": build_admin(), **fields}
    return ApiKey(id=ids.new_id(), created_at=NOON, **given)


@pytest.fixture
def ids():
    return FakeIds()


def test_a_key_is_found_as_it_was_kept(api_keys, ids):
    key = build_key(ids)

    api_keys.add(key)

    assert api_keys.find(TENANT, key.id) == key


def test_a_key_with_everything_comes_back_equal(api_keys, ids):
    caller = build_caller(
        "app #/\x00😀",
        kind=CallerKind.AGENT,
        projects={
            "p": ProjectGrant(project_id="p", access=ProjectAccess.WRITE, org_id="o"),
            "q": ProjectGrant(project_id="q", access=ProjectAccess.READ),
        },
        orgs=(OrgGrant(org_id="o", access=OrgAccess.ADMIN),),
        conversations=frozenset({"t", "u"}),
        project_limit="p",
        default_scope={"projectId": "p", "teamId": {"": [1, None]}},
        tools=frozenset({"destructive"}),
        token_id="k",
        client_env=ClientEnv.CLAUDE,
        agent_version="1.2",
    )
    key = build_key(
        ids, caller=caller, expires_at=NOON + timedelta(days=1), revoked_at=NOON, name="\x00😀"
    )

    api_keys.add(key)

    assert api_keys.find(TENANT, key.id) == key


@pytest.mark.parametrize("key_id", ["", "#", "x" * 5000, "01890a5d-ac96-774b-bcce-b302099a8057"])
def test_what_is_no_key_is_not_found(api_keys, key_id):
    assert api_keys.find(TENANT, key_id) is None


def test_a_key_of_another_tenant_is_not_found(api_keys, ids):
    key = build_key(ids)
    api_keys.add(key)

    assert api_keys.find(OTHER_TENANT, key.id) is None
    assert api_keys.list_all(OTHER_TENANT) == []


def test_an_id_is_given_once(api_keys, ids):
    key = build_key(ids)
    api_keys.add(key)

    with pytest.raises(WriteConflictError):
        api_keys.add(replace(key, name="another"))

    assert api_keys.find(TENANT, key.id) == key


def test_a_revoked_key_stays_and_is_found_revoked(api_keys, ids):
    key = build_key(ids)
    api_keys.add(key)
    revoked = replace(key, revoked_at=NOON)

    api_keys.replace(revoked)

    assert api_keys.find(TENANT, key.id) == revoked


def test_a_key_that_is_not_there_cannot_be_replaced(api_keys, ids):
    key = build_key(ids)

    with pytest.raises(WriteConflictError):
        api_keys.replace(key)

    assert api_keys.find(TENANT, key.id) is None


def test_all_keys_are_listed_oldest_first(api_keys, ids):
    kept = [build_key(ids), build_key(ids, revoked_at=NOON), build_key(ids, expires_at=NOON)]
    for key in reversed(kept):
        api_keys.add(key)

    assert api_keys.list_all(TENANT) == kept
