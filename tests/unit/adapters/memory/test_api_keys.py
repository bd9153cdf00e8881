from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.adapters.memory.api_keys import MAX_KEPT, KeptApiKeys
from palimpsest.domain.api_keys import ApiKey
from palimpsest.domain.errors import StoreUnavailableError

from tests.builders import TENANT, build_caller
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.clock import NOON, FakeClock


def _key(key_id: str = "k1") -> ApiKey:
    return ApiKey(id=key_id, name="", secret_hash="h", caller=build_caller(), created_at=NOON)


@pytest.fixture
def inner() -> FakeApiKeyRepository:
    return FakeApiKeyRepository()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def kept(inner: FakeApiKeyRepository, clock: FakeClock) -> KeptApiKeys:
    return KeptApiKeys(inner=inner, clock=clock)


def test_a_found_key_is_remembered_for_a_minute(kept, inner, clock):
    inner.add(_key())

    found = [kept.find(TENANT, "k1"), kept.find(TENANT, "k1")]
    clock.advance(timedelta(seconds=59, milliseconds=999))
    found.append(kept.find(TENANT, "k1"))

    assert found == [_key()] * 3
    assert inner.finds == 1


def test_after_a_minute_the_store_is_asked_again(kept, inner, clock):
    inner.add(_key())
    kept.find(TENANT, "k1")
    inner.replace(replace(_key(), revoked_at=NOON))

    clock.advance(timedelta(seconds=60))

    assert kept.find(TENANT, "k1").revoked_at == NOON


def test_a_use_does_not_make_it_remembered_longer(kept, inner, clock):
    inner.add(_key())
    kept.find(TENANT, "k1")

    clock.advance(timedelta(seconds=40))
    kept.find(TENANT, "k1")
    clock.advance(timedelta(seconds=40))
    kept.find(TENANT, "k1")

    assert inner.finds == 2


def test_an_unknown_key_is_never_remembered(kept, inner):
    before = kept.find(TENANT, "k1")

    inner.add(_key())

    assert before is None
    assert kept.find(TENANT, "k1") == _key()


def test_a_key_of_another_tenant_is_another_key(kept, inner):
    inner.add(_key())
    kept.find(TENANT, "k1")

    assert kept.find("another", "k1") is None


def test_a_key_that_is_replaced_here_is_forgotten(kept, inner):
    kept.add(_key())
    kept.find(TENANT, "k1")

    kept.replace(replace(_key(), revoked_at=NOON))

    assert kept.find(TENANT, "k1").revoked_at == NOON
    assert kept.list_all(TENANT) == [replace(_key(), revoked_at=NOON)]


def test_a_key_is_forgotten_too_when_the_answer_to_its_replacing_was_lost(kept, inner):
    inner.add(_key())
    kept.find(TENANT, "k1")

    inner.faults.drop_answers()
    with pytest.raises(StoreUnavailableError):
        kept.replace(replace(_key(), revoked_at=NOON))

    assert kept.find(TENANT, "k1").revoked_at == NOON


def test_a_store_that_is_down_is_told_and_not_remembered(kept, inner):
    inner.add(_key())
    inner.faults.fail_next(StoreUnavailableError("Down."))

    with pytest.raises(StoreUnavailableError):
        kept.find(TENANT, "k1")

    assert kept.find(TENANT, "k1") == _key()


def test_a_clock_that_stepped_back_asks_again(kept, inner, clock):
    inner.add(_key())
    kept.find(TENANT, "k1")

    clock.advance(-timedelta(seconds=1))
    kept.find(TENANT, "k1")

    assert inner.finds == 2


def test_it_remembers_only_so_many(kept, inner):
    for number in range(MAX_KEPT + 1):
        inner.add(_key(f"k{number}"))
        kept.find(TENANT, f"k{number}")
    asked = inner.finds

    kept.find(TENANT, f"k{MAX_KEPT}")
    kept.find(TENANT, "k0")

    assert inner.finds == asked + 1
