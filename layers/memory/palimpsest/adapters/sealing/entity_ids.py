"""Ids of entities under the ledger's first key."""

import uuid
from dataclasses import dataclass

from palimpsest.adapters.sealing.hashes import hash_under, message_of
from palimpsest.domain.entities import EntityKey
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.scopes import Scope
from palimpsest.ports.key_lists import KeyLists

_PURPOSE = b"palimpsest entity ids v1"
_UUID_BYTES = 16


@dataclass(frozen=True, slots=True)
class KeyedEntityIds:
    """See ``palimpsest.ports.entity_ids.EntityIds``.

    Attributes:
        key_lists: The ledger's keys; None where the deployment has none.
    """

    key_lists: KeyLists | None

    def id_of(self, scope: Scope, key: EntityKey) -> str:
        """See ``EntityIds.id_of``.

        Raises:
            StoreError: If the key list was never read and cannot be read now.
        """
        first = None if self.key_lists is None else self.key_lists.list_keys()[0]
        message = message_of((scope.tenant_id, scope_hash(scope), key.type, key.name))
        digest = hash_under(first, message, purpose=_PURPOSE)
        # Sets the six bits by which RFC 9562 §5.4 knows version 4; the others stay the hash's.
        return str(uuid.UUID(bytes=digest[:_UUID_BYTES], version=4))
