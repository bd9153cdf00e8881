"""The files in `events/`: read, filled in, and held against what they should be answered with."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.template import ROOT

FOLDER = ROOT / "events"
PLACEHOLDER = re.compile(r"\$\{([A-Z_]+)\}")
# In `expectations.yaml`: anchors that the expectations share, and no event.
SHARED = "x-answers"
KINDS = {
    "<uuid>": r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "<time>": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "<hash>": r"sha256:[0-9a-f]{64}",
    "<text>": r".+",
    "<page>": r"(?s)<!DOCTYPE html>.+</html>\n",
}
# Any whole number: what is learnt after an answer is counted at its own time.
COUNT = "<count>"
NUMBER = "<number>"


# A whole document that stands in a file, too long to be written twice.
FILES = {"<docs/openapi.json>": ROOT / "docs" / "openapi.json"}


@dataclass(frozen=True)
class Expectation:
    """What an event should be answered with."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


def event_files() -> list[Path]:
    """Return every event file."""
    return sorted(FOLDER.glob("*/*.json"))


def event_name(path: Path) -> str:
    """Return the name under which an event is expected, such as `get_fact/found`."""
    return f"{path.parent.name}/{path.stem}"


def function_of(name: str) -> str:
    """Return the logical id of the function that an event is for."""
    return name.partition("/")[0].title().replace("_", "") + "Function"


def read_event(name: str, values: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return an event; with `values`, its placeholders are filled in, and each must have a value."""
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    event: dict[str, Any] = json.loads(text if values is None else fill(text, values))
    return event


def placeholders_of(name: str) -> set[str]:
    """Return the names of the placeholders in an event."""
    return set(PLACEHOLDER.findall((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def read_expectations() -> dict[str, Expectation]:
    """Return what every event should be answered with, placeholders not filled in."""
    document = yaml.safe_load((FOLDER / "expectations.yaml").read_text(encoding="utf-8"))
    return {name: Expectation(**body) for name, body in document.items() if name != SHARED}


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return text with its placeholders replaced."""
    return PLACEHOLDER.sub(lambda match: values[match.group(1)], text)


def differences(
    expected: Any, actual: Any, values: Mapping[str, str], place: str = ""
) -> list[str]:
    """Return where an answer is not what was expected, place by place; nothing if it is."""
    if isinstance(expected, str) and expected in FILES:
        expected = json.loads(FILES[expected].read_text(encoding="utf-8"))
    if isinstance(expected, dict) and isinstance(actual, dict):
        lacking = [f"{place}/{key}: is not there" for key in expected if key not in actual]
        too_much = [
            f"{place}/{key}: {actual[key]!r} is too much" for key in actual.keys() - expected
        ]
        both = [key for key in expected if key in actual]
        inside = [differences(expected[k], actual[k], values, f"{place}/{k}") for k in both]
        return lacking + too_much + [line for lines in inside for line in lines]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = zip(expected, actual, strict=True)
        inside = [differences(e, a, values, f"{place}/{i}") for i, (e, a) in enumerate(pairs)]
        return [line for lines in inside for line in lines]
    if expected == NUMBER:
        is_number = isinstance(actual, int | float) and not isinstance(actual, bool)
        return [] if is_number else [f"{place}: {actual!r} is no {expected}"]
    if expected == COUNT:
        return [] if type(actual) is int and actual >= 0 else [f"{place}: {actual!r} is no {COUNT}"]
    if expected in KINDS if isinstance(expected, str) else False:
        fits = isinstance(actual, str) and re.fullmatch(KINDS[expected], actual)
        return [] if fits else [f"{place}: {actual!r} is no {expected}"]
    wanted = fill(expected, values) if isinstance(expected, str) else expected
    same = type(wanted) is type(actual) and wanted == actual
    return [] if same else [f"{place}: {actual!r} instead of {wanted!r}"]
