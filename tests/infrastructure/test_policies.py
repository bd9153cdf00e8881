from collections.abc import Iterator
from typing import Any

import pytest

from local.intrinsics import Intrinsic
from tests.template import functions_of, names_in, read_document

DOCUMENT = read_document()
FUNCTIONS = functions_of(DOCUMENT)
READS = {
    "dynamodb:BatchGetItem",
    "dynamodb:GetItem",
    "dynamodb:Query",
    "secretsmanager:GetSecretValue",
}
WRITERS = {"WriteFactsFunction"}
INDEXES = {
    index["IndexName"]
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
    for index in DOCUMENT["Resources"]["FactsTable"]["Properties"][kind]
}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(function: str) -> Iterator[dict[str, Any]]:
    (policy,) = FUNCTIONS[function]["Policies"]
    yield from policy["Statement"]


def actions(function: str) -> set[str]:
    return {action for s in statements(function) for action in as_list(s["Action"])}


def resources(function: str) -> list[Any]:
    return [resource for s in statements(function) for resource in as_list(s["Resource"])]


def reach(function: str) -> set[str]:
    """The logical ids of what the function's policy lets it touch."""
    return {name for r in resources(function) for name in names_in(r)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_policy_only_allows_and_names_each_action_and_each_resource(function: str) -> None:
    for statement in statements(function):
        assert set(statement) == {"Sid", "Effect", "Action", "Resource"}
        assert statement["Effect"] == "Allow"

    assert not [action for action in actions(function) if "*" in action]
    # A resource is one that the template makes: text would be somebody's account, a star everything.
    assert all(isinstance(resource, Intrinsic) for resource in resources(function))
    assert "*" not in str(resources(function))


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - WRITERS))
def test_a_function_that_reads_has_no_right_to_write(function: str) -> None:
    assert actions(function) <= READS


def test_no_function_may_scan_or_delete_items() -> None:
    everything = {action for function in FUNCTIONS for action in actions(function)}

    assert not {action for action in everything if "Scan" in action or "Delete" in action}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_reaches_just_what_its_environment_names(function: str) -> None:
    variables = FUNCTIONS[function]["Environment"]["Variables"].values()
    named = {n for value in variables if isinstance(value, Intrinsic) for n in names_in(value)}
    named_resources = {name for name in named if name in DOCUMENT["Resources"]}

    assert reach(function) == named_resources


def test_a_list_may_query_every_index_and_only_indexes() -> None:
    (queried,) = [s for s in statements("ListFactsFunction") if s["Action"] == "dynamodb:Query"]

    paths = {str(resource.argument) for resource in queried["Resource"]}

    assert paths == {f"${{FactsTable.Arn}}/index/{name}" for name in INDEXES}
    others = [s for s in statements("ListFactsFunction") if s is not queried]
    assert not [s for s in others if "dynamodb:Query" in as_list(s["Action"])]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_index_in_a_policy_is_one_of_the_table(function: str) -> None:
    named = {
        str(resource.argument).partition("/index/")[2]
        for resource in resources(function)
        if "/index/" in str(resource.argument)
    }

    assert named <= INDEXES
