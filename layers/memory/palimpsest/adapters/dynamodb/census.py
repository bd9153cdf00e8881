"""All facts in DynamoDB: the one place that scans."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import text
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.adapters.dynamodb.items import fact_from_item
from palimpsest.ports.census import CensusPage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Items that are looked at for one page; a page of DynamoDB's own ends at 1 MB in any case.
PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True)
class DynamoDBCensus:
    """See ``palimpsest.ports.census.Census``.

    Attributes:
        client: Reads may be tried again by the client itself.
        facts_table: Name.
    """

    client: "DynamoDBClient"
    facts_table: str

    def read(self, after: str | None = None) -> CensusPage:
        """See ``Census.read``. One Scan, of which only current revisions come back."""
        request: dict[str, Any] = {
            "TableName": self.facts_table,
            "FilterExpression": "sk = :head",
            "ExpressionAttributeValues": {":head": text(keys.HEAD)},
            "Limit": PAGE_SIZE,
            "ConsistentRead": True,
        }
        if after is not None:
            request["ExclusiveStartKey"] = json.loads(after)
        with store_errors():
            answer = self.client.scan(**request)
        last = answer.get("LastEvaluatedKey")
        return CensusPage(
            facts=[fact_from_item(item) for item in answer["Items"]],
            resume_after=json.dumps(last) if last else None,
        )

    def estimate_items(self) -> int:
        """See ``Census.estimate_items``. DynamoDB counts every six hours."""
        with store_errors():
            return self.client.describe_table(TableName=self.facts_table)["Table"]["ItemCount"]
