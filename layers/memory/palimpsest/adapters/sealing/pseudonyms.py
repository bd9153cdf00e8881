"""Pseudonyms under the ledger's keys."""

import hashlib
import hmac
from dataclasses import dataclass

from palimpsest.adapters.sealing.derivation import derive
from palimpsest.domain.people import Person
from palimpsest.domain.sealing_keys import SealingKey
from palimpsest.ports.key_lists import KeyLists

_PURPOSE = b"palimpsest ledger v1"
_WITHOUT_KEY = "none"


@dataclass(frozen=True, slots=True)
class KeyedPseudonyms:
    """Names people by HMAC-SHA-256. See ``palimpsest.ports.pseudonyms.Pseudonyms``.

    Attributes:
        key_lists: The ledger's keys; None where the deployment has none.
    """

    key_lists: KeyLists | None

    def current(self, tenant_id: str, person: Person) -> str:
        """See ``Pseudonyms.current``.

        Raises:
            StoreError: If the key list was never read and cannot be read now.
        """
        keys = self._keys()
        return _under(keys[0] if keys else None, _message(tenant_id, person))

    def all(self, tenant_id: str, person: Person) -> frozenset[str]:
        """See ``Pseudonyms.all``.

        Raises:
            StoreError: If the key list was never read and cannot be read now.
        """
        message = _message(tenant_id, person)
        return frozenset(_under(key, message) for key in (*self._keys(), None))

    def _keys(self) -> tuple[SealingKey, ...]:
        return () if self.key_lists is None else self.key_lists.list_keys()


def _message(tenant_id: str, person: Person) -> bytes:
    """Return tenant, kind and id, each behind its length, so that no two triples share a message."""
    parts = (part.encode() for part in (tenant_id, person.kind, person.id))
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def _under(key: SealingKey | None, message: bytes) -> str:
    if key is None:
        return f"{_WITHOUT_KEY}.{hashlib.sha256(message).hexdigest()}"
    digest = hmac.digest(derive(key, purpose=_PURPOSE), message, "sha256")
    return f"{key.id}.{digest.hex()}"
