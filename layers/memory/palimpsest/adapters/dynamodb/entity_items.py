"""Entities, their ties, marks and totals as items of ConceptsTable, and back. Pure: no client here.

An entity lies with all that hangs on it in the partition of its name. ``ties`` is how many facts hang on it: 0 never stands.
A *tie* is one of these facts; a *mark* is what one of them says, and which was written last to say it. A *total* counts the
entities of one type in one scope, and what hangs on them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from palimpsest.adapters.dynamodb import entity_keys
from palimpsest.adapters.dynamodb.attributes import (
    Item,
    Value,
    instant,
    number,
    read_instant,
    read_number,
    read_text,
    text,
)
from palimpsest.domain.entities import Entity, EntityKey, EntityType, Totals
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import Side


@dataclass(frozen=True, slots=True)
class EntityPlace:
    """Where an entity and what hangs on it lie.

    Attributes:
        scope: Exactly this one.
        key: Of the entity.
    """

    scope: Scope
    key: EntityKey

    @property
    def entity(self) -> Item:
        """The key of the entity itself."""
        return self._key(entity_keys.entity_sort_key(self.key.type))

    def tie(self, side: Side, fact_id: str) -> Item:
        """Return the key of a tie."""
        return self._key(entity_keys.tie_sort_key(self.key.type, side, fact_id))

    def mark(self, mark: str) -> Item:
        """Return the key of a mark."""
        return self._key(entity_keys.mark_sort_key(self.key.type, mark))

    @property
    def total(self) -> Item:
        """The key of the counters that this entity counts in."""
        return {
            "pk": text(entity_keys.totals_key(self.scope)),
            "sk": text(entity_keys.total_sort_key(self.key)),
        }

    def _key(self, sort_key: str) -> Item:
        pk = entity_keys.entity_key(self.scope, self.key.name)
        return {"pk": text(pk), "sk": text(sort_key)}


def entity_to_item(place: EntityPlace, entity: Entity) -> dict[str, Value]:
    """Return the item of an entity."""
    return {
        **place.entity,
        "entityId": text(entity.id),
        "name": text(entity.name),
        "type": text(entity.type),
        "observations": number(entity.observations),
        "ties": number(entity.observations + entity.relations),
        "listKey": text(entity_keys.list_key(place.scope, entity.type)),
        **moved_up(entity.id, entity.updated_at),
    }


def moved_up(entity_id: str, at: datetime) -> dict[str, Value]:
    """Return the attributes that say when an entity was last told something, and where it stands in lists for that."""
    return {
        "updatedAt": instant(at),
        "updatedKey": text(entity_keys.updated_key(at, entity_id)),
    }


def entity_from_item(item: Item) -> Entity:
    """See ``entity_to_item``."""
    observations = read_number(item, "observations")
    return Entity(
        id=read_text(item, "entityId"),
        name=read_text(item, "name"),
        type=EntityType(read_text(item, "type")),
        updated_at=read_instant(item, "updatedAt"),
        observations=observations,
        relations=read_number(item, "ties") - observations,
    )


def totals_from_items(items: Iterable[Item]) -> Totals:
    """Return the sums of a scope's counters."""
    entities: dict[EntityType, int] = {}
    observations = relations = 0
    for item in items:
        kind = EntityType(read_text(item, "type"))
        entities[kind] = entities.get(kind, 0) + read_number(item, "entities")
        observations += read_number(item, "observations")
        relations += read_number(item, "relations")
    there = {kind: count for kind, count in entities.items() if count}
    return Totals(entities=there, observations=observations, relations=relations)


def sorted_for_lists(entities: Iterable[Entity]) -> list[Entity]:
    """Return entities latest update first, those of one instant by id."""
    by_id = sorted(entities, key=lambda entity: entity.id)
    return sorted(by_id, key=lambda entity: entity.updated_at, reverse=True)
