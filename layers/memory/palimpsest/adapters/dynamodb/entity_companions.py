"""What observations and relations bring along: the entities that they name, what hangs on those, and how many there are.

Which facts hang on which entity follows from the facts alone (``palimpsest.domain.ties``). What is read here first is whether
an entity stands, for it appears with its first tie and goes with its last; that it still is so is a condition of every write.

An entity has one item, so writers of one entity take turns. Totals are spread over ``entity_keys.TOTAL_SHARDS`` items a type.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from palimpsest.adapters.dynamodb.attributes import (
    Item,
    item_bytes,
    number,
    read_instant,
    read_number,
    read_text,
    text,
)
from palimpsest.adapters.dynamodb.companions import Passage, check_claims_differ, is_free_for
from palimpsest.adapters.dynamodb.entity_items import EntityPlace, entity_to_item, moved_up
from palimpsest.adapters.dynamodb.reads import Reads
from palimpsest.adapters.dynamodb.requests import OLD_ITEM, Request
from palimpsest.adapters.dynamodb.writes import Write
from palimpsest.domain.entities import Entity, EntityKey, EntityName
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.observations import OBSERVATION_TYPE
from palimpsest.domain.relations import RELATION_TYPE
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import EntityChange, Side, Tie, changes_between
from palimpsest.ports.entity_ids import EntityIds

Key = tuple[str, str]
# A fact that is gone may be taken off twice at the same time: counted out, and untied.
_HANGS = {"ConditionExpression": "attribute_exists(pk)"}


@dataclass(slots=True, kw_only=True)
class _Gathered:
    """What one transaction does to one entity.

    Attributes:
        place: Where it lies.
        name: As the first of its facts here writes it.
        added: Ties that it gets, each with its fact.
        removed: Ties that it loses.
        told_at: When it is told something; None if it is not.
    """

    place: EntityPlace
    name: EntityName
    added: list[tuple[str, Tie]] = field(default_factory=list)
    removed: list[tuple[str, Tie]] = field(default_factory=list)
    told_at: datetime | None = None

    def take(self, fact_id: str, change: EntityChange, at: datetime) -> None:
        """Add what one fact does."""
        self.added += [(fact_id, tie) for tie in change.added]
        self.removed += [(fact_id, tie) for tie in change.removed]
        if change.is_told:
            self.told_at = max(at, self.told_at or at)

    def growth(self, *sides: Side) -> int:
        """Return by how many ties of these sides it grows; below 0 where it shrinks."""
        gained = sum(tie.side in sides for _, tie in self.added)
        return gained - sum(tie.side in sides for _, tie in self.removed)

    @property
    def keys(self) -> list[Item]:
        """What has to be read first: whether it stands, and what it is said to lose."""
        lost = [self.place.tie(tie.side, fact_id) for fact_id, tie in self.removed]
        marks = [self.place.mark(tie.mark) for _, tie in self.removed if tie.mark]
        return [self.place.entity, *lost, *marks]


@dataclass(slots=True)
class _Counts:
    """What a transaction adds to one total; below 0 it takes away."""

    entities: int = 0
    observations: int = 0
    relations: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCompanions:
    """See ``CompanionPlanner``.

    Attributes:
        table: ConceptsTable's name.
        reads: Reads what stands, in one call.
        ids: Gives an entity its id when it appears. None for a function that only counts out: none appears there.
    """

    table: str
    reads: Reads
    ids: EntityIds | None

    @property
    def types(self) -> frozenset[str]:
        """See ``CompanionPlanner``."""
        return frozenset({OBSERVATION_TYPE, RELATION_TYPE})

    def plan(self, passages: Sequence[Passage], *, stale: frozenset[str] | None) -> list[Write]:
        """See ``CompanionPlanner``. One BatchGetItem, if an entity is named at all."""
        return self._plan(_gathered(passages), stale)

    def plan_untying(self, scope: Scope, key: EntityKey, side: Side, fact_id: str) -> list[Write]:
        """Return what takes a fact that is gone off one entity; nothing where it does not hang there. One BatchGetItem."""
        name = EntityName(key.name, key.type)
        lost = [(fact_id, Tie(entity=name, side=side))]
        return self._plan([_Gathered(place=EntityPlace(scope, key), name=name, removed=lost)], None)

    def _plan(self, gathered: Sequence[_Gathered], stale: frozenset[str] | None) -> list[Write]:
        wanted = {_key_of(key): key for each in gathered for key in each.keys}
        if not wanted:
            return []
        items = self.reads.find_all({self.table: list(wanted.values())})[self.table]
        found = {_key_of(item): item for item in items}
        writes: list[Write] = []
        totals: dict[Key, tuple[EntityPlace, _Counts]] = {}
        for each in gathered:
            # What never hung on it, such as a fact that is older than entities are, is not taken off its counts.
            each.removed = [
                t for t in each.removed if _key_of(each.place.tie(t[1].side, t[0])) in found
            ]
            counts = _Counts()
            writes += self._entity(each, found.get(_key_of(each.place.entity)), counts)
            writes += self._ties(each)
            writes += self._marks(each, found, stale)
            _, total = totals.setdefault(_key_of(each.place.total), (each.place, _Counts()))
            total.entities += counts.entities
            total.observations += each.growth(Side.OBSERVATION)
            total.relations += each.growth(Side.OUT)
        check_claims_differ(writes)
        return [*writes, *self._totals(totals)]

    def _entity(self, each: _Gathered, item: Item | None, counts: _Counts) -> Iterator[Write]:
        """Yield what happens to the entity's own item, and count its coming and going."""
        growth = each.growth(*Side)
        if item is None:
            if each.added:
                counts.entities = 1
                yield self._appearing(each)
        elif read_number(item, "ties") + growth <= 0:
            counts.entities = -1
            yield self._write("Delete", each.place.entity, item, _stands_with(item))
        else:
            yield from self._changing(each, item, growth)

    def _appearing(self, each: _Gathered) -> Write:
        at = each.told_at
        if at is None or self.ids is None:
            raise ValueError("an entity that gets a tie is told something, and given an id")
        entity = Entity(
            id=self.ids.id_of(each.place.scope, each.place.key),
            name=each.name.name,
            type=each.name.type,
            updated_at=at,
            observations=each.growth(Side.OBSERVATION),
            relations=each.growth(Side.OUT, Side.IN),
        )
        item = entity_to_item(each.place, entity)
        condition = {"ConditionExpression": "attribute_not_exists(pk)", **OLD_ITEM}
        return Write(action="Put", request={"TableName": self.table, "Item": item, **condition})

    def _changing(self, each: _Gathered, item: Item, growth: int) -> Iterator[Write]:
        """Yield the update of an entity that stands before and after, if there is anything to update."""
        entity_id = read_text(item, "entityId")
        sets = (
            moved_up(entity_id, each.told_at)
            if each.told_at is not None and read_instant(item, "updatedAt") < each.told_at
            else {}
        )
        growths = {"observations": each.growth(Side.OBSERVATION), "ties": growth}
        adds = {name: number(count) for name, count in growths.items() if count}
        if not sets and not adds:
            return
        values: dict[str, Any] = {":id": text(entity_id)}
        condition = "entityId = :id"  # it has not gone meanwhile
        if growth < 0:
            # Others may take ties off it at the same time: one must stay, or this is not the way it goes.
            condition += " AND ties > :lost"
            values[":lost"] = number(-growth)
        yield self._write(
            "Update",
            each.place.entity,
            item,
            {
                "UpdateExpression": _expression(sets, adds),
                "ConditionExpression": condition,
                "ExpressionAttributeNames": {f"#{name}": name for name in (*sets, *adds)},
                "ExpressionAttributeValues": {
                    **values,
                    **{f":{name}": value for name, value in {**sets, **adds}.items()},
                },
            },
        )

    def _ties(self, each: _Gathered) -> Iterator[Write]:
        has = {_key_of(each.place.tie(tie.side, fact_id)) for fact_id, tie in each.added}
        for fact_id, tie in each.added:
            item = {**each.place.tie(tie.side, fact_id), "factId": text(fact_id)}
            yield Write(action="Put", request={"TableName": self.table, "Item": item})
        for fact_id, tie in each.removed:
            key = each.place.tie(tie.side, fact_id)
            if _key_of(key) not in has:  # the same fact may say something else of the entity
                yield self._write("Delete", key, key, _HANGS)

    def _marks(
        self, each: _Gathered, found: Mapping[Key, Item], stale: frozenset[str] | None
    ) -> Iterator[Write]:
        has = {tie.mark for _, tie in each.added}
        for fact_id, tie in each.added:
            if not tie.mark:
                continue
            item = {**each.place.mark(tie.mark), "factId": text(fact_id)}
            put: Request = {"TableName": self.table, "Item": item}
            if stale is None:
                yield Write(action="Put", request=put)
            else:
                condition = is_free_for(fact_id, stale | {lost for lost, _ in each.removed})
                yield Write(action="Put", request={**put, **condition}, is_claim=True)
        for fact_id, tie in each.removed:
            key = each.place.mark(tie.mark)
            item_there = found.get(_key_of(key)) if tie.mark and tie.mark not in has else None
            if item_there is not None and read_text(item_there, "factId") == fact_id:
                yield self._write("Delete", key, item_there, _held_by(fact_id))

    def _totals(self, totals: Mapping[Key, tuple[EntityPlace, _Counts]]) -> Iterator[Write]:
        for place, counts in totals.values():
            if counts == _Counts():
                continue
            adds = {
                "entities": number(counts.entities),
                "observations": number(counts.observations),
                "relations": number(counts.relations),
            }
            sets = {"type": text(place.key.type)}
            request = {
                "UpdateExpression": _expression(sets, adds),
                "ExpressionAttributeNames": {f"#{name}": name for name in (*sets, *adds)},
                "ExpressionAttributeValues": {
                    f":{name}": value for name, value in {**sets, **adds}.items()
                },
            }
            yield self._write("Update", place.total, {**place.total, **sets, **adds}, request)

    def _write(self, action: Any, key: Item, item: Item, more: Mapping[str, Any]) -> Write:
        """Return a write of one item by its key; conditions show what stood there."""
        shown = OLD_ITEM if "ConditionExpression" in more else {}
        request: Request = {"TableName": self.table, "Key": key, **more, **shown}
        return Write(action=action, request=request, weight=item_bytes(item))


