from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.api_keys import ApiKey, Token
from palimpsest.domain.errors import (
    StoreUnavailableError,
    TokenExpiredError,
    TokenMissingError,
    TokenRevokedError,
)
from palimpsest.use_cases.authenticate import Authenticate

from tests.builders import OTHER_TENANT, TENANT, build_caller
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.clock import NOON, FakeClock

KEY_ID = "01890a5d-ac96-774b-bcce-000000000001"
TOKEN = Token(tenant_id=TENANT, key_id=KEY_ID, secret=b"s" * 32)


@pytest.fixture
def api_keys() -> FakeApiKeyRepository:
    return FakeApiKeyRepository()


@pytest.fixture
def authenticate(api_keys: FakeApiKeyRepository) -> Authenticate:
    return Authenticate(api_keys=api_keys, clock=FakeClock())


def _key(**fields) -> ApiKey:
    given = {"caller": build_caller(token_id=KEY_ID), **fields}
    return ApiKey(id=KEY_ID, name="", secret_hash=TOKEN.secret_hash, created_at=NOON, **given)


def test_a_known_token_is_its_caller(authenticate, api_keys):
    key = _key(expires_at=NOON + timedelta(milliseconds=1))
    api_keys.add(key)

    assert authenticate(TOKEN.to_text()) == key.caller


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pal_",
        "pal_!!!!",
        "Bearer x",
        "\ud800",
        TOKEN.to_text().removeprefix("pal_"),
        TOKEN.to_text() + "A",
        "pal_" + TOKEN.to_text(),
        replace(TOKEN, secret=b"t" * 32).to_text(),
        replace(TOKEN, tenant_id=OTHER_TENANT).to_text(),
        replace(TOKEN, key_id=TENANT).to_text(),
    ],
)
def test_any_other_text_is_no_token_and_all_are_told_alike(authenticate, api_keys, text):
    api_keys.add(_key())

    with pytest.raises(TokenMissingError) as refused:
        authenticate(text)

    assert str(refused.value) == ("No valid token: send one as 'Authorization: Bearer <token>'.")


def test_a_revoked_token_is_told_so_even_when_it_has_expired_too(authenticate, api_keys):
    api_keys.add(_key(revoked_at=NOON, expires_at=NOON))

    with pytest.raises(TokenRevokedError):
        authenticate(TOKEN.to_text())


def test_a_token_expires_at_the_very_instant(authenticate, api_keys):
    api_keys.add(_key(expires_at=NOON))

    with pytest.raises(TokenExpiredError):
        authenticate(TOKEN.to_text())


@pytest.mark.parametrize("limit", ["", "  "])
def test_a_blank_project_limit_opens_nothing(authenticate, api_keys, limit):
    api_keys.add(_key(caller=build_caller(is_tenant_admin=True, project_limit=limit)))

    with pytest.raises(TokenMissingError, match="without a name"):
        authenticate(TOKEN.to_text())


def test_a_store_that_is_down_is_no_fault_of_the_token(authenticate, api_keys):
    api_keys.faults.fail_next(StoreUnavailableError("Down."))

    with pytest.raises(StoreUnavailableError):
        authenticate(TOKEN.to_text())
