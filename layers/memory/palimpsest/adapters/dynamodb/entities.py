"""Entities in DynamoDB: see ``palimpsest.ports.entities`` for what is promised. ``entity_plans`` writes what is read here."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import entity_keys
from palimpsest.adapters.dynamodb.attributes import Item, instant, read_text, text
from palimpsest.adapters.dynamodb.entity_companions import EntityCompanions
from palimpsest.adapters.dynamodb.entity_items import (
    EntityPlace,
    entity_from_item,
    moved_up,
    sorted_for_lists,
    totals_from_items,
)
from palimpsest.adapters.dynamodb.entity_lists import KeyPage, keys_in
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.adapters.dynamodb.reads import MAX_KEYS, Reads, side_by_side
from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.entities import Entity, EntityKey, EntityType, Totals, Window
from palimpsest.domain.errors import WriteConflictError
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import Side
from palimpsest.ports.entities import EntityPage
from palimpsest.ports.pauses import Pauses

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamoDBEntityDirectory:
    """See ``EntityDirectory``.

    Attributes:
        client: Everything here may be sent again without harm.
        concepts_table: Name.
        pauses: Waits before asking again for what a busy store left out.
    """

    client: "DynamoDBClient"
    concepts_table: str
    pauses: Pauses

    def find(self, scope: Scope, name: str) -> list[Entity]:
        """See ``EntityDirectory``. One Query."""
        items = self._query(
            "pk = :pk AND begins_with(sk, :entity)",
            {
                ":pk": entity_keys.entity_key(scope, canonical_concept(name)),
                ":entity": entity_keys.ENTITY_PREFIX,
            },
        )
        return sorted_for_lists(map(entity_from_item, items))

    def list_page(self, scope: Scope, types: frozenset[EntityType], window: Window) -> EntityPage:
        """See ``EntityDirectory``. One Query, one of keys for each type that there is, and one BatchGetItem for each 100."""
        totals = self.count(scope)
        total = totals.count(types)
        there = [kind for kind in sorted(totals.entities) if not types or kind in types]
        lists = [entity_keys.list_key(scope, kind) for kind in there]
        keys = keys_in(window, lists, self._keys) if window.offset < total else []
        return EntityPage(entities=self._load(keys), total=total)

    def count(self, scope: Scope) -> Totals:
        """See ``EntityDirectory``. One Query: a scope has ``TOTAL_SHARDS`` counters a type at most."""
        return totals_from_items(self._query("pk = :pk", {":pk": entity_keys.totals_key(scope)}))

    def list_ties(
        self,
        scope: Scope,
        key: EntityKey,
        side: Side,
        *,
        limit: int,
        before: str | None = None,
    ) -> list[str]:
        """See ``EntityDirectory``. One Query."""
        first, last = entity_keys.tie_sort_keys(key.type, side, before)
        items = self._query(
            "pk = :pk AND sk BETWEEN :first AND :last",
            {":pk": entity_keys.entity_key(scope, key.name), ":first": first, ":last": last},
            # Bounds are part of what they bound: the fact before may come too.
            Limit=limit + 1,
            ScanIndexForward=False,
        )
        ids = (read_text(item, "factId") for item in items)
        return [fact_id for fact_id in ids if fact_id != before][:limit]

    def untie(self, scope: Scope, key: EntityKey, side: Side, fact_id: str) -> None:
        """See ``EntityDirectory``. One BatchGetItem and one transaction."""
        planner = EntityCompanions(table=self.concepts_table, reads=self._reads, ids=None)
        writes = planner.plan_untying(scope, key, side, fact_id)
        if writes:
            request: dict[str, Any] = {"TransactItems": [{w.action: w.request} for w in writes]}
            with store_errors():
                self.client.transact_write_items(**request)

    def touch(self, scope: Scope, keys: Collection[EntityKey], at: datetime) -> None:
        """See ``EntityDirectory``. One GetItem and one UpdateItem for each."""
        for key in keys:
            place = EntityPlace(scope, key)
            item = self._reads.find(self.concepts_table, place.entity)
            if item is not None:
                self._move_up(place, read_text(item, "entityId"), at)

    def _move_up(self, place: EntityPlace, entity_id: str, at: datetime) -> None:
        attributes = moved_up(entity_id, at)
        request: dict[str, Any] = {
            "TableName": self.concepts_table,
            "Key": place.entity,
            "UpdateExpression": "SET updatedAt = :at, updatedKey = :key",
            # An entity that has gone meanwhile stays gone; one that is above stays there.
            "ConditionExpression": "entityId = :id AND updatedAt < :at",
            "ExpressionAttributeValues": {
                ":at": instant(at),
                ":key": attributes["updatedKey"],
                ":id": text(entity_id),
            },
        }
        try:
            with store_errors():
                self.client.update_item(**request)
        except WriteConflictError:
            return

    def _load(self, keys: list[Item]) -> list[Entity]:
        """Return the entities of keys that the index gave; without those that have gone since."""
        wanted = [{"pk": item["pk"], "sk": item["sk"]} for item in keys]
        chunks = [wanted[start : start + MAX_KEYS] for start in range(0, len(wanted), MAX_KEYS)]
        table = self.concepts_table
        answers = side_by_side(lambda chunk: self._reads.find_all({table: chunk})[table], chunks)
        return sorted_for_lists(entity_from_item(item) for items in answers for item in items)

    def _keys(self, list_key: str, size: int, start: Mapping[str, Any] | None) -> KeyPage:
        request: dict[str, Any] = {
            "TableName": self.concepts_table,
            "IndexName": entity_keys.BY_UPDATE,
            "KeyConditionExpression": "listKey = :list",
            "ExpressionAttributeValues": {":list": text(list_key)},
            "Limit": size,
        }
        if start is not None:
            request["ExclusiveStartKey"] = start
        with store_errors():
            answer = self.client.query(**request)
        return KeyPage(keys=answer["Items"], resume_after=answer.get("LastEvaluatedKey"))

    def _query(self, condition: str, values: Mapping[str, str], **more: Any) -> Iterator[Item]:
        """Yield what a consistent query finds, which is never more than a page."""
        request: dict[str, Any] = {
            "TableName": self.concepts_table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": {name: text(value) for name, value in values.items()},
            "ConsistentRead": True,
            **more,
        }
        with store_errors():
            items = self.client.query(**request)["Items"]
        yield from items

    @property
    def _reads(self) -> Reads:
        return Reads(client=self.client, pauses=self.pauses)
