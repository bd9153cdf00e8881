from typing import Any

import pytest

from local.intrinsics import Intrinsic
from tests.runtime.rights import Right, rights_of
from tests.template import functions_of, read_document

pytestmark = pytest.mark.runtime

FUNCTIONS = functions_of(read_document())
# The built functions are called without a search engine, and without keys for repeated requests.
NOT_SHOWN_WHOLE = {
    "RetrieveFactsFunction",
    "IndexFactsFunction",
    "ServeToolsFunction",
    "ReadMemoryFunction",
}
# What a function needs, and none of its events shows.
NOT_SHOWN = {
    "WriteFactsFunction": {
        # Only who takes a request over, after another has died on it, looks through revisions.
        ("dynamodb:Query", "FactsTable"),
        # An observation's entity is read before it is written, and goes with the last fact that it hangs on.
        ("dynamodb:BatchGetItem", "ConceptsTable"),
        ("dynamodb:DeleteItem", "ConceptsTable"),
    },
    # The same part writes the facts of both doors.
    "WriteMemoryFunction": {("dynamodb:DeleteItem", "ConceptsTable")},
}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def resource_name(resource: Intrinsic) -> str:
    """`!GetAtt FactsTable.Arn` is FactsTable, `!Sub ${FactsTable.Arn}/index/byTime` is FactsTable/index/byTime."""
    return str(resource.argument).replace("${", "").replace("}", "").replace(".Arn", "")


def allowed_rights(function: str) -> set[Right]:
    return {
        (action, resource_name(resource))
        for policy in FUNCTIONS[function].get("Policies", [])
        for statement in policy["Statement"]
        for action in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
        if action.startswith("dynamodb:")
    }


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_what_it_does_and_does_what_it_may_do(
    function: str, used_rights: dict[str, set[Right]]
) -> None:
    # Both ways: a right that lacks is a 500 in AWS that no emulator shows; one too many is no least privilege.
    used, allowed = used_rights[function], allowed_rights(function)
    shown = allowed - NOT_SHOWN.get(function, set())
    assert used - allowed == set()
    assert function in NOT_SHOWN_WHOLE or shown - used == set()


def test_a_transaction_needs_the_rights_of_its_parts() -> None:
    parts = [{"Put": {"TableName": "A"}}, {"ConditionCheck": {"TableName": "B"}}]

    needed = rights_of("TransactWriteItems", {"TransactItems": parts})

    assert needed == {("dynamodb:PutItem", "A"), ("dynamodb:ConditionCheckItem", "B")}
