"""Vectors in DynamoDB: one item a fact and model, in the fact's own partition, so that an erasure of the partition takes it."""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import Item, Value, read_text, text
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.adapters.dynamodb.reads import MAX_KEYS, MAX_ROUNDS, Reads, side_by_side
from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.ports.pauses import Pauses
from palimpsest.ports.vectors import StoredVector

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# BatchWriteItem takes no more (developer guide, "Quotas").
MAX_WRITES = 25
_FLOAT_BYTES = 4

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class DynamoDBVectors:
    """See ``palimpsest.ports.vectors.Vectors``.

    Attributes:
        client: Everything here may be sent again without harm.
        facts_table: Name.
        pauses: Waits before asking again for what a busy store left out.
    """

    client: "DynamoDBClient"
    facts_table: str
    pauses: Pauses

    def load(
        self, tenant_id: str, fact_ids: Sequence[str], model_id: str
    ) -> dict[str, StoredVector]:
        """See ``Vectors.load``. One BatchGetItem for each 100, side by side."""
        reads = Reads(client=self.client, pauses=self.pauses)
        by_key = {keys.fact_key(tenant_id, i): i for i in fact_ids}
        sort_key = text(keys.vector_sort_key(model_id))
        calls: list[dict[str, Sequence[Item]]] = [
            {self.facts_table: [{"pk": text(key), "sk": sort_key} for key in chunk]}
            for chunk in _chunks(by_key, MAX_KEYS)
        ]
        answers = side_by_side(reads.find_all, calls)
        return {
            by_key[read_text(item, "pk")]: StoredVector(
                text_hash=read_text(item, "textHash"), vector=_unpacked(item["vector"]["B"])
            )
            for answer in answers
            for item in answer[self.facts_table]
        }

    def save(self, tenant_id: str, vectors: Mapping[str, StoredVector], model_id: str) -> None:
        """See ``Vectors.save``. One BatchWriteItem for each 25."""
        sort_key = text(keys.vector_sort_key(model_id))
        items: list[Item] = [
            {
                "pk": text(keys.fact_key(tenant_id, fact_id)),
                "sk": sort_key,
                "textHash": text(kept.text_hash),
                "vector": _packed(kept.vector),
            }
            for fact_id, kept in vectors.items()
        ]
        self._write([{"PutRequest": {"Item": item}} for item in items])

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> None:
        """See ``Vectors.remove``. One Query a fact, side by side, and one BatchWriteItem for each 25 found."""
        found = side_by_side(lambda fact_id: self._keys_of(tenant_id, fact_id), list(fact_ids))
        self._write([{"DeleteRequest": {"Key": key}} for each in found for key in each])

    def _keys_of(self, tenant_id: str, fact_id: str) -> list[Item]:
        # Never more than a page: a fact has as many vectors as the deployment has had models.
        request: dict[str, Any] = {
            "TableName": self.facts_table,
            "KeyConditionExpression": "pk = :fact AND begins_with(sk, :vector)",
            "ExpressionAttributeValues": {
                ":fact": text(keys.fact_key(tenant_id, fact_id)),
                ":vector": text(keys.VECTOR_PREFIX),
            },
            "ProjectionExpression": "pk, sk",
            "ConsistentRead": True,
        }
        with store_errors():
            return list(self.client.query(**request)["Items"])

    def _write(self, requests: Sequence[Mapping[str, Any]]) -> None:
        for chunk in _chunks(requests, MAX_WRITES):
            left: dict[str, Any] = {self.facts_table: chunk}
            for attempt in range(1, MAX_ROUNDS + 1):
                with store_errors():
                    answer = self.client.batch_write_item(RequestItems=left)
                left = dict(answer.get("UnprocessedItems") or {})
                if not left:
                    break
                if attempt == MAX_ROUNDS:
                    raise StoreUnavailableError("The store is busy or did not answer in time.")
                self.pauses.pause(attempt)


def _packed(vector: Sequence[float]) -> Value:
    return {"B": struct.pack(f"<{len(vector)}f", *vector)}


def _unpacked(packed: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(packed) // _FLOAT_BYTES}f", packed)


def _chunks(things: Iterable[Thing], size: int) -> Iterator[list[Thing]]:
    remaining = iter(things)
    while chunk := list(islice(remaining, size)):
        yield chunk
