"""List a tenant's API keys."""

from dataclasses import dataclass

from palimpsest.domain.api_keys import ApiKey
from palimpsest.ports.api_keys import ApiKeyRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKeys:
    """Shows what is kept of the keys of a tenant: no token can be made of it."""

    api_keys: ApiKeyRepository

    def __call__(self, tenant_id: str) -> list[ApiKey]:
        """Return all keys, oldest first; revoked and expired ones too, until they have been so for a year.

        Raises:
            StoreUnavailableError: If the store does not answer in time.
        """
        return self.api_keys.list_all(tenant_id)
