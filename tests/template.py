"""The deployed template for tests: what `local.template` reads from it, and what only tests ask."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from local.intrinsics import SUBSTITUTION, Intrinsic, read_template
from local.template import Template

ROOT = Path(__file__).parents[1]
TEMPLATE_PATH = ROOT / "template.yaml"

Document = Mapping[str, Any]
Place = tuple[str, ...]


def read_document() -> dict[str, Any]:
    """Return the template as written, its intrinsics unresolved."""
    return read_template(TEMPLATE_PATH)


def read_deployed_template() -> Template:
    """Return the template as the laptop reads it, parameters at their defaults."""
    return Template.read(TEMPLATE_PATH)


def resources_of(document: Document, type_name: str) -> dict[str, Any]:
    """Return the whole resources of one type, by logical id."""
    return {name: r for name, r in document["Resources"].items() if r["Type"] == type_name}


def functions_of(document: Document) -> dict[str, Any]:
    """Return the properties of every function, globals merged in as far as tests look at them."""
    shared = document["Globals"]["Function"]
    return {
        name: {**shared, **resource["Properties"]}
        for name, resource in resources_of(document, "AWS::Serverless::Function").items()
    }


def walk(node: object, place: Place = ()) -> Iterator[tuple[Place, object]]:
    """Yield every part of a document with the keys that lead to it; intrinsics before their arguments."""
    yield place, node
    if isinstance(node, Intrinsic):
        yield from walk(node.argument, (*place, f"!{node.name}"))
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from walk(value, (*place, str(key)))
    elif isinstance(node, list):
        for position, value in enumerate(node):
            yield from walk(value, (*place, str(position)))


def names_in(intrinsic: Intrinsic) -> Iterator[str]:
    """Yield the parameters, resources and pseudo parameters that one intrinsic names."""
    argument = intrinsic.argument
    if intrinsic.name == "Ref":
        yield str(argument)
    elif intrinsic.name == "GetAtt":
        yield str(argument[0]) if isinstance(argument, list) else str(argument).partition(".")[0]
    elif intrinsic.name == "Sub":
        text, given = argument if isinstance(argument, list) else (argument, {})
        for literal, name in SUBSTITUTION.findall(str(text)):
            if not literal and name not in given:
                yield name.partition(".")[0]


def dead_references(document: Document) -> list[str]:
    """Return every reference to something that the template does not hold, with its place.

    `sam validate --lint` and cfn-lint both miss a `!Sub` or `!Ref` inside what the SAM transform takes apart.
    """
    known = {*document["Resources"], *document.get("Parameters", {}), *_made_by_sam(document)}
    conditions = set(document.get("Conditions", {}))
    dead = []
    for place, node in walk(document):
        if isinstance(node, Intrinsic):
            named = [name for name in names_in(node) if not name.startswith("AWS::")]
            dead += [f"{'/'.join(place)}: {name}" for name in named if name not in known]
            if node.name == "If" and isinstance(node.argument, list):
                condition = str(node.argument[0])
                dead += [] if condition in conditions else [f"{'/'.join(place)}: {condition}"]
        elif place and place[0] == "Resources" and place[2:] == ("DependsOn",):
            wanted = node if isinstance(node, list) else [node]
            dead += [f"{'/'.join(place)}: {name}" for name in wanted if name not in known]
        elif place and place[0] != "Conditions" and place[2:] == ("Condition",):
            dead += [] if node in conditions else [f"{'/'.join(place)}: {node}"]
    return dead


def _made_by_sam(document: Document) -> Iterator[str]:
    """Yield logical ids that the SAM transform makes: a function's role, and the mapping of an event."""
    for name, properties in functions_of(document).items():
        yield f"{name}Role"
        yield from (f"{name}{event}" for event in properties.get("Events", {}))
