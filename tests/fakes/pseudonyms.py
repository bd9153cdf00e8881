"""Pseudonyms under keys that are no secrets."""

import hashlib
from dataclasses import dataclass

from palimpsest.domain.people import Person


@dataclass(frozen=True)
class FakePseudonyms:
    """See ``palimpsest.ports.pseudonyms.Pseudonyms``. The first key writes, every key and ``none`` are searched."""

    key_ids: tuple[str, ...] = ("k1",)

    def current(self, tenant_id: str, person: Person) -> str:
        return _pseudonym((*self.key_ids, "none")[0], tenant_id, person)

    def all(self, tenant_id: str, person: Person) -> frozenset[str]:
        return frozenset(_pseudonym(key, tenant_id, person) for key in (*self.key_ids, "none"))


def _pseudonym(key_id: str, tenant_id: str, person: Person) -> str:
    parts = "\x00".join((key_id, tenant_id, person.kind, person.id))
    return f"{key_id}.{hashlib.sha256(parts.encode()).hexdigest()}"
