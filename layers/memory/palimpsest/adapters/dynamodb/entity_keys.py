"""Keys of entities and what hangs on them, in ConceptsTable, by the rules of ``palimpsest.adapters.dynamodb.concept_keys``.

One of each kind, with a tenant ``018f…57`` and a scope whose hash is ``9c11…a5``:

    an entity                  pk  018f…57#entity#9c11…a5#acme%20corp  sk  E#organization
    a fact that hangs on it    pk  018f…57#entity#9c11…a5#acme%20corp  sk  T#organization#observation#018f…0a
    what such a fact says      pk  018f…57#entity#9c11…a5#acme%20corp  sk  M#organization#observation.77ab…
    how many there are         pk  018f…57#entity-totals#9c11…a5       sk  organization#3
    byUpdate                   pk  018f…57#entities#9c11…a5#organization   sk  998223…#550e8400-…
"""

from datetime import datetime

from palimpsest.adapters.dynamodb.concept_keys import in_scope
from palimpsest.adapters.dynamodb.keys import join, number_of, part
from palimpsest.domain.entities import EntityKey, EntityType
from palimpsest.domain.instants import to_epoch_milliseconds
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import Side

BY_UPDATE = "byUpdate"
ENTITY_PREFIX = "E#"

# Into how many items the counters of one type are spread: writers of different entities seldom meet, and all counters of a
# scope are still one small read. It never changes: what was counted in one item is counted down in it.
TOTAL_SHARDS = 4

# The milliseconds of the year 9999 have so many digits. Counted down from the highest number, later comes first.
_INSTANT_DIGITS = 15
_END_OF_TIME = 10**_INSTANT_DIGITS - 1
# Sorts behind every fact id.
_BEHIND_IDS = "~"


def entity_key(scope: Scope, canonical_name: str) -> str:
    """Return the partition key of the entities of one name, of any type, and of all that hangs on them."""
    return join(*in_scope(scope, "entity"), part(canonical_name))


def entity_sort_key(kind: EntityType) -> str:
    """Return the sort key of an entity."""
    return f"{ENTITY_PREFIX}{kind}"


def tie_sort_key(kind: EntityType, side: Side, fact_id: str) -> str:
    """Return the sort key of a fact that hangs on an entity; those of one side sort as their ids do."""
    return join("T", kind, side, part(fact_id))


def tie_sort_keys(kind: EntityType, side: Side, before: str | None) -> tuple[str, str]:
    """Return bounds of the sort keys of one side: with ``before``, up to and with the one of that fact."""
    return join("T", kind, side, ""), join("T", kind, side, part(before) if before else _BEHIND_IDS)


def mark_sort_key(kind: EntityType, mark: str) -> str:
    """Return the sort key of what a fact says of an entity."""
    return join("M", kind, part(mark))


def totals_key(scope: Scope) -> str:
    """Return the partition key of all counters of a scope."""
    return join(*in_scope(scope, "entity-totals"))


def total_sort_key(key: EntityKey) -> str:
    """Return the sort key of the counters that an entity counts in."""
    return join(key.type, str(number_of(key.name) % TOTAL_SHARDS))


def list_key(scope: Scope, kind: EntityType) -> str:
    """Return the partition key, in ``byUpdate``, of the entities of a type."""
    return join(*in_scope(scope, "entities"), kind)


def updated_key(at: datetime, entity_id: str) -> str:
    """Return the sort key, in ``byUpdate``, of an entity: the latest update sorts first, those of one instant by id."""
    return join(f"{_END_OF_TIME - to_epoch_milliseconds(at):0{_INSTANT_DIGITS}d}", entity_id)
