"""The memory door and the tools as their callers use them: over HTTP, beside ``tests.tenants``."""

import json
from collections.abc import Iterator
from typing import Any

from tests.polling import wait_until
from tests.tenants import FACTS, INDEXED_WITHIN_SECONDS, HttpCaller, Tenant, wait_until_indexed

MEMORY = "/api/v1/memory"
ENTITIES = "/api/memory"
ATOM_TYPE = "memory.atom"

# What a read finds by itself: whatever is there, however unlike, and nothing beside it.
ALL: dict[str, Any] = {"min_relevance": 0, "top_k": 100, "include_associations": False}


def ask_memory(caller: HttpCaller, operation: str, body: object = None) -> Any:
    """Ask an operation of the memory door and return its answer: a ``POST`` with a body, a ``GET`` without one."""
    answer = caller.ask("GET" if body is None else "POST", f"{MEMORY}/{operation}", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def write_atom(caller: HttpCaller, content: str = "Ana plays chess.", **fields: Any) -> str:
    """Write an atom and return its id."""
    written = ask_memory(caller, "write", {"content": content, **fields})
    assert written["stored"], written
    atom_id: str = written["atom_id"]
    return atom_id


def write_atoms(caller: HttpCaller, items: list[dict[str, Any]]) -> list[str]:
    """Write a batch and return its ids in its order."""
    written = ask_memory(caller, "write_batch", {"items": items})
    assert written["stored_count"] == len(items), written
    return [result["atom_id"] for result in written["results"]]


def read(caller: HttpCaller, query: str, **fields: Any) -> Any:
    """Return the answer of a read."""
    return ask_memory(caller, "read", {"query": query, **fields})


def items_of(answer: Any) -> list[str]:
    """Return the ids of an answer's atoms, in its order."""
    return [item["atom_id"] for item in answer["items"]]


def read_ids(caller: HttpCaller, query: str, **fields: Any) -> list[str]:
    """Return the ids of what a read finds."""
    return items_of(read(caller, query, **fields))


def feed(caller: HttpCaller, **fields: Any) -> Iterator[Any]:
    """Yield the pages of ``recent`` to its end, following its cursors."""
    cursor: str | None = ""
    while cursor is not None:
        page = ask_memory(caller, "recent", fields | ({"cursor": cursor} if cursor else {}))
        yield page
        cursor = page["next_cursor"]


def recent_ids(caller: HttpCaller, **fields: Any) -> list[str]:
    """Return the ids of every atom of a feed, newest first."""
    return [atom_id for page in feed(caller, limit=100, **fields) for atom_id in items_of(page)]


def exported(caller: HttpCaller) -> list[Any]:
    """Return every line of a small export."""
    answer = caller.ask("GET", f"{MEMORY}/export")
    assert answer.status_code == 200, answer.text
    assert "x-next-cursor" not in answer.headers
    # Not splitlines(), which ends a line at U+2028 too.
    return [json.loads(line) for line in answer.text.split("\n")[:-1]]


def wait_until_read(tenant: Tenant, *atom_ids: str) -> None:
    """Wait until a read meets these atoms as they stand. It asks the facts door: a read would teach what it answers."""
    facts = [tenant.admin.ask("GET", f"{FACTS}/{atom_id}").json() for atom_id in atom_ids]
    wait_until_indexed(tenant, *facts)


def wait_until_history(caller: HttpCaller, count: int, query: str) -> list[Any]:
    """Wait until a read with history has so many items, and return them."""

    def found() -> list[Any]:
        items: list[Any] = read(caller, query, include_history=True, **ALL)["items"]
        return items if len(items) == count else []

    return wait_until(found, "the history is indexed", seconds=INDEXED_WITHIN_SECONDS)


def call_tool(caller: HttpCaller, tool: str, **arguments: Any) -> Any:
    """Call a tool over MCP and return its verbose answer."""
    result = tool_result(caller, tool, **arguments)
    assert not result.get("isError"), result
    return result["structuredContent"]


def tool_result(caller: HttpCaller, tool: str, **arguments: Any) -> Any:
    """Call a tool over MCP and return its result, a fault too."""
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = caller.ask(
        "POST", "/mcp", message, headers={"accept": "application/json, text/event-stream"}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def remember(caller: HttpCaller, entity: str, observation: str, **fields: Any) -> str:
    """Remember an observation and return the id of its fact."""
    told = call_tool(caller, "remember_fact", entityName=entity, observation=observation, **fields)
    fact_id: str = told["observationId"]
    return fact_id


def entity_names(caller: HttpCaller, **fields: Any) -> list[str]:
    """Return the names of a list of entities, in its order."""
    return [each["name"] for each in call_tool(caller, "list_entities", **fields)["entities"]]
