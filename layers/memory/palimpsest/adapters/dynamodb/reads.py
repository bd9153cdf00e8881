"""Reads that every repository here makes: by keys, in as few calls as DynamoDB allows, and side by side."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from palimpsest.adapters.dynamodb.attributes import Item
from palimpsest.adapters.dynamodb.clients import SIDE_BY_SIDE
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.ports.pauses import Pauses

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# BatchGetItem takes no more (developer guide, "Quotas").
MAX_KEYS = 100
# DynamoDB leaves keys out when a call is over 16 MB or a partition is busy; they are asked for again, so often at most.
MAX_ROUNDS = 5

Answer = TypeVar("Answer")
Argument = TypeVar("Argument")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """Reads items by their keys.

    Attributes:
        client: Reads may be tried again by the client itself.
        pauses: Waits before asking again for what a call left out.
    """

    client: "DynamoDBClient"
    pauses: Pauses

    def find(self, table: str, key: Item) -> Item | None:
        """Return one item, read consistently, or None."""
        with store_errors():
            request: dict[str, Any] = {"TableName": table, "Key": key, "ConsistentRead": True}
            return self.client.get_item(**request).get("Item")

    def find_all(self, wanted: Mapping[str, Sequence[Item]]) -> dict[str, list[Item]]:
        """Return the items that there are, by table, in no order, read consistently.

        Args:
            wanted: At most ``MAX_KEYS`` different keys in all, by table.

        Raises:
            StoreUnavailableError: If the store leaves keys out again and again.
        """
        found: dict[str, list[Item]] = {table: [] for table in wanted}
        left: Mapping[str, Any] = {
            table: {"Keys": keys, "ConsistentRead": True} for table, keys in wanted.items()
        }
        for attempt in range(1, MAX_ROUNDS + 1):
            with store_errors():
                answer: Mapping[str, Any] = self.client.batch_get_item(RequestItems=dict(left))
            for table, items in answer["Responses"].items():
                found[table].extend(items)
            left = answer.get("UnprocessedKeys") or {}
            if not left:
                return found
            if attempt < MAX_ROUNDS:
                self.pauses.pause(attempt)
        raise StoreUnavailableError("The store is busy or did not answer in time.")


def side_by_side(call: Callable[[Argument], Answer], arguments: Sequence[Argument]) -> list[Answer]:
    """Return the answer for each argument, in their order, asked in threads; the first error is raised once all have ended."""
    if len(arguments) <= 1:
        return [call(argument) for argument in arguments]
    with ThreadPoolExecutor(max_workers=min(len(arguments), SIDE_BY_SIDE)) as pool:
        return list(pool.map(call, arguments))
