"""The compact form of answers: short keys, on one line, for a model's context."""

from collections.abc import Callable, Mapping
from typing import Any

from palimpsest.api.tool_results import JsonObject, without_empty

Compact = Callable[[JsonObject], JsonObject]


def compact(tool: str, value: JsonObject) -> JsonObject:
    """Return a tool's answer in its compact form.

    Args:
        tool: Its name.
        value: The verbose form.
    """
    return _FORMS[tool](value)


def _fact(fact: JsonObject) -> JsonObject:
    """Id, version, type, content and time; the whole id, because the tools take it, and a UUIDv7 begins with its time."""
    return without_empty(
        {
            "id": fact["id"],
            "v": fact["version"],
            "t": fact["type"],
            # Content may be null, and then it says so.
            "at": fact["createdAt"],
            "trust": fact["trust"] if fact["trust"] != "asserted" else None,
            "end": fact.get("invalidationReason"),
        }
    ) | {"c": fact["content"]}


def _page(page: JsonObject) -> JsonObject:
    facts = [_fact(fact) for fact in page["data"]]
    return {"n": len(facts), "f": facts, **_named(page, {"more": "hasMore", "next": "nextCursor"})}


def _retrieved(found: JsonObject) -> JsonObject:
    facts = [_fact(hit["fact"]) | _named(hit, {"s": "score"}) for hit in found["results"]]
    return {"n": len(facts), "f": facts, **_named(found, {"cut": "truncated"})}


def _named(value: JsonObject, names: Mapping[str, str]) -> dict[str, Any]:
    return {short: value[long] for short, long in names.items() if long in value}


_FORMS: Mapping[str, Compact] = {
    "write_fact": _fact,
    "list_facts": _page,
    "get_fact": _fact,
    "retrieve_facts": _retrieved,
    "supersede_fact": _fact,
    "verify_fact": _fact,
    "delete_fact": _fact,
}
