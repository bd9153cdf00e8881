import os
import stat

import pytest
from palimpsest.bootstrap.keys import build_list_keys, build_revoke_key
from palimpsest.domain.api_keys import token_from_text
from palimpsest.domain.callers import Caller, CallerKind

from local.data_folder import DataFolder
from local.dynoxide import dynamodb_client
from local.environment import engine_environment
from local.first_token import ensure_first_token
from local.run import TEMPLATE
from local.tables import create_tables
from local.template import Template


@pytest.fixture
def folder(tmp_path, dynoxide):
    create_tables(dynamodb_client(dynoxide.endpoint), Template.read(TEMPLATE).tables())
    environ = engine_environment(os.environ, dynoxide.endpoint, is_ours=True)
    os.environ.update(environ | {"STATE_TABLE_NAME": "StateTable"})
    folder = DataFolder.at(tmp_path / "data")
    folder.prepare()
    return folder


def test_the_first_token_is_an_admins_who_may_call_every_tool(folder):
    token = ensure_first_token(folder, os.environ)

    (key,) = build_list_keys(os.environ)(folder.tenant_id())
    assert key.caller == Caller(
        tenant_id=folder.tenant_id(),
        kind=CallerKind.USER,
        id="local",
        is_tenant_admin=True,
        tools=frozenset({"destructive"}),
        token_id=token_from_text(token).key_id,
    )
    assert key.expires_at is None
    assert folder.token_path.read_text() == f"{token}\n"
    assert stat.S_IMODE(folder.token_path.stat().st_mode) == 0o600


def test_the_next_start_gives_the_same_token(folder):
    first = ensure_first_token(folder, os.environ)

    assert ensure_first_token(folder, os.environ) == first
    assert len(build_list_keys(os.environ)(folder.tenant_id())) == 1


def test_a_token_that_was_revoked_is_replaced(folder):
    first = ensure_first_token(folder, os.environ)
    key_id = token_from_text(first).key_id
    build_revoke_key(os.environ)(folder.tenant_id(), key_id)

    second = ensure_first_token(folder, os.environ)

    assert second != first
    assert ensure_first_token(folder, os.environ) == second


@pytest.mark.parametrize("kept", ["", "nonsense", "pal_AAAA"])
def test_what_is_no_token_is_replaced(folder, kept):
    folder.token_path.write_text(kept)

    token = ensure_first_token(folder, os.environ)

    assert token_from_text(token).tenant_id == folder.tenant_id()


def test_another_tenants_token_is_no_token_here(folder, tmp_path):
    other = DataFolder.at(tmp_path / "other")
    other.prepare()
    theirs = ensure_first_token(other, os.environ)
    folder.token_path.write_text(theirs)

    assert ensure_first_token(folder, os.environ) != theirs
