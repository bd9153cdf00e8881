"""A bulk body taken apart, so that the gate can fail some of its items, and put together again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.gate.exchange import error_document

WITH_SOURCE = frozenset({"index", "create", "update"})

# Migration Assistant's default; larger ones time out (VectorDBBench#802).
MAX_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True)
class Item:
    """One operation: what it is, on what, and the lines that say so."""

    operation: str
    target: dict[str, Any]
    lines: tuple[bytes, ...]


def parse(body: bytes) -> list[Item]:
    """Return the items of a bulk body, in order."""
    lines = iter(line for line in body.split(b"\n") if line.strip())
    items = []
    for line in lines:
        ((operation, target),) = json.loads(line).items()
        rest = (next(lines),) if operation in WITH_SOURCE else ()
        items.append(Item(operation, target, (line, *rest)))
    return items


def write(items: Sequence[Item]) -> bytes:
    """Return the bulk body of these items."""
    return b"".join(line + b"\n" for item in items for line in item.lines)


def failed(item: Item, status: int, kind: str, reason: str) -> dict[str, Any]:
    """Return what a bulk answer says about an item that failed."""
    error = error_document(status, kind, reason)["error"]
    cause = {"type": error["type"], "reason": error["reason"]}
    told = {"_index": item.target.get("_index"), "_id": item.target.get("_id")}
    return {item.operation: {**told, "status": status, "error": cause}}
