"""Edges between concepts in DynamoDB: see ``palimpsest.ports.associations`` for what is promised.

An edge is two items, one at each of its ends, which are always written together: so the edges of one concept, whichever end it
is, are one partition, and an index keeps them in the order of their strength.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import concept_keys as keys
from palimpsest.adapters.dynamodb.attributes import (
    Item,
    instant,
    number,
    read_instant,
    read_number,
    read_text,
    text,
    ttl_after,
)
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.adapters.dynamodb.reads import MAX_KEYS, Reads, side_by_side
from palimpsest.domain.associations import Edge, Growth, Lesson, Pair, edge_at, strongest_first
from palimpsest.domain.scopes import Scope
from palimpsest.ports.associations import MAX_ASKED
from palimpsest.ports.pauses import Pauses

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A message of the queue lives four days, and what is given up another two weeks, from where a person may send it back.
EVENT_KEPT = timedelta(days=30)

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DynamoDBAssociations:
    """See ``Associations``. A lesson is one BatchGetItem and one transaction, a concept's neighbours one Query with a limit.

    Attributes:
        client: What it writes may be sent again by itself: each transaction has a token.
        concepts_table: Name.
        pauses: Waits before asking again for what a busy store left out.
    """

    client: "DynamoDBClient"
    concepts_table: str = field(kw_only=True)
    pauses: Pauses = field(kw_only=True)

    def learn(self, lesson: Lesson) -> bool:
        """See ``Associations.learn``.

        Which edges there are is read first, since a new one is counted; each write is conditional on what was read. Of the 100
        items of a transaction it takes at most 92: 45 edges at both their ends, the marker and the count.
        """
        marker = _key(keys.event_key(lesson.scope, lesson.event_id), keys.LEARNT)
        edges = {pair: _edge_key(lesson.scope, *pair) for pair in lesson.pairs}
        if not edges:
            return True
        wanted = [marker, *edges.values()]
        found = Reads(client=self.client, pauses=self.pauses).find_all(
            {self.concepts_table: wanted}
        )
        there = {(read_text(i, "pk"), read_text(i, "sk")) for i in found[self.concepts_table]}
        if _place(marker) in there:
            return False
        known = {pair for pair, key in edges.items() if _place(key) in there}
        request: Request = {"TransactItems": self._requests(lesson, marker, known)}
        with store_errors():
            self.client.transact_write_items(**request)
        return True

    def neighbours(
        self, scope: Scope, concepts: Sequence[str], *, limit: int, now: datetime
    ) -> dict[str, list[Edge]]:
        """See ``Associations.neighbours``. One Query a concept, which reads no more items than it returns."""
        if len(concepts) > MAX_ASKED:
            raise ValueError(f"neighbours of more than {MAX_ASKED} concepts at once")

        def edges_of(concept: str) -> list[Edge]:
            request: Request = {
                "TableName": self.concepts_table,
                "IndexName": keys.BY_STRENGTH,
                "KeyConditionExpression": "pk = :concept",
                "ExpressionAttributeValues": {":concept": text(keys.edges_key(scope, concept))},
                "ScanIndexForward": False,
                "Limit": limit,
            }
            with store_errors():
                # One page: 500 edges are some 200 KB, and a page holds 1 MB.
                items = self.client.query(**request)["Items"]
            return strongest_first(_edge_from(item, now) for item in items)

        return dict(zip(concepts, side_by_side(edges_of, concepts), strict=True))

    def count_edges(self, scopes: Sequence[Scope]) -> int:
        """See ``Associations.count_edges``. One BatchGetItem for each 100 scopes."""
        reads = Reads(client=self.client, pauses=self.pauses)
        wanted = [*dict.fromkeys(keys.edge_count_key(scope) for scope in scopes)]
        count = 0
        for start in range(0, len(wanted), MAX_KEYS):
            chunk = [_key(key, keys.EDGE_COUNT) for key in wanted[start : start + MAX_KEYS]]
            found = reads.find_all({self.concepts_table: chunk})[self.concepts_table]
            count += sum(read_number(item, "edges") for item in found)
        return count

    def _requests(self, lesson: Lesson, marker: Item, known: set[Pair]) -> list[Request]:
        """Return a transaction's items: the marker first, so that a repeated event is told from a race."""
        put: Request = {
            "Item": {**marker, "ttl": ttl_after(lesson.at + EVENT_KEPT, grace_days=0)},
            "ConditionExpression": "attribute_not_exists(pk)",
        }
        requests: list[Request] = [{"Put": {"TableName": self.concepts_table, **put}}]
        growth = lesson.growth
        new = [pair for pair in lesson.pairs if pair not in known and growth.strength]
        for pair in lesson.pairs:
            if pair in known or growth.strength:
                requests += self._grow(lesson, pair, growth, is_known=pair in known)
        if new:
            count: Request = {
                "Key": _key(keys.edge_count_key(lesson.scope), keys.EDGE_COUNT),
                "UpdateExpression": "ADD edges :new",
                "ExpressionAttributeValues": {":new": number(len(new))},
            }
            requests.append({"Update": {"TableName": self.concepts_table, **count}})
        return requests

    def _grow(self, lesson: Lesson, pair: Pair, growth: Growth, *, is_known: bool) -> list[Request]:
        """Return what adds to a pair, at both its ends."""
        update: Request = {
            "TableName": self.concepts_table,
            "UpdateExpression": "ADD strength :strength, outcomes :outcomes, outcomeSum :outcome_sum, lessons :one"
            " SET #source = :source, target = :target, updatedAt = :at",
            "ConditionExpression": "attribute_exists(pk)"
            if is_known
            else "attribute_not_exists(pk)",
            "ExpressionAttributeNames": {"#source": "source"},
            "ExpressionAttributeValues": {
                ":strength": number(growth.strength),
                ":outcomes": number(growth.outcomes),
                ":outcome_sum": number(growth.outcome_sum),
                ":one": number(1),
                ":source": text(pair[0]),
                ":target": text(pair[1]),
                ":at": instant(lesson.at),
            },
        }
        ends = (pair, pair[::-1])
        return [{"Update": {**update, "Key": _edge_key(lesson.scope, *end)}} for end in ends]


def _key(partition: str, sort: str) -> Item:
    return {"pk": text(partition), "sk": text(sort)}


def _edge_key(scope: Scope, concept: str, neighbour: str) -> Item:
    return _key(keys.edges_key(scope, concept), keys.edge_sort_key(neighbour))


def _place(key: Item) -> tuple[str, str]:
    return read_text(key, "pk"), read_text(key, "sk")


def _edge_from(item: Item, now: datetime) -> Edge:
    sums = Growth(
        strength=read_number(item, "strength"),
        outcomes=read_number(item, "outcomes"),
        outcome_sum=read_number(item, "outcomeSum"),
    )
    pair = (read_text(item, "source"), read_text(item, "target"))
    return edge_at(
        now,
        pair,
        sums,
        count=read_number(item, "lessons"),
        updated_at=read_instant(item, "updatedAt"),
    )
