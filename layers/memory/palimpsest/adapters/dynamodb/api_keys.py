"""API keys in DynamoDB: see ``palimpsest.ports.api_keys`` for what is promised."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import (
    Item,
    Value,
    find_instant,
    find_json,
    instant,
    json_value,
    present,
    read_instant,
    read_text,
    text,
    ttl_after,
)
from palimpsest.adapters.dynamodb.callers import caller_from, caller_to
from palimpsest.adapters.dynamodb.errors import store_errors
from palimpsest.domain.api_keys import ApiKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_IS_NEW = "attribute_not_exists(pk)"
_IS_THERE = "attribute_exists(pk)"
# DynamoDB sweeps a record this long after it may go, for clocks that disagree.
_GRACE_DAYS = 1


@dataclass(frozen=True, slots=True)
class DynamoDBApiKeyRepository:
    """See ``ApiKeyRepository``. All reads are consistent: a key that was revoked is found revoked.

    Attributes:
        client: For reads and writes.
        state_table: Name.
    """

    client: "DynamoDBClient"
    state_table: str = field(kw_only=True)

    def find(self, tenant_id: str, key_id: str) -> ApiKey | None:
        """See ``ApiKeyRepository``. One GetItem."""
        request: dict[str, Any] = {
            "TableName": self.state_table,
            "Key": _key(tenant_id, key_id),
            "ConsistentRead": True,
        }
        with store_errors():
            item = self.client.get_item(**request).get("Item")
        return _from_item(item) if item else None

    def add(self, key: ApiKey) -> None:
        """See ``ApiKeyRepository``."""
        self._put(key, _IS_NEW)

    def replace(self, key: ApiKey) -> None:
        """See ``ApiKeyRepository``."""
        self._put(key, _IS_THERE)

    def list_all(self, tenant_id: str) -> list[ApiKey]:
        """See ``ApiKeyRepository``. One Query for each megabyte of keys."""
        pages = self.client.get_paginator("query").paginate(
            TableName=self.state_table,
            KeyConditionExpression="pk = :keys",
            ExpressionAttributeValues={":keys": {"S": keys.api_keys_key(tenant_id)}},
            ConsistentRead=True,
        )
        with store_errors():
            return [_from_item(item) for page in pages for item in page["Items"]]

    def _put(self, key: ApiKey, condition: str) -> None:
        request: dict[str, Any] = {
            "TableName": self.state_table,
            "Item": _to_item(key),
            "ConditionExpression": condition,
        }
        with store_errors():
            self.client.put_item(**request)


def _key(tenant_id: str, key_id: str) -> Item:
    return {"pk": text(keys.api_keys_key(tenant_id)), "sk": text(keys.api_key_sort_key(key_id))}


def _to_item(key: ApiKey) -> dict[str, Value]:
    optional = {
        "expiresAt": instant(key.expires_at) if key.expires_at else None,
        "revokedAt": instant(key.revoked_at) if key.revoked_at else None,
        "ttl": ttl_after(key.kept_until, grace_days=_GRACE_DAYS) if key.kept_until else None,
    }
    return {
        **_key(key.caller.tenant_id, key.id),
        "keyId": text(key.id),
        "name": text(key.name),
        "secretHash": text(key.secret_hash),
        "caller": json_value(caller_to(key.caller)),
        "createdAt": instant(key.created_at),
        **present(optional),
    }


def _from_item(item: Item) -> ApiKey:
    return ApiKey(
        id=read_text(item, "keyId"),
        name=read_text(item, "name"),
        secret_hash=read_text(item, "secretHash"),
        caller=caller_from(find_json(item, "caller")),
        created_at=read_instant(item, "createdAt"),
        expires_at=find_instant(item, "expiresAt"),
        revoked_at=find_instant(item, "revokedAt"),
    )