def _gathered(passages: Sequence[Passage]) -> list[_Gathered]:
    """Return what a transaction does to each entity that one of its facts names."""
    gathered: dict[tuple[str, EntityKey], _Gathered] = {}
    for passage in passages:
        revision = passage.after.revision
        for change in changes_between(passage.before, passage.left):
            key = change.entity.key
            each = gathered.setdefault(
                (scope_hash(revision.scope), key),
                _Gathered(place=EntityPlace(revision.scope, key), name=change.entity),
            )
            each.take(passage.after.id, change, revision.created_at)
    return list(gathered.values())


def _stands_with(item: Item) -> dict[str, Any]:
    """Return the condition that an entity has the ties that were read, and no more."""
    return {
        "ConditionExpression": "entityId = :id AND ties = :ties",
        "ExpressionAttributeValues": {":id": item["entityId"], ":ties": item["ties"]},
    }


def _held_by(fact_id: str) -> dict[str, Any]:
    return {
        "ConditionExpression": "factId = :holder",
        "ExpressionAttributeValues": {":holder": text(fact_id)},
    }


def _expression(sets: Mapping[str, Any], adds: Mapping[str, Any]) -> str:
    parts = []
    if sets:
        parts.append("SET " + ", ".join(f"#{name} = :{name}" for name in sets))
    if adds:
        parts.append("ADD " + ", ".join(f"#{name} :{name}" for name in adds))
    return " ".join(parts)


def _key_of(item: Item) -> Key:
    return read_text(item, "pk"), read_text(item, "sk")
