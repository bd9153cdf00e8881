"""The tables of the template, made in an engine or compared with what is there."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from local.template import TableDefinition

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# What makes a table another one. Streams and TTL can be changed later, and nothing reads them here.
INDEX_KINDS = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")


class TableMismatchError(RuntimeError):
    """A table exists, but is not the one that the template describes."""


def create_tables(client: "DynamoDBClient", tables: Iterable[TableDefinition]) -> list[str]:
    """Make the tables that are missing; add global indexes that are new.

    Idempotent: what is there already, with its items, stays.

    Args:
        client: Of the engine that holds the tables.
        tables: As the template describes them.

    Returns:
        The names of the tables that were made, in their order.

    Raises:
        TableMismatchError: if a table that is there differs in its keys, its local indexes or an
            index of the same name: that cannot be changed in place.
    """
    present = {
        name
        for page in client.get_paginator("list_tables").paginate()
        for name in page["TableNames"]
    }
    made = []
    for table in tables:
        if table.logical_id in present:
            _bring_up_to_date(client, table)
        else:
            _create(client, table)
            made.append(table.logical_id)
    return made


def _create(client: "DynamoDBClient", table: TableDefinition) -> None:
    arguments: dict[str, Any] = dict(table.arguments)
    client.create_table(**arguments)
    client.get_waiter("table_exists").wait(
        TableName=table.logical_id, WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )
    if table.ttl_attribute is not None:
        client.update_time_to_live(
            TableName=table.logical_id,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": table.ttl_attribute},
        )


def _bring_up_to_date(client: "DynamoDBClient", table: TableDefinition) -> None:
    there: Mapping[str, Any] = client.describe_table(TableName=table.logical_id)["Table"]
    differences = []
    if _keys(there) != _keys(table.arguments):
        differences.append("key schema")
    new_indexes = []
    for kind in INDEX_KINDS:
        have, want = _indexes(there, kind), _indexes(table.arguments, kind)
        differences += [name for name in have if have[name] != want.get(name)]
        missing = [name for name in want if name not in have]
        if kind == "GlobalSecondaryIndexes":
            new_indexes = missing
        else:
            differences += missing
    if differences:
        raise TableMismatchError(
            f"{table.logical_id} was made from another template: {', '.join(differences)}"
        )
    for name in new_indexes:
        _add_index(client, table, name)


def _add_index(client: "DynamoDBClient", table: TableDefinition, name: str) -> None:
    arguments: Mapping[str, Any] = table.arguments
    (index,) = (i for i in arguments["GlobalSecondaryIndexes"] if i["IndexName"] == name)
    client.update_table(
        TableName=table.logical_id,
        AttributeDefinitions=arguments["AttributeDefinitions"],
        GlobalSecondaryIndexUpdates=[{"Create": index}],
    )


def _keys(table: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    types = {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]}
    return [
        (key["AttributeName"], key["KeyType"], types[key["AttributeName"]])
        for key in table["KeySchema"]
    ]


def _indexes(table: Mapping[str, Any], kind: str) -> dict[str, object]:
    return {
        index["IndexName"]: (
            _keys({**index, "AttributeDefinitions": table["AttributeDefinitions"]}),
            index["Projection"]["ProjectionType"],
            sorted(index["Projection"].get("NonKeyAttributes", [])),
        )
        for index in table.get(kind, [])
    }
