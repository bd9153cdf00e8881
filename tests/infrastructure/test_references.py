import copy
from typing import Any

import pytest

from local.intrinsics import Intrinsic
from tests.template import dead_references, read_document, walk

BROKEN: dict[str, tuple[str, str, Any]] = {
    "ref": ("GetFactFunction", "CodeUri", Intrinsic("Ref", "NoBucket")),
    "attribute": ("GetFactFunction", "CodeUri", Intrinsic("GetAtt", "NoTable.Arn")),
    "listed attribute": ("GetFactFunction", "CodeUri", Intrinsic("GetAtt", ["NoTable", "Arn"])),
    "substitution": ("HttpApi", "Description", Intrinsic("Sub", "is ${NoTable.Arn}")),
    "inside": (
        "HttpApi",
        "Tags",
        {"A": [Intrinsic("Sub", ["${X}", {"X": Intrinsic("Ref", "No")}])]},
    ),
    "condition": ("HttpApi", "Name", Intrinsic("If", ["HasNothing", "a", "b"])),
}


def test_every_reference_names_something_that_is_there() -> None:
    assert dead_references(read_document()) == []


@pytest.mark.parametrize("case", BROKEN)
def test_a_dead_reference_is_found(case: str) -> None:
    document = copy.deepcopy(read_document())
    resource, name, value = BROKEN[case]
    document["Resources"][resource]["Properties"][name] = value

    assert len(dead_references(document)) == 1


def test_names_that_are_given_beside_a_substitution_and_literals_are_no_references() -> None:
    document = copy.deepcopy(read_document())
    text = Intrinsic("Sub", ["${Given} ${!Literal} ${AWS::Region} ${HttpApi}", {"Given": "x"}])
    document["Resources"]["HttpApi"]["Properties"]["Description"] = text

    assert dead_references(document) == []


def test_every_parameter_is_used() -> None:
    document = read_document()
    used = {
        node.argument
        for _, node in walk(document)
        if isinstance(node, Intrinsic) and isinstance(node.argument, str)
    }
    in_texts = " ".join(str(n.argument) for _, n in walk(document) if isinstance(n, Intrinsic))

    unused = {p for p in document["Parameters"] if p not in used and f"${{{p}}}" not in in_texts}

    assert unused == set()


def test_every_parameter_is_described_and_stands_in_a_group() -> None:
    document = read_document()
    interface = document["Metadata"]["AWS::CloudFormation::Interface"]
    grouped = [name for group in interface["ParameterGroups"] for name in group["Parameters"]]

    assert sorted(grouped) == sorted(document["Parameters"])
    assert all(parameter["Description"] for parameter in document["Parameters"].values())
