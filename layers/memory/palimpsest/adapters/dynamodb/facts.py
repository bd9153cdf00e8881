"""Facts in DynamoDB: see ``palimpsest.ports.facts`` for what is promised, ``keys`` and ``items`` for how they lie there."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import Item, item_bytes, text
from palimpsest.adapters.dynamodb.attributes import instant as instant_value
from palimpsest.adapters.dynamodb.companions import (
    CompanionPlanner,
    Passage,
    plan_companions,
    plan_counting_out,
)
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.adapters.dynamodb.items import (
    CLOSING_BYTES,
    Place,
    fact_from_item,
    fact_to_item,
    open_erasures_from_item,
    open_erasures_key,
    revision_from_item,
)
from palimpsest.adapters.dynamodb.keys import ShardCounts
from palimpsest.adapters.dynamodb.reads import MAX_KEYS, Reads, side_by_side
from palimpsest.adapters.dynamodb.requests import (
    Request,
    closing_update,
    first_puts,
    next_puts,
    trace_of,
    trace_of_closing,
    trace_of_moving,
    valence_update,
)
from palimpsest.adapters.dynamodb.walks import DynamoDBFactWalk, WalkReader
from palimpsest.adapters.dynamodb.writes import Write, Writer
from palimpsest.domain.erasures import OpenErasures
from palimpsest.domain.facts import Fact, Revision
from palimpsest.ports.facts import FactQuery, Loaded, RevisionKey
from palimpsest.ports.pauses import Pauses

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A version with more digits than the sort key has was never written.
_MAX_VERSION = 10**keys.REVISION_DIGITS - 1
# Revisions are read this many at a time: few facts have more.
_REVISIONS_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class DynamoDBFactRepository:
    """See ``FactRepository``.

    Attributes:
        client: For writes, which it sends once: a use case reads again before it writes again.
        reader: For reads, which it may send again by itself.
        facts_table: Name.
        state_table: Name; holds the open erasures.
        pauses: Waits before asking again for what a busy store left out.
        shards: Into how many partitions each container is spread.
        planners: Plan what facts of some types bring along. None for a function that only reads: it cannot write, since what it
            wrote would stand without its companions.
    """

    client: "DynamoDBClient"
    reader: "DynamoDBClient" = field(kw_only=True)
    facts_table: str = field(kw_only=True)
    state_table: str = field(kw_only=True)
    pauses: Pauses = field(kw_only=True)
    shards: ShardCounts = field(kw_only=True, default_factory=ShardCounts)
    planners: tuple[CompanionPlanner, ...] | None = field(kw_only=True, default=None)

    def load(self, tenant_id: str, fact_id: str, *, version: int | None = None) -> Loaded:
        """See ``FactRepository``. One BatchGetItem over both tables."""
        place = Place(tenant_id=tenant_id, fact_id=fact_id)
        wanted = [place.head]
        if version is not None and 1 <= version <= _MAX_VERSION:
            wanted.append(place.revision(version))
        found = self._reads.find_all(
            {self.facts_table: wanted, self.state_table: [open_erasures_key(tenant_id)]}
        )
        items = {item["sk"]["S"]: item for item in found[self.facts_table]}
        head = items.pop(keys.HEAD, None)
        erasures = open_erasures_from_item(next(iter(found[self.state_table]), None))
        if head is None:
            return Loaded(fact=None, open_erasures=erasures)
        fact = fact_from_item(head)
        earlier = [revision_from_item(item) for item in items.values()]
        asked_for = [r for r in (fact.revision, *earlier) if r.version == version]
        return Loaded(fact=fact, revision=next(iter(asked_for), None), open_erasures=erasures)

    def load_many(
        self, tenant_id: str, fact_ids: Sequence[str]
    ) -> tuple[dict[str, Fact], OpenErasures]:
        """See ``FactRepository``. One BatchGetItem for each 99 facts, side by side; the open erasures are in the first."""
        heads = [Place(tenant_id=tenant_id, fact_id=i).head for i in dict.fromkeys(fact_ids)]
        erasures_key = open_erasures_key(tenant_id)
        size = MAX_KEYS - 1
        calls: list[dict[str, Sequence[Item]]] = [
            {self.facts_table: heads[start : start + size]} for start in range(0, len(heads), size)
        ] or [{}]
        calls[0][self.state_table] = [erasures_key]
        answers = side_by_side(self._reads.find_all, calls)
        items = [item for answer in answers for item in answer.get(self.facts_table, ())]
        facts = map(fact_from_item, items)
        erasures = open_erasures_from_item(next(iter(answers[0][self.state_table]), None))
        return {fact.id: fact for fact in facts}, erasures

    def load_revisions(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, Revision]:
        """See ``FactRepository``. One BatchGetItem for each 100, side by side."""
        wanted = [
            Place(tenant_id=tenant_id, fact_id=fact_id).revision(version)
            for fact_id, version in dict.fromkeys(revisions)
            if 1 <= version <= _MAX_VERSION
        ]
        calls: list[dict[str, Sequence[Item]]] = [
            {self.facts_table: wanted[start : start + MAX_KEYS]}
            for start in range(0, len(wanted), MAX_KEYS)
        ]
        answers = side_by_side(self._reads.find_all, calls)
        items = (item for answer in answers for item in answer[self.facts_table])
        return {(found.fact_id, found.version): found for found in map(revision_from_item, items)}

    def find_revision_at(self, tenant_id: str, fact_id: str, instant: datetime) -> Revision | None:
        """See ``FactRepository``. One Query of the local index by time."""
        request: dict[str, Any] = {
            "TableName": self.facts_table,
            "IndexName": keys.TIME_INDEX,
            "KeyConditionExpression": "pk = :fact AND createdAt <= :instant",
            "ExpressionAttributeValues": {
                ":fact": text(keys.fact_key(tenant_id, fact_id)),
                ":instant": instant_value(instant),
            },
            "ScanIndexForward": False,
            "Limit": 1,
            "ConsistentRead": True,
        }
        with store_errors():
            items = self.reader.query(**request)["Items"]
        return revision_from_item(items[0]) if items else None

    def find_revisions_at(
        self, tenant_id: str, fact_ids: list[str], instant: datetime
    ) -> dict[str, Revision]:
        """See ``FactRepository``. One Query for each fact, side by side."""
        found = side_by_side(lambda i: self.find_revision_at(tenant_id, i, instant), fact_ids)
        pairs = zip(fact_ids, found, strict=True)
        return {fact_id: revision for fact_id, revision in pairs if revision is not None}

    def walk_revisions(self, tenant_id: str, fact_id: str) -> Iterator[Revision]:
        """See ``FactRepository``. One Query for each ``_REVISIONS_A_PAGE``."""
        request: dict[str, Any] = {
            "TableName": self.facts_table,
            "KeyConditionExpression": "pk = :fact AND begins_with(sk, :revision)",
            "ExpressionAttributeValues": {
                ":fact": text(keys.fact_key(tenant_id, fact_id)),
                ":revision": text(keys.REVISION_PREFIX),
            },
            "ScanIndexForward": False,
            "Limit": _REVISIONS_A_PAGE,
            "ConsistentRead": True,
        }
        while True:
            with store_errors():
                answer = self.reader.query(**request)
            yield from map(revision_from_item, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def walk(self, query: FactQuery) -> DynamoDBFactWalk:
        """See ``FactRepository``. One Query for each planned partition and one GetItem, side by side."""
        return self._walks.start(query)

    def get_open_erasures(self, tenant_id: str) -> OpenErasures:
        """See ``FactRepository``. One GetItem."""
        return self._walks.open_erasures(tenant_id)

    def add(self, fact: Fact) -> None:
        """See ``FactRepository``. One PutItem, or one transaction when the fact names somebody or brings something along."""
        puts = first_puts(fact, table=self.facts_table, shards=self.shards)
        companions = self._companions([Passage(after=fact)])
        self._writer.write([*_puts(puts), *companions], trace_of(fact.revision))

    def add_all(
        self,
        facts: Sequence[Fact],
        closing: Sequence[tuple[Fact, Fact]] = (),
        *,
        stale: frozenset[str] = frozenset(),
    ) -> None:
        """See ``FactRepository``. One transaction."""
        puts = [p for f in facts for p in first_puts(f, table=self.facts_table, shards=self.shards)]
        passages = [
            *(Passage(after=fact) for fact in facts),
            *(Passage(before=before, after=after) for before, after in closing),
        ]
        companions = self._companions(passages, stale=stale)
        closings = [self._closing(before, after) for before, after in closing]
        writes = [*_puts(puts), *closings, *companions]
        self._writer.write(writes, trace_of(facts[0].revision))

    def replace(self, before: Fact, closed: Revision, after: Fact) -> None:
        """See ``FactRepository``. One transaction."""
        puts = next_puts(before, closed, after, table=self.facts_table, shards=self.shards)
        companions = self._companions([Passage(before=before, after=after)])
        self._writer.write([*_puts(puts), *companions], trace_of(after.revision))

    def close(self, before: Fact, after: Fact) -> None:
        """See ``FactRepository``. One UpdateItem, or one transaction when the fact has brought something along."""
        companions = self._companions([Passage(before=before, after=after)])
        closing = self._closing(before, after)
        self._writer.write([closing, *companions], trace_of_closing(after.revision))

    def move_valences(self, moves: Sequence[tuple[Fact, float]], *, operation_id: str) -> None:
        """See ``FactRepository``. One transaction."""
        table = self.facts_table
        updates = [
            self._update(valence_update(fact, valence, operation_id, table=table), fact)
            for fact, valence in moves
        ]
        companions = self._companions(
            [Passage(before=f, after=dataclasses.replace(f, valence=v)) for f, v in moves]
        )
        self._writer.write([*updates, *companions], trace_of_moving(moves[0][0], operation_id))

    def count_out(self, fact: Fact, *, at: datetime) -> None:
        """See ``FactRepository``. What its planner reads, and one transaction."""
        writes = plan_counting_out(self._known_planners, fact, at)
        if writes:
            self._writer.write_once(writes, fact.id)

    def _closing(self, before: Fact, after: Fact) -> Write:
        update = closing_update(before, after, table=self.facts_table, shards=self.shards)
        return self._update(update, after)

    def _update(self, update: Request, fact: Fact) -> Write:
        weight = item_bytes(fact_to_item(fact, self.shards)) + CLOSING_BYTES
        return Write(action="Update", request=update, weight=weight)

    def _companions(
        self, passages: Sequence[Passage], *, stale: frozenset[str] | None = None
    ) -> list[Write]:
        return plan_companions(self._known_planners, passages, stale=stale)

    @property
    def _known_planners(self) -> tuple[CompanionPlanner, ...]:
        if self.planners is None:
            raise ValueError("this repository was built to read")
        return self.planners

    @property
    def _reads(self) -> Reads:
        return Reads(client=self.reader, pauses=self.pauses)

    @property
    def _writer(self) -> Writer:
        return Writer(client=self.client, reads=self._reads, facts_table=self.facts_table)

    @property
    def _walks(self) -> WalkReader:
        return WalkReader(
            reads=self._reads,
            facts_table=self.facts_table,
            state_table=self.state_table,
            shards=self.shards,
        )


def _puts(requests: Sequence[Request]) -> list[Write]:
    return [Write(action="Put", request=request) for request in requests]
