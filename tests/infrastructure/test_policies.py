import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest

from local.intrinsics import Intrinsic
from tests.template import functions_of, names_in, read_document, resources_of, walk

DOCUMENT = read_document()
FUNCTIONS = functions_of(DOCUMENT)
READS = {
    "dynamodb:BatchGetItem",
    "dynamodb:GetItem",
    "dynamodb:Query",
    "secretsmanager:GetSecretValue",
    # What may be done in the collection, its own access policies say.
    "aoss:APIAccessAll",
    "bedrock:InvokeModel",
    # What a read teaches, another function keeps.
    "sqs:SendMessage",
}
WRITERS = {
    "WriteFactsFunction",
    "IndexFactsFunction",
    "ServeToolsFunction",
    "WriteMemoryFunction",
    "GrowAssociationsFunction",
}
# Beside reading, these keep the answers of requests that carry an Idempotency-Key.
ANSWERERS = {"RetrieveFactsFunction"}
INDEXES = {
    table: {
        index["IndexName"]
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        for index in resource["Properties"].get(kind, [])
    }
    for table, resource in resources_of(DOCUMENT, "AWS::DynamoDB::Table").items()
}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(function: str) -> Iterator[dict[str, Any]]:
    for policy in FUNCTIONS[function].get("Policies", []):
        yield from policy["Statement"]
    for shared in resources_of(DOCUMENT, "AWS::IAM::Policy").values():
        roles = [role.argument for role in shared["Properties"]["Roles"]]
        if f"{function}Role" in roles:
            yield from shared["Properties"]["PolicyDocument"]["Statement"]


def actions(function: str) -> set[str]:
    return {action for s in statements(function) for action in as_list(s["Action"])}


def resources(function: str) -> list[Any]:
    return [resource for s in statements(function) for resource in as_list(s["Resource"])]


def named_resources(node: object) -> set[str]:
    """The logical ids that a part of the template names, the API left out."""
    named = {n for _, i in walk(node) if isinstance(i, Intrinsic) for n in names_in(i)}
    return {name for name in named if name in DOCUMENT["Resources"]} - {"HttpApi"}


def reach(function: str) -> set[str]:
    """The logical ids of what the function's policy lets it touch."""
    return {name for r in resources(function) for name in named_resources(r)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_policy_only_allows_and_names_each_action_and_each_resource(function: str) -> None:
    for statement in statements(function):
        assert set(statement) == {"Sid", "Effect", "Action", "Resource"}
        assert statement["Effect"] == "Allow"

    assert not [action for action in actions(function) if "*" in action]
    # A resource is one that the template makes: text would be somebody's account, a star everything.
    assert all(isinstance(resource, Intrinsic) for resource in resources(function))
    # Below one of our own it may say which part: a bucket's objects have no other way to be named.
    assert not [r for r in resources(function) if re.search(r"[*](?!$)|(?<!/)[*]", str(r.argument))]


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - WRITERS - ANSWERERS))
def test_a_function_that_reads_has_no_right_to_write(function: str) -> None:
    assert actions(function) <= READS


@pytest.mark.parametrize("function", sorted(ANSWERERS))
def test_a_function_that_keeps_answers_writes_nothing_else(function: str) -> None:
    writing = [s for s in statements(function) if not set(as_list(s["Action"])) <= READS]

    assert [named_resources(s["Resource"]) for s in writing] == [{"StateTable"}]


def test_who_searches_may_only_read_the_collection() -> None:
    granted = {
        str(i.argument[0] if isinstance(i.argument, list) else i.argument)
        for r in resources_of(DOCUMENT, "AWS::OpenSearchServerless::AccessPolicy").values()
        for i in [r["Properties"]["Policy"]]
        if "RetrieveFactsFunctionRole" in str(i.argument)
    }
    (policy,) = granted
    ((rule,),) = [each["Rules"] for each in json.loads(policy)]

    assert rule["Permission"] == ["aoss:DescribeIndex", "aoss:ReadDocument"]


def test_policies_of_the_collection_are_json_and_their_names_are_short_enough() -> None:
    for kind in ("SecurityPolicy", "AccessPolicy"):
        for resource in resources_of(DOCUMENT, f"AWS::OpenSearchServerless::{kind}").values():
            properties = resource["Properties"]
            name, policy = (str(properties[p].argument[0]) for p in ("Name", "Policy"))
            json.loads(policy)
            # OpenSearch Serverless takes 32 characters; the stack's part has eight.
            assert len(name.replace("${Stack}", "12345678")) <= 32


@pytest.mark.parametrize("generation", ["nextgen", "classic"])
def test_a_collection_of_another_generation_has_another_name_and_the_same_policies(
    generation: str,
) -> None:
    collection = DOCUMENT["Resources"]["SearchCollection"]["Properties"]["Name"].argument[0]
    policies = [
        json.loads(str(resource["Properties"]["Policy"].argument[0]))
        for kind in ("SecurityPolicy", "AccessPolicy")
        for resource in resources_of(DOCUMENT, f"AWS::OpenSearchServerless::{kind}").values()
    ]

    # CloudFormation makes the new collection while the old one stands, and names are unique.
    name = collection.replace("${SearchGeneration}", generation)
    patterns = {
        str(pattern)
        for policy in policies
        for each in as_list(policy)
        for rule in each["Rules"]
        for pattern in rule["Resource"]
    }

    assert name.endswith(generation)
    assert len(name.replace("${Stack}", "12345678")) <= 32
    places = {"collection": name, "index": f"{name}/facts-1"}
    for pattern in patterns:
        kind, _, wanted = pattern.partition("/")
        assert fnmatchcase(places[kind], wanted)


def test_no_function_may_scan_a_table_or_delete_facts() -> None:
    rights = {
        (action, str(resource.argument))
        for function in FUNCTIONS
        for s in statements(function)
        for action in as_list(s["Action"])
        for resource in as_list(s["Resource"])
        if "Scan" in action or "Delete" in action
    }

    assert rights == {
        # A request that was refused leaves no record of its Idempotency-Key.
        ("dynamodb:DeleteItem", "StateTable.Arn"),
        # An entity goes with the last fact that names it.
        ("dynamodb:DeleteItem", "ConceptsTable.Arn"),
        # A lesson that was learnt leaves no message.
        ("sqs:DeleteMessage", "LessonQueue.Arn"),
    }


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_reaches_just_what_its_environment_names(function: str) -> None:
    properties = FUNCTIONS[function]

    named = named_resources([properties["Environment"]["Variables"], properties.get("Events")])

    assert reach(function) == named


def test_a_list_may_query_every_index_and_only_indexes() -> None:
    (queried,) = [s for s in statements("ListFactsFunction") if s["Action"] == "dynamodb:Query"]

    paths = {str(resource.argument) for resource in queried["Resource"]}

    assert paths == {f"${{FactsTable.Arn}}/index/{name}" for name in INDEXES["FactsTable"]}
    others = [s for s in statements("ListFactsFunction") if s is not queried]
    assert not [s for s in others if "dynamodb:Query" in as_list(s["Action"])]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_index_in_a_policy_is_one_of_its_table(function: str) -> None:
    named = {
        str(resource.argument)
        for resource in resources(function)
        if "/index/" in str(resource.argument)
    }

    assert named <= {
        f"${{{table}.Arn}}/index/{name}" for table, names in INDEXES.items() for name in names
    }
