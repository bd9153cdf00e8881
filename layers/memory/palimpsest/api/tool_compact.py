"""The compact form of answers: short keys, on one line, for a model's context."""

from collections.abc import Callable, Mapping
from typing import Any

from palimpsest.api.tool_results import JsonObject, without_empty

# spec/entities.md. Enough to tell entities apart, whose ids are hashes.
SHORT_ID_CHARACTERS = 8

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


def _entities(page: JsonObject) -> JsonObject:
    entities = [{"id": _short(e["id"]), "n": e["name"], "t": e["type"]} for e in page["entities"]]
    return {"n": page["total"], "e": entities, **_named(page, {"cut": "truncated"})}


def _remembered(value: JsonObject) -> JsonObject:
    return {
        "ok": True,
        **({"dup": True} if value["duplicate"] else {}),
        "entity": value["entity"]["name"],
        "obs": _short(value["observationId"]),
    }


def _recalled(value: JsonObject) -> JsonObject:
    entities = [
        {
            "n": entity["name"],
            "t": entity["type"],
            "m": [{"c": m["content"], "s": round(m["score"], 4)} for m in entity["memories"]],
        }
        for entity in value["entities"]
    ]
    return {"n": value["returned"], "e": entities, **_named(value, {"cut": "truncated"})}


def _related(value: JsonObject) -> JsonObject:
    return {
        "ok": True,
        **({"dup": True} if value["duplicate"] else {}),
        "rel": value["relation"],
        "from": value["from"]["name"],
        "to": value["to"]["name"],
    }


def _context(value: JsonObject) -> JsonObject:
    if not value["found"]:
        return {"found": False}
    shown: JsonObject = {
        "t": value["entity"]["type"],
        "o": [each["observation"] for each in value["observations"]],
    }
    if "relations" in value:
        sides = {"out": "outgoing", "in": "incoming"}
        shown["r"] = {
            short: [[link["relation"], link["entity"]["name"]] for link in value["relations"][side]]
            for short, side in sides.items()
        }
    return {**shown, "more": value["moreObservations"], **_named(value, {"cut": "truncated"})}


def _forgotten(value: JsonObject) -> JsonObject:
    names = [entity["name"] for entity in value["entities"]]
    return {
        "ok": value["ok"],
        "ent": names,
        "obs": value["observations"],
        "rel": value["relations"],
    }


def _stats(value: JsonObject) -> JsonObject:
    return {
        "ent": value["entities"],
        "obs": value["observations"],
        "rel": value["relations"],
        "byType": value["entitiesByType"],
    }


def _built(value: JsonObject) -> JsonObject:
    facts, relations = value["facts"], value["relations"]
    failed = [[f["part"], f["index"], f["cause"]] for f in value["failures"]]
    return {
        "ok": value["ok"],
        "facts": {"new": facts["new"], "dup": facts["duplicate"]},
        "rel": relations["new"] + relations["duplicate"],
        **({"failed": failed} if failed else {}),
    }


def _short(identifier: str) -> str:
    return identifier[:SHORT_ID_CHARACTERS]


def _named(value: JsonObject, names: Mapping[str, str]) -> dict[str, Any]:
    return {short: value[long] for short, long in names.items() if long in value}


_FORMS: Mapping[str, Compact] = {
    "list_entities": _entities,
    "remember_fact": _remembered,
    "recall_memories": _recalled,
    "relate_entities": _related,
    "get_entity_context": _context,
    "forget_entity": _forgotten,
    "memory_stats": _stats,
    "build_knowledge": _built,
    "write_fact": _fact,
    "list_facts": _page,
    "get_fact": _fact,
    "retrieve_facts": _retrieved,
    "supersede_fact": _fact,
    "verify_fact": _fact,
    "delete_fact": _fact,
}
