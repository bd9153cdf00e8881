from palimpsest.use_cases.create_key import CreateKey
from palimpsest.use_cases.list_keys import ListKeys

from tests.builders import OTHER_TENANT, TENANT, build_caller
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.clock import FakeClock
from tests.fakes.ids import FakeIds


def test_a_tenants_keys_come_oldest_first_and_no_others():
    api_keys = FakeApiKeyRepository()
    create_key = CreateKey(api_keys=api_keys, clock=FakeClock(), ids=FakeIds())
    first = create_key(build_caller(), name="first", expires_at=None).key
    create_key(build_caller(tenant_id=OTHER_TENANT), name="strange", expires_at=None)
    second = create_key(build_caller(), name="second", expires_at=None).key

    listed = ListKeys(api_keys=api_keys)(TENANT)

    assert listed == [first, second]
