"""Ids of entities under a key that is no secret."""

import hashlib
import uuid
from dataclasses import dataclass

from palimpsest.domain.entities import EntityKey
from palimpsest.domain.scopes import Scope


@dataclass
class FakeEntityIds:
    """See ``palimpsest.ports.entity_ids.EntityIds``.

    Attributes:
        secret: A test that rotates the key sets another.
    """

    secret: str = "k1"

    def id_of(self, scope: Scope, key: EntityKey) -> str:
        named = sorted((name, str(value)) for name, value in scope.items())
        said = repr((self.secret, named, key.type.value, key.name))
        return str(uuid.UUID(bytes=hashlib.sha256(said.encode()).digest()[:16], version=4))
