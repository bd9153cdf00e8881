from pathlib import Path

import pytest

from local.intrinsics import Intrinsic, Resolver, UnresolvedIntrinsicError, read_template
from local.template import Route, Template, TemplateError

FIXTURE = Path(__file__).with_name("template.yaml")


def test_routes_are_the_http_events_of_the_functions():
    routes = Template.read(FIXTURE).routes()

    assert routes == [
        Route("GET", "/things/{thingId}", "EchoFunction"),
        Route("GET", "/things/special", "EchoFunction"),
        Route("ANY", "/things/{proxy+}", "EchoFunction"),
        Route("ANY", "$default", "DefaultFunction"),
    ]
    assert routes[0].key == "GET /things/{thingId}"
    assert routes[3].key == "$default"


def test_a_function_takes_from_the_globals_what_it_does_not_say_itself():
    echo, default = Template.read(FIXTURE).functions()

    assert (echo.module, echo.attribute) == ("tests.unit.local.echo", "lambda_handler")
    assert (echo.timeout_seconds, echo.memory_mb) == (10, 512)
    assert (default.timeout_seconds, default.memory_mb) == (2, 128)


def test_the_environment_is_resolved_but_for_what_is_different_here():
    template = Template.read(FIXTURE)
    echo = template.functions()[0]

    environment = template.environment(
        echo, {"CURSOR_KEYS_URI": "file:/keys.json", "STREAM": "none", "UNUSED": "x"}
    )

    assert environment == {
        "POWERTOOLS_SERVICE_NAME": "palimpsest",
        "THINGS_TABLE_NAME": "ThingsTable",
        "CURSOR_KEYS_URI": "file:/keys.json",
        "STREAM": "none",
        "TENANT_SHARD_COUNT": "8",
        "LEDGER_KEYS_URI": "none",
    }


def test_a_parameter_may_be_given_another_value():
    template = Template.read(FIXTURE, {"Ledger": "on", "TenantShardCount": 2})

    environment = template.environment(template.functions()[0], {"STREAM": "none"})

    assert environment["LEDGER_KEYS_URI"] == "secretsmanager:x"
    assert environment["TENANT_SHARD_COUNT"] == "2"
    assert environment["CURSOR_KEYS_URI"] == "secretsmanager:KeysSecret"
    assert environment["HIDDEN"] == "shown"


def test_a_value_that_does_not_exist_here_is_an_error_that_names_it():
    template = Template.read(FIXTURE)

    with pytest.raises(UnresolvedIntrinsicError, match=r"ThingsTable\.StreamArn"):
        template.environment(template.functions()[0], {})


def test_a_table_is_what_create_table_takes():
    (table,) = Template.read(FIXTURE).tables()

    assert table.logical_id == "ThingsTable"
    assert table.ttl_attribute == "ttl"
    assert set(table.arguments) == {
        "TableName",
        "AttributeDefinitions",
        "KeySchema",
        "BillingMode",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
        "StreamSpecification",
    }
    assert table.arguments["TableName"] == "ThingsTable"
    assert table.arguments["StreamSpecification"] == {
        "StreamEnabled": True,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    assert table.arguments["GlobalSecondaryIndexes"] == [
        {
            "IndexName": "byOwner",
            "KeySchema": [
                {"AttributeName": "ownerKey", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["type"]},
        }
    ]


def test_two_events_with_one_route_are_refused():
    event = {"Type": "HttpApi", "Properties": {"Path": "/a", "Method": "GET"}}
    function = {
        "Type": "AWS::Serverless::Function",
        "Properties": {"Handler": "a.b", "Events": {"One": event, "Two": event}},
    }

    with pytest.raises(TemplateError, match="GET /a"):
        Template({"Resources": {"F": function}}).routes()


def test_long_forms_are_read_like_short_ones(tmp_path):
    path = tmp_path / "template.yaml"
    path.write_text(
        "Value: {'Fn::Sub': '${A}/${!B}/${C}'}\n"
        "Policy: {Condition: {StringEquals: {a: b}}}\n"
        "Parts: {'Fn::Join': ['-', [{Ref: A}, true, !Ref AWS::NoValue]]}\n"
        "Pair: !Sub ['${A}${local}', {local: !Ref C}]\n"
    )

    document = read_template(path)

    resolved = Resolver({"A": "one", "C": 3}, {}).resolve(document)
    assert document["Value"] == Intrinsic("Sub", "${A}/${!B}/${C}")
    assert resolved == {
        "Value": "one/${B}/3",
        "Policy": {"Condition": {"StringEquals": {"a": "b"}}},
        "Parts": "one-true",
        "Pair": "one3",
    }


@pytest.mark.parametrize(
    ("name", "argument"),
    [("ImportValue", "x"), ("If", ["a", "b"]), ("If", ["missing", 1, 2]), ("Not", "text")],
)
def test_what_cannot_be_resolved_is_never_guessed(name, argument):
    with pytest.raises(UnresolvedIntrinsicError):
        Resolver({}, {}).resolve(Intrinsic(name, argument))
