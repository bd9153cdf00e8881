from pathlib import Path

import pytest

from local.dynoxide import dynamodb_client
from local.tables import TableMismatchError, create_tables
from local.template import TableDefinition, Template

FIXTURE = Path(__file__).parents[2] / "unit/local/template.yaml"


@pytest.fixture
def client(dynoxide):
    client = dynamodb_client(dynoxide.endpoint)
    yield client
    client.delete_table(TableName="ThingsTable")


@pytest.fixture
def table():
    return Template.read(FIXTURE).tables()[0]


def changed(table, **arguments):
    return TableDefinition(table.logical_id, {**table.arguments, **arguments}, table.ttl_attribute)


def test_a_table_is_made_as_the_template_says(client, table):
    create_tables(client, [table])

    there = client.describe_table(TableName="ThingsTable")["Table"]
    ttl = client.describe_time_to_live(TableName="ThingsTable")["TimeToLiveDescription"]
    assert there["KeySchema"] == table.arguments["KeySchema"]
    assert [index["IndexName"] for index in there["LocalSecondaryIndexes"]] == ["byTime"]
    assert [index["IndexName"] for index in there["GlobalSecondaryIndexes"]] == ["byOwner"]
    assert there["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


def test_a_second_time_makes_nothing_and_keeps_the_items(client, table):
    create_tables(client, [table])
    client.put_item(TableName="ThingsTable", Item={"pk": {"S": "a"}, "sk": {"S": "b"}})

    made = create_tables(client, [table])

    assert made == []
    assert client.scan(TableName="ThingsTable")["Count"] == 1


def test_a_new_global_index_is_added_over_what_is_there(client, table):
    before = {k: v for k, v in table.arguments.items() if k != "GlobalSecondaryIndexes"}
    before["AttributeDefinitions"] = table.arguments["AttributeDefinitions"][:3]
    create_tables(client, [TableDefinition("ThingsTable", before, None)])
    owned = {"pk": {"S": "a"}, "sk": {"S": "b"}, "ownerKey": {"S": "o"}}
    client.put_item(TableName="ThingsTable", Item=owned)

    create_tables(client, [table])

    found = client.query(
        TableName="ThingsTable",
        IndexName="byOwner",
        KeyConditionExpression="ownerKey = :o",
        ExpressionAttributeValues={":o": {"S": "o"}},
    )
    assert found["Count"] == 1


@pytest.mark.parametrize(
    ("difference", "name"),
    [
        ({"LocalSecondaryIndexes": []}, "byTime"),
        ({"GlobalSecondaryIndexes": []}, "byOwner"),
        ({"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}, "key schema"),
    ],
)
def test_a_table_of_another_template_is_refused_with_what_differs(client, table, difference, name):
    create_tables(client, [table])

    with pytest.raises(TableMismatchError, match=f"ThingsTable .*{name}"):
        create_tables(client, [changed(table, **difference)])
