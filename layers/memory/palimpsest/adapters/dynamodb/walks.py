"""Lists: the walk through the facts that a caller may see."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb.attributes import Item, find_json, read_text, text
from palimpsest.adapters.dynamodb.clients import SIDE_BY_SIDE
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.adapters.dynamodb.items import (
    Place,
    fact_from_item,
    open_erasures_from_item,
    open_erasures_key,
)
from palimpsest.adapters.dynamodb.keys import ShardCounts
from palimpsest.adapters.dynamodb.merges import Candidate, IndexPage, Merge
from palimpsest.adapters.dynamodb.plans import AT_ANY_TIME, PRESENT, PartitionRead, plan_reads
from palimpsest.adapters.dynamodb.reads import MAX_KEYS, Reads
from palimpsest.domain.erasures import OpenErasures
from palimpsest.domain.facts import Fact
from palimpsest.domain.filters import matches_kind
from palimpsest.domain.ids import first_after
from palimpsest.domain.scopes import scope_from_wire
from palimpsest.domain.sight import may_see
from palimpsest.ports.facts import FactQuery

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Items that the first pages hold together, some 70 MB in memory. A caller with 200 grants has 800 partitions: whole pages of
# each would be ten times as much, and seconds of parsing, for the hundred items that are wanted.
FIRST_ITEMS = 8_000
# Yet so many of each partition: at most seven hold more of the newest hundred, and eight more pages may be read.
LEAST_FIRST_ITEMS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkReader:
    """Reads what a walk needs.

    Attributes:
        reads: For reads by key.
        facts_table: Name.
        state_table: Name.
        shards: Into how many partitions each container is spread.
    """

    reads: Reads
    facts_table: str
    state_table: str
    shards: ShardCounts

    def start(self, query: FactQuery) -> "DynamoDBFactWalk":
        """Read the first page of every partition and the open erasures, side by side, and return the walk."""
        states = AT_ANY_TIME if query.takes_closed else PRESENT
        plan = plan_reads(query.caller, query.wanted, states=states, shards=self.shards)
        partitions, bound = _Partitions(self, query), _upper_bound(query)
        size = first_page_size(query.page_size, partitions=len(plan))
        with ThreadPoolExecutor(max_workers=min(len(plan) + 1, SIDE_BY_SIDE)) as pool:
            erasures = pool.submit(self.open_erasures, query.caller.tenant_id)
            pages = pool.map(lambda read: (read, partitions.fetch(read, bound, size)), plan)
            merge = Merge(list(pages), partitions.fetch)
            return DynamoDBFactWalk(erasures.result(), merge, self, query)

    def open_erasures(self, tenant_id: str) -> OpenErasures:
        """Return a tenant's open erasures, read consistently."""
        key = open_erasures_key(tenant_id)
        return open_erasures_from_item(self.reads.find(self.state_table, key))

    def heads(self, tenant_id: str, fact_ids: Sequence[str]) -> dict[str, Item]:
        """Return the HEAD items that there are, by fact id, read consistently. At most ``MAX_KEYS``."""
        if not fact_ids:
            return {}
        wanted = [Place(tenant_id=tenant_id, fact_id=fact_id).head for fact_id in fact_ids]
        found = self.reads.find_all({self.facts_table: wanted})[self.facts_table]
        return {read_text(item, "factId"): item for item in found}


@dataclass(slots=True)
class DynamoDBFactWalk:
    """See ``FactWalk``. Built by ``WalkReader.start``."""

    open_erasures: OpenErasures
    _merge: Merge
    _reader: WalkReader
    _query: FactQuery
    _ready: deque[Fact] = field(default_factory=deque)

    def __iter__(self) -> Iterator[Fact]:
        """See ``FactWalk``."""
        while self._ready or self._fill():
            yield self._ready.popleft()

    @property
    def has_unread(self) -> bool:
        """See ``FactWalk``."""
        return bool(self._ready) or self._merge.has_unread

    @property
    def resume_before(self) -> str | None:
        """See ``FactWalk``."""
        return self._merge.resume_before

    def _fill(self) -> bool:
        """Make the next facts ready; tell whether there are any."""
        while candidates := self._merge.take(min(self._query.page_size + 1, MAX_KEYS)):
            self._ready.extend(self._completed(candidates))
            if self._ready:
                return True
        return False

    def _completed(self, candidates: Sequence[Candidate]) -> Iterator[Fact]:
        """Yield the facts; what a narrow index holds is read whole, and left out if it has gone or been closed since."""
        narrow = [c.fact_id for c in candidates if not c.is_whole]
        heads = self._reader.heads(self._query.caller.tenant_id, narrow)
        for candidate in candidates:
            item = candidate.item if candidate.is_whole else heads.get(candidate.fact_id)
            fact = None if item is None else fact_from_item(item)
            if fact is not None and (self._query.takes_closed or not fact.is_closed):
                yield fact


@dataclass(frozen=True, slots=True)
class _Partitions:
    """Reads pages of partitions for one query."""

    reader: WalkReader
    query: FactQuery

    def fetch(self, read: PartitionRead, before: str | None, size: int | None = None) -> IndexPage:
        """Return a page of so many items; None for a whole one."""
        names = {"#partition": read.index.key_attribute}
        values = {":partition": text(read.key)}
        condition = "#partition = :partition"
        if before is not None:
            names["#id"], values[":before"] = "factId", text(before)
            condition += " AND #id < :before"
        request: dict[str, Any] = {
            "TableName": self.reader.facts_table,
            "IndexName": read.index.value,
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
            "ScanIndexForward": False,
            "Limit": size or whole_page_size(self.query.page_size),
        }
        with store_errors():
            answer = self._client.query(**request)
        last = answer.get("LastEvaluatedKey")
        return IndexPage(
            candidates=[
                Candidate(
                    fact_id=read_text(item, "factId"),
                    item=item,
                    is_whole=read.index.holds_everything,
                )
                for item in answer["Items"]
                if read.index.holds_everything or self._may_match(item)
            ],
            last_read=read_text(last, "factId") if last else None,
        )

    def _may_match(self, item: Item) -> bool:
        """Tell from type and scope, which a narrow index holds, whether it is worth reading the whole item."""
        caller, scope = self.query.caller, scope_from_wire(find_json(item, "scope"))
        fact_type = read_text(item, "type")
        return may_see(caller, scope) and matches_kind(
            self.query.wanted, caller, fact_type=fact_type, scope=scope
        )

    @property
    def _client(self) -> "DynamoDBClient":
        return self.reader.reads.client


def whole_page_size(wanted: int) -> int:
    """Return one more than a list wants, so that a full page knows whether something follows."""
    return wanted + 1


def first_page_size(wanted: int, *, partitions: int) -> int:
    """Return how many items to read of each of so many partitions at first."""
    share = FIRST_ITEMS // max(partitions, 1)
    return min(whole_page_size(wanted), max(LEAST_FIRST_ITEMS, share))


def _upper_bound(query: FactQuery) -> str | None:
    """Return the id that every fact of the walk lies below: what was first written after ``as_of`` was not there then."""
    bounds = [query.before, first_after(query.as_of) if query.as_of is not None else None]
    return min((bound for bound in bounds if bound is not None), default=None)
