"""API keys in memory."""

from dataclasses import dataclass, field

from palimpsest.domain.api_keys import ApiKey
from palimpsest.domain.errors import WriteConflictError

from tests.fakes.faults import Faults


@dataclass
class FakeApiKeyRepository:
    """See ``palimpsest.ports.api_keys.ApiKeyRepository``. ``finds`` counts the look-ups by key."""

    faults: Faults = field(default_factory=Faults)
    finds: int = 0
    _keys: dict[tuple[str, str], ApiKey] = field(default_factory=dict)

    def find(self, tenant_id: str, key_id: str) -> ApiKey | None:
        self.finds += 1
        with self.faults.strike():
            return self._keys.get((tenant_id, key_id))

    def add(self, key: ApiKey) -> None:
        with self.faults.strike():
            if _place(key) in self._keys:
                raise WriteConflictError("There is a key with this id.")
            self._keys[_place(key)] = key

    def replace(self, key: ApiKey) -> None:
        with self.faults.strike():
            if _place(key) not in self._keys:
                raise WriteConflictError("There is no key with this id.")
            self._keys[_place(key)] = key

    def list_all(self, tenant_id: str) -> list[ApiKey]:
        with self.faults.strike():
            keys = [key for (tenant, _), key in self._keys.items() if tenant == tenant_id]
            return sorted(keys, key=lambda key: key.id)


def _place(key: ApiKey) -> tuple[str, str]:
    return (key.caller.tenant_id, key.id)
