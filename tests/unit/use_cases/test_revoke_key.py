from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.errors import NotFoundError, StoreUnavailableError, WriteConflictError
from palimpsest.use_cases.create_key import CreateKey
from palimpsest.use_cases.revoke_key import RevokeKey

from tests.builders import OTHER_TENANT, TENANT, build_caller
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.ids import FakeIds


@pytest.fixture
def api_keys() -> FakeApiKeyRepository:
    return FakeApiKeyRepository()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def revoke_key(api_keys: FakeApiKeyRepository, clock: FakeClock) -> RevokeKey:
    return RevokeKey(api_keys=api_keys, clock=clock)


@pytest.fixture
def key(api_keys: FakeApiKeyRepository, clock: FakeClock):
    create_key = CreateKey(api_keys=api_keys, clock=clock, ids=FakeIds())
    return create_key(build_caller(), name="", expires_at=None).key


def test_a_revoked_key_stays_in_the_list_with_its_time(revoke_key, api_keys, key):
    revoked = revoke_key(TENANT, key.id)

    assert revoked == replace(key, revoked_at=NOON)
    assert api_keys.list_all(TENANT) == [revoked]


def test_revoking_again_changes_nothing(revoke_key, clock, key):
    first = revoke_key(TENANT, key.id)

    clock.advance(timedelta(hours=1))

    assert revoke_key(TENANT, key.id) == first


@pytest.mark.parametrize("unknown", ["", "x", "01890a5d-ac96-774b-bcce-000000000009"])
def test_an_unknown_key_is_not_found(revoke_key, key, unknown):
    with pytest.raises(NotFoundError):
        revoke_key(TENANT, unknown)


def test_another_tenants_key_is_not_found(revoke_key, api_keys, key):
    with pytest.raises(NotFoundError):
        revoke_key(OTHER_TENANT, key.id)

    assert api_keys.find(TENANT, key.id) == key


def test_a_key_that_went_between_the_two_calls_is_not_found(key, clock):
    class Vanishing(FakeApiKeyRepository):
        def replace(self, key):
            raise WriteConflictError("There is no key with this id.")

    api_keys = Vanishing()
    api_keys.add(key)

    with pytest.raises(NotFoundError):
        RevokeKey(api_keys=api_keys, clock=clock)(TENANT, key.id)


def test_after_a_lost_answer_it_can_be_done_again(key, clock):
    class Forgetful(FakeApiKeyRepository):
        def replace(self, key):
            self.faults.drop_answers()
            super().replace(key)

    api_keys = Forgetful()
    api_keys.add(key)
    with pytest.raises(StoreUnavailableError):
        RevokeKey(api_keys=api_keys, clock=clock)(TENANT, key.id)

    assert RevokeKey(api_keys=api_keys, clock=clock)(TENANT, key.id).revoked_at == NOON
