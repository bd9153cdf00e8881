"""Take an API key back."""

from dataclasses import dataclass, replace

from palimpsest.domain.api_keys import ApiKey
from palimpsest.domain.errors import NotFoundError, WriteConflictError
from palimpsest.ports.api_keys import ApiKeyRepository
from palimpsest.ports.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeKey:
    """Revokes a key for good. Warm functions may take its token for another minute."""

    api_keys: ApiKeyRepository
    clock: Clock

    def __call__(self, tenant_id: str, key_id: str) -> ApiKey:
        """Return the key as it is revoked; doing it again changes nothing, the time of the first included.

        Raises:
            NotFoundError: If the tenant has no such key.
            StoreUnavailableError: If the store does not answer in time; doing it again is safe.
        """
        key = self.api_keys.find(tenant_id, key_id)
        if key is None:
            raise NotFoundError("This tenant has no such key.")
        if key.revoked_at is not None:
            return key
        revoked = replace(key, revoked_at=self.clock.now())
        try:
            self.api_keys.replace(revoked)
        except WriteConflictError as error:  # its year was over between the two calls
            raise NotFoundError("This tenant has no such key.") from error
        return revoked
