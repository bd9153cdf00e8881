"""API keys as they are kept."""

from typing import Protocol

from palimpsest.domain.api_keys import ApiKey


class ApiKeyRepository(Protocol):
    """Keeps API keys, by tenant and key id."""

    def find(self, tenant_id: str, key_id: str) -> ApiKey | None:
        """Return a key, or None; revoked and expired ones too.

        Raises:
            StoreUnavailableError: If the store does not answer in time.
        """
        ...

    def add(self, key: ApiKey) -> None:
        """Keep a new key.

        Raises:
            WriteConflictError: If there is one with this id.
            StoreUnavailableError: If the store does not answer in time.
        """
        ...

    def replace(self, key: ApiKey) -> None:
        """Keep a key in place of the one with its id.

        Raises:
            WriteConflictError: If there is none with this id.
            StoreUnavailableError: If the store does not answer in time.
        """
        ...

    def list_all(self, tenant_id: str) -> list[ApiKey]:
        """Return all keys of a tenant, oldest first, revoked and expired ones too."""
        ...
