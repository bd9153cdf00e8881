"""Ids of entities: made from what an entity is, so that two writers at once make one."""

from typing import Protocol

from palimpsest.domain.entities import EntityKey
from palimpsest.domain.scopes import Scope


class EntityIds(Protocol):
    """Makes the id that an entity gets when it appears, and keeps for as long as it stands.

    HMAC-SHA-256 under the first of the ledger's keys, or plain SHA-256 where no key is configured, over tenant, exact scope,
    type and canonical name: nobody learns from an id whether a scope that they may not see has such an entity. A list whose
    first key changed gives new entities other ids; those that stand have theirs stored.
    """

    def id_of(self, scope: Scope, key: EntityKey) -> str:
        """Return a lower-case UUID of the form of version 4; its first eight characters tell entities apart."""
        ...
