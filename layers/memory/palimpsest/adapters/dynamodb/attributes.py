"""Values as DynamoDB's low-level client takes and gives them, and what they weigh.

What nests is kept as JSON text in one string: a DynamoDB map refuses numbers of 39 digits and depth 33, and this service
never looks inside with an expression.
"""

import json
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from palimpsest.domain.instants import to_epoch_milliseconds, to_text
from palimpsest.domain.json_text import write_json

# A value: {"S": "text"}, {"N": "1"}, {"SS": [...]} or {"M": {...}}.
Value = Mapping[str, Any]
Item = Mapping[str, Value]

# DynamoDB developer guide, "Item sizes": a number takes up to 21 bytes; each element of a map 1, and the map itself 3.
_NUMBER_BYTES = 21
_MAP_BYTES = 3
_ELEMENT_BYTES = 1
_SECONDS_PER_DAY = 86_400


def text(value: str) -> Value:
    """Return a string value."""
    return {"S": value}


def number(value: int) -> Value:
    """Return a number value."""
    return {"N": str(value)}


def decimal(value: Decimal) -> Value:
    """Return a number value with decimals, which DynamoDB keeps and adds exactly, up to 38 digits."""
    return {"N": f"{value:f}"}


def text_set(values: Collection[str]) -> Value:
    """Return a set of strings; not empty, which DynamoDB refuses. Sorted, so that equal requests are equal texts."""
    return {"SS": sorted(values)}


def json_value(value: object) -> Value:
    """Return a JSON text in a string value."""
    return text(write_json(value))


def instant(value: datetime) -> Value:
    """Return an instant as text, which sorts as the instants do."""
    return text(to_text(value))


def ttl_after(end: datetime, *, grace_days: int) -> Value:
    """Return the epoch second at which DynamoDB may sweep an item, some days after its end."""
    # Whole seconds are added as numbers: a datetime near the year 9999 has no day after it.
    return number(to_epoch_milliseconds(end) // 1000 + grace_days * _SECONDS_PER_DAY)


def present(values: Mapping[str, Value | None]) -> dict[str, Value]:
    """Return the attributes that have a value; an absent one is left out, never null."""
    return {name: value for name, value in values.items() if value is not None}


def read_text(item: Item, name: str) -> str:
    """Return a string attribute that is there."""
    return str(item[name]["S"])


def find_text(item: Item, name: str) -> str | None:
    """Return a string attribute, or None."""
    return str(item[name]["S"]) if name in item else None


def read_number(item: Item, name: str) -> int:
    """Return a whole-number attribute that is there."""
    return int(item[name]["N"])


def read_decimal(item: Item, name: str) -> Decimal:
    """Return a number attribute with decimals that is there."""
    return Decimal(item[name]["N"])


def find_decimal(item: Item, name: str) -> Decimal | None:
    """Return a number attribute with decimals, or None."""
    return read_decimal(item, name) if name in item else None


def find_texts(item: Item, name: str) -> frozenset[str]:
    """Return a set of strings, empty when it is absent."""
    return frozenset(item[name]["SS"]) if name in item else frozenset()


def find_json(item: Item, name: str) -> Any:
    """Return the value of a JSON text, or None when the attribute is absent."""
    return json.loads(item[name]["S"]) if name in item else None


def read_instant(item: Item, name: str) -> datetime:
    """Return an instant that is there."""
    return instant_from(item[name]["S"])


def find_instant(item: Item, name: str) -> datetime | None:
    """Return an instant, or None."""
    return instant_from(item[name]["S"]) if name in item else None


def instant_from(written: str) -> datetime:
    """Return the instant that ``to_text`` wrote."""
    return datetime.fromisoformat(written).astimezone(UTC)


def item_bytes(item: Item) -> int:
    """Return what an item weighs in DynamoDB, names of attributes included; never less than it does."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Value) -> int:
    ((kind, inner),) = value.items()
    if kind == "S":
        return len(inner.encode())
    if kind == "N":
        return _NUMBER_BYTES
    if kind == "SS":
        return sum(len(member.encode()) for member in inner)
    return _MAP_BYTES + sum(
        len(name.encode()) + _ELEMENT_BYTES + _value_bytes(member) for name, member in inner.items()
    )
