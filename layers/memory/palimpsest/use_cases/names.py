"""Pseudonyms of the people whom a fact names."""

from collections.abc import Iterable
from dataclasses import replace

from palimpsest.domain.facts import Fact
from palimpsest.domain.people import Person
from palimpsest.ports.pseudonyms import Pseudonyms


def with_names(fact: Fact, pseudonyms: Pseudonyms) -> Fact:
    """Return the fact with the pseudonyms of everybody whom its newest revision names added to those it holds."""
    tenant_id = fact.revision.scope.tenant_id
    new = {pseudonyms.current(tenant_id, person) for person in fact.revision.people}
    return replace(fact, named=fact.named | new)


def all_names(people: Iterable[Person], tenant_id: str, pseudonyms: Pseudonyms) -> frozenset[str]:
    """Return the pseudonyms of these people under every listed key: what open erasures are compared with."""
    return frozenset(name for person in people for name in pseudonyms.all(tenant_id, person))
