"""Ben tries to learn of Ana's memory: through each field of each answer of each operation of the memory door and the tools.

He asks the same of two tenants, one in which Ana has a memory and one in which there is no Ana. He knows a lot: her words,
her concepts, fingerprints, keys and ids. Whatever her memory changes for him, by a count, a score, a duplicate, a status or the
text of an error, is a difference between the two transcripts; there must be none.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
from palimpsest.domain.ids import is_id

from tests.atoms import (
    ENTITIES,
    MEMORY,
    ask_memory,
    call_tool,
    remember,
    wait_until_read,
    write_atom,
)
from tests.polling import wait_until
from tests.tenants import FACTS, HttpCaller, Tenant, new_tenant

HERS = {
    "content": "Ana's harbour permit is in the blue folder.",
    "concepts": ["harbour", "permit"],
    "domain": "boats",
    "fingerprint": "permit-1",
    "external_ref": "note-7",
    "metadata": {"colour": "blue"},
}
TOLD = {"entityName": "Captain Ahab", "entityType": "person", "observation": "He owes Ana a boat."}
RELATED = {"fromEntity": "Captain Ahab", "relation": "owns", "toEntity": "Pequod"}
# Ben sends none of these: they must stand in nothing that he is answered.
SECRETS = ("Zanzibar", "quarrel", "Ishmael", "vault-9", "ref-9", "secret-domain")
KEY = {"Idempotency-Key": "ana-1"}
MCP = {"accept": "application/json, text/event-stream"}

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z")
_TOOK = re.compile(r'"\w+_ms":[\d.e-]+')
_NUMBER = re.compile(r"-?\d+\.\d{4,}(?:e-?\d+)?")
# What a word of a query counts for depends on how rare it is among all texts of the index, of every tenant, as BM25 has it
# (docs/security.md). So these digits are left out; the order that they make is not, nor is the cosine.
_BY_WORDS = re.compile(r'(\\?"(?:relevance|score|s)\\?":)[\d.e-]+')
_CURSOR = re.compile(r'(\\?"next(?:_?[Cc]ursor)?\\?":)\\?"[^"\\]+\\?"')
_SHORT_ID = re.compile(r'(\\"(?:id|obs|rel)\\":\\")[0-9a-f]{8}\\"')
# A slow machine does not work it out in time.
_LATE, _IN_TIME = '"reason":"novelty-unknown"', '"reason":""'


@dataclass
class Transcript:
    """What Ben asked, and what he was answered, without what differs from one run to the next.

    Attributes:
        ids: What each id is called: by the order in which they came.
        asked: Route keys and names of tools.
        raw: Every answer as it was.
        lines: The same without ids, times and digits that the time of day moves.
    """

    ben: HttpCaller
    ids: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    raw: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def ask(self, method: str, route: str, body: object = None, /, **given: Any) -> httpx.Response:
        """Ask an operation. ``ids`` fill the route; ``query`` and ``headers`` are sent."""
        ids = given.pop("ids", {})
        answer = self.ben.ask(method, route.format(**ids), body, **given)
        self.asked.add(f"{method} {route}")
        self._note(f"{method} {route} {body} {given}", answer)
        return answer

    def call(self, tool: str, **arguments: Any) -> None:
        """Call a tool over MCP."""
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = self.ben.ask("POST", "/mcp", message, headers=MCP)
        self.asked |= {"POST /mcp", tool}
        self._note(f"{tool} {arguments}", answer)

    def _note(self, asked: str, answer: httpx.Response) -> None:
        cursor = "x-next-cursor" in answer.headers
        self.raw.append(answer.text)
        text = answer.text.replace(answer.headers["x-request-id"], "request")
        told = f"{asked} -> {answer.status_code} {cursor} {text.replace(_LATE, _IN_TIME)}"
        told = _SHORT_ID.sub(r"\1id", _CURSOR.sub(r"\1cursor", _TOOK.sub("", told)))
        told = _BY_WORDS.sub(r"\1some", told)
        told = _NUMBER.sub(lambda number: f"{float(number[0]):.3f}", _TIME.sub("time", told))
        self.lines.append(_UUID.sub(lambda found: self._name(found[0]), told))

    def _name(self, found: str) -> str:
        return self.ids.setdefault(found, f"id-{len(self.ids)}")


def fill(tenant: Tenant) -> dict[str, str]:
    """Let Ana have a memory, and return the ids that she lets slip."""
    ana = tenant.caller("ana", tools=frozenset({"destructive"}))
    old = write_atom(ana, "Ana's harbour permit is lost.", domain="boats", fingerprint="permit-0")
    atom = ana.ask("POST", f"{MEMORY}/write", {**HERS, "supersedes": [old]}, headers=KEY)
    atom_id = atom.json()["atom_id"]
    secret = write_atom(
        ana,
        "The quarrel with Ishmael in Zanzibar about the harbour.",
        concepts=["harbour", "quarrel"],
        domain="secret-domain",
        fingerprint="vault-9",
        external_ref="ref-9",
    )
    ask_memory(ana, "feedback", {"atom_ids": [atom_id, secret], "outcome": 1})
    told = remember(ana, "Captain Ahab", TOLD["observation"], entityType="person")
    remember(ana, "Ishmael", "He lives in Zanzibar.", entityType="person")
    relation = call_tool(ana, "relate_entities", **RELATED)["relationId"]
    gone = write_atom(ana, "Ana sold the dinghy.", domain="boats")
    ana.ask("DELETE", f"{MEMORY}/atoms/{gone}")
    wait_until_read(tenant, atom_id, secret, told)
    return {"old": old, "atom": atom_id, "told": told, "relation": relation, "gone": gone}


def write_as_ben(log: Transcript, hers: dict[str, str]) -> None:
    """Write her very words, and in place of hers."""
    write = f"{MEMORY}/write"
    # Each in a domain of its own: how new an atom is beside an earlier one depends on whether that is indexed yet.
    for body in (
        HERS,
        HERS,
        {**HERS, "domain": "ships"},
        {"content": "ANA'S PERMIT", "domain": "a"},
    ):
        log.ask("POST", write, body)
    log.ask("POST", write, HERS, headers=KEY)
    log.ask("POST", write, {"content": "x", "domain": "x"}, headers=KEY)
    for atom_id in hers.values():
        log.ask("POST", write, {"content": "mine", "domain": "y", "supersedes": [atom_id]})
    items = [{"content": "Ana sold the dinghy.", "domain": "b"}, {**HERS, "domain": "z"}]
    log.ask("POST", f"{MEMORY}/write_batch", {"items": items})
    log.ask("POST", f"{MEMORY}/write-batch", {"items": items}, headers=KEY)
    rating = {"atom_ids": [*hers.values()], "outcome": -1, "concepts": HERS["concepts"]}
    log.ask("POST", f"{MEMORY}/feedback", rating)
    for path in ("rooms", "rooms/join", "rooms/{room_id}/invites"):
        log.ask("POST", f"{MEMORY}/{path}", {}, ids={"room_id": "xroom:ana"})
    log.call("remember_fact", **TOLD)
    log.call("remember_fact", **TOLD)
    log.call("relate_entities", **RELATED)
    log.call("build_knowledge", facts=[TOLD], relations=[RELATED])
    # Last, so that the two entities do not stand in the order of their ids, which are another tenant's others.
    log.call("remember_fact", **TOLD)
    log.call("write_fact", type="note", content=HERS["content"], idempotencyKey="ana-1")


def reads() -> Iterator[dict[str, Any]]:
    """Yield bodies of reads: her words, and each field that might tell of her."""
    query = {"query": HERS["content"], "min_relevance": 0, "include_associations": False}
    yield {"query": HERS["content"], "concepts": HERS["concepts"], "include_timings": False}
    yield query
    fields: list[dict[str, Any]] = [
        {"fingerprint": name} for name in ("permit-0", "permit-1", "permit-9")
    ]
    fields += [{"domain": name} for name in ("boats", "ships", "nowhere")]
    fields += [{"strategy": name} for name in ("precise", "temporal", "exhaustive", "auto")]
    fields += [{"author_principal": f"user:{name}"} for name in ("ana", "ben", "eve")]
    fields += [{"exclude_author": "user:ben"}, {"author_client_env": "unknown"}]
    fields += [{"include_history": True, "top_k": 500}, {"two_pass": True}, {"diversity": 1}]
    fields += [{"order_by": "recency"}, {"since": "2020-01-01"}, {"until": "2020-01-01"}]
    for each in fields:
        yield query | each


def read_as_ben(log: Transcript, hers: dict[str, str]) -> None:
    """Ask everything that the memory door reads."""
    seeds = [*HERS["concepts"], "lawyer", "dinghy"]
    for depth in (1, 3):
        log.ask("POST", f"{MEMORY}/graph", {"seeds": seeds, "depth": depth, "min_weight": 0})
    for operation in ("stats", "domains", "rooms", "export"):
        log.ask("GET", f"{MEMORY}/{operation}")
    log.ask("GET", f"{MEMORY}/export", query={"include_history": "true", "domain": "boats"})
    log.ask("GET", "/api/v1/vault/secrets")
    feeds: list[dict[str, Any]] = [
        {}, {"limit": 1}, {"domain": "boats"}, {"include_history": True},
        {"exclude_author": "user:ben"}, {"exclude_author": "user:ana"}, {"until": "2020-01-01"},
    ]  # fmt: skip
    for body in feeds:
        log.ask("POST", f"{MEMORY}/recent", body)
    for ref in ("note-7", "note-8"):
        body = {"external_ref": ref, "include_history": True}
        log.ask("POST", f"{MEMORY}/atoms/by-external-ref", body)
    bodies = list(reads())
    for body in bodies:
        log.ask("POST", f"{MEMORY}/read", body)
    log.ask("POST", f"{MEMORY}/read-batch", {"items": bodies[:3]})
    narrowed = {"key": "colour", "op": "eq", "value": "blue"}
    log.ask("POST", f"{MEMORY}/query", bodies[1] | {"metadata_filter": [narrowed]})
    log.ask("POST", f"{MEMORY}/query", bodies[1] | {"domains": ["boats", "nowhere"]})
    for atom_id in hers.values():
        ids = {"ids": {"atom_id": atom_id}}
        log.ask("GET", f"{MEMORY}/atoms/{{atom_id}}", **ids)
        log.ask("GET", f"{MEMORY}/atoms/{{atom_id}}/chain", **ids)
        log.ask("DELETE", f"{MEMORY}/atoms/{{atom_id}}", **ids)


def use_tools_as_ben(log: Transcript, hers: dict[str, str]) -> None:
    """Ask every tool and every route beside them."""
    names = ("Captain Ahab", "Pequod", "Nemo")
    log.ask("GET", f"{ENTITIES}/entities")
    log.ask("GET", f"{ENTITIES}/entities", query={"types": "person", "limit": "1"})
    log.ask("GET", f"{ENTITIES}/stats")
    log.ask("GET", f"{ENTITIES}/graph")
    for mode in ("hybrid", "semantic"):
        log.ask("GET", f"{ENTITIES}/search", query={"query": "Who owes?", "searchMode": mode})
        log.call("recall_memories", query="Who owes Ana a boat?", searchMode=mode)
    for name in names:
        log.ask("GET", f"{ENTITIES}/entities/{{name}}", ids={"name": name})
        log.call("get_entity_context", entityName=name)
    log.call("list_entities")
    log.call("list_entities", limit=1, offset=1)
    log.call("list_entities", scope={"participantId": "ana"})
    log.call("memory_stats")
    log.call("list_facts", limit=1)
    for mode in ("list", "keyword", "semantic", "both"):
        log.call("retrieve_facts", mode=mode, query=HERS["content"])
    for fact_id in hers.values():
        for tool in ("get_fact", "verify_fact", "delete_fact"):
            log.call(tool, factId=fact_id)
        log.call("supersede_fact", factId=fact_id, content="mine", expectVersion=7)
    for name in names:
        log.call("forget_entity", entityName=name, confirm=True)
    log.call("memory_stats")


def ask_everything(tenant: Tenant, hers: dict[str, str]) -> Transcript:
    """Return what Ben is answered in a tenant."""
    ben = tenant.caller("ben", tools=frozenset({"destructive"}))
    log = Transcript(ben, ids={fact_id: name for name, fact_id in hers.items()})
    write_as_ben(log, hers)
    # What he wrote is indexed and learnt before he reads, so that the two transcripts are of the same moment.
    mine = [fact["id"] for fact in ben.ask("GET", FACTS, query={"limit": "100"}).json()["data"]]
    wait_until_read(tenant, *mine)
    seeds = {"seeds": ["harbour"], "depth": 1}
    wait_until(
        lambda: [e["count"] for e in ask_memory(ben, "graph", seeds)["edges"]] == [3],
        "what he wrote is learnt",
    )
    read_as_ben(log, hers)
    use_tools_as_ben(log, hers)
    return log


def offered(caller: HttpCaller) -> set[str]:
    """Return every operation of the memory door and beside the tools, and every tool."""
    paths = caller.ask("GET", "/v1/openapi.json").json()["paths"]
    routes = {
        f"{method.upper()} {path}"
        for path, methods in paths.items()
        if path.startswith(("/api/", "/mcp")) and "/health" not in path
        for method in methods
        if method in ("get", "post", "put", "patch", "delete")
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    tools = caller.ask("POST", "/mcp", message, headers=MCP).json()["result"]["tools"]
    return routes | {tool["name"] for tool in tools}


def test_ben_learns_nothing_of_anas_memory_whatever_he_asks(tenant, laptop, connection):
    without = new_tenant(laptop, connection)
    hers = fill(tenant)
    # Ids as hers, of nothing.
    unknown = {name: f"{fact_id[:-12]}{n:012x}" for n, (name, fact_id) in enumerate(hers.items())}
    assert all(map(is_id, unknown.values()))

    beside_her = ask_everything(tenant, hers)
    alone = ask_everything(without, unknown)

    pairs = zip(beside_her.lines, alone.lines, strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1]] == []
    told = json.dumps(beside_her.raw)
    assert [secret for secret in SECRETS if secret in told] == []
    assert beside_her.asked >= offered(beside_her.ben)
    ana = tenant.caller("ana")
    assert ask_memory(ana, f"atoms/{hers['atom']}")["valence"] == 0.5
    assert ask_memory(ana, "stats")["total_atoms"] == 2
    assert call_tool(ana, "memory_stats")["observations"] == 2
