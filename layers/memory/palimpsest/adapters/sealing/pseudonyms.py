"""Pseudonyms under the ledger's keys."""

from dataclasses import dataclass

from palimpsest.adapters.sealing.hashes import hash_under, message_of
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
    return message_of((tenant_id, person.kind, person.id))


def _under(key: SealingKey | None, message: bytes) -> str:
    key_id = _WITHOUT_KEY if key is None else key.id
    return f"{key_id}.{hash_under(key, message, purpose=_PURPOSE).hex()}"
