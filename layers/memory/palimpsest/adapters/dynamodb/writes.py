"""Writes of facts: sent once, all or nothing, and found out about when the answer is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from palimpsest.adapters.dynamodb.attributes import Item, item_bytes, read_text
from palimpsest.adapters.dynamodb.errors import failed_conditions, may_have_landed, store_errors
from palimpsest.adapters.dynamodb.reads import Reads
from palimpsest.adapters.dynamodb.requests import Request, Trace, request_token
from palimpsest.domain.errors import (
    DuplicateFactError,
    StoreError,
    StoreUnavailableError,
    TooLargeError,
    WriteConflictError,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# DynamoDB developer guide, "Quotas": of one transaction, in items and in bytes together.
MAX_ITEMS = 100
MAX_BYTES = 4 * 1024 * 1024

Action = Literal["Put", "Update", "Delete", "ConditionCheck"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One item's part in a write.

    Attributes:
        action: What is done to it.
        request: Of that action, with its table and key or item. One with a condition has
            ``ReturnValuesOnConditionCheckFailure=ALL_OLD``.
        weight: Bytes of the item afterwards, at least; a put says so itself.
        is_claim: Its condition fails where the very same stands already, by the fact that ``factId`` names in the item there.
    """

    action: Action
    request: Request
    weight: int = 0
    is_claim: bool = False

    @property
    def bytes(self) -> int:
        """What it counts in a transaction."""
        return item_bytes(self.request["Item"]) if self.action == "Put" else self.weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Sends writes.

    Attributes:
        client: Sends each once: a use case reads again before it writes again.
        reads: Looks what became of a write.
        facts_table: Name.
    """

    client: "DynamoDBClient"
    reads: Reads
    facts_table: str

    def write(self, writes: Sequence[Write], trace: Trace) -> None:
        """Write all or nothing: one item by itself, more in one transaction.

        Args:
            writes: Each of another item.
            trace: What the write leaves behind; its operation id tells this request from others.

        Raises:
            TooLargeError: If it is more than a transaction takes; nothing was sent.
            DuplicateFactError: If a claim failed and nothing else that was read has changed.
            WriteConflictError: If another condition failed, or a transaction is in the way.
            StoreUnavailableError: If the store is busy or silent, and the write is not to be seen.
        """
        if len(writes) > MAX_ITEMS or sum(write.bytes for write in writes) > MAX_BYTES:
            raise TooLargeError(MAX_BYTES)
        try:
            with store_errors():
                self._send(writes, trace.operation_id)
        except (WriteConflictError, StoreUnavailableError) as error:
            failed = failed_conditions(error)
            if self._has_landed(trace, error, failed):
                return
            twins = [item for position, item in failed.items() if writes[position].is_claim]
            if twins and len(twins) == len(failed):
                raise DuplicateFactError(read_text(twins[0], "factId")) from error
            raise

    def write_once(self, writes: Sequence[Write], operation_id: str) -> None:
        """Write all or nothing, unless the first of them, a marker, shows that it was written before.

        Raises:
            WriteConflictError: If another condition failed, or a transaction is in the way.
            StoreUnavailableError: If the store is busy or silent; it may have been written.
        """
        try:
            with store_errors():
                self._send(writes, operation_id)
        except WriteConflictError as error:
            if 0 not in failed_conditions(error):
                raise

    def _send(self, writes: Sequence[Write], operation_id: str) -> None:
        if len(writes) > 1:
            request: dict[str, Any] = {
                "TransactItems": [{write.action: write.request} for write in writes],
                "ClientRequestToken": request_token(
                    operation_id, [write.request for write in writes]
                ),
            }
            self.client.transact_write_items(**request)
            return
        (write,) = writes
        send = self.client.put_item if write.action == "Put" else self.client.update_item
        send(**write.request)

    def _has_landed(self, trace: Trace, error: StoreError, failed: Mapping[int, Item]) -> bool:
        """Find out whether a write that failed landed all the same, in this attempt or in one before."""
        place = trace.place.head["pk"]
        in_the_way = next((item for item in failed.values() if item.get("pk") == place), None)
        if in_the_way is not None:
            told = trace.is_shown_by(in_the_way)
            if told is not None:
                return told
        elif not may_have_landed(error):
            return False
        try:
            found = self.reads.find_all({self.facts_table: trace.keys})[self.facts_table]
        except StoreError:
            return False  # not known: the first error says so
        return any(trace.is_shown_by(item) for item in found)
