"""Pseudonyms: how the store names a person without holding their id."""

from typing import Protocol

from palimpsest.domain.people import Person


class Pseudonyms(Protocol):
    """Names people by a keyed hash, so that the ledger of erasures can find a person whom nothing else names any more.

    A pseudonym is ``<key id>.<hash>``: HMAC-SHA-256 under the ledger's key with that id, or plain SHA-256 with the key id
    ``none`` where no key is configured. It holds only ``[A-Za-z0-9_.-]`` and at most 128 characters. The tenant goes into the
    hash, so that no two tenants share a pseudonym.
    """

    def current(self, tenant_id: str, person: Person) -> str:
        """Return the pseudonym under which a new pointer is written: that of the first listed key."""
        ...

    def all(self, tenant_id: str, person: Person) -> frozenset[str]:
        """Return the person's pseudonyms under every listed key and without one: what a search looks under."""
        ...
