"""Nobody meets in the memory door or through a tool what is not theirs: T14 to T23."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from tests.atoms import (
    ALL,
    MEMORY,
    ask_memory,
    call_tool,
    entity_names,
    exported,
    items_of,
    read,
    read_ids,
    recent_ids,
    remember,
    tool_result,
    wait_until_read,
    write_atom,
    write_atoms,
)
from tests.cases.test_isolation import IMITATIONS, PROJECTS, USERS
from tests.tenants import FACTS, HttpCaller, Tenant, new_tenant

PLAN: dict[str, Any] = {
    "content": "The plan.",
    "fingerprint": "plan",
    "external_ref": "plan",
    "concepts": ["plan"],
}


def assert_only(caller: HttpCaller, atom_id: str) -> None:
    """Hold every read to one atom."""
    ref = {"external_ref": "plan"}
    assert read_ids(caller, "The plan.", **ALL) == [atom_id]
    assert read_ids(caller, "The plan.", fingerprint="plan", include_history=True) == [atom_id]
    assert recent_ids(caller) == [atom_id]
    assert [line["atom_id"] for line in exported(caller)] == [atom_id]
    assert items_of(ask_memory(caller, "atoms/by-external-ref", ref)) == [atom_id]
    assert ask_memory(caller, "stats")["total_atoms"] == 1


def write_everywhere(tenant: Tenant, callers: dict[str, HttpCaller]) -> dict[str, str]:
    """Let each caller write the very same atom; it is a duplicate of nobody else's."""
    atoms = {name: write_atom(caller, **PLAN) for name, caller in callers.items()}
    wait_until_read(tenant, *atoms.values())
    return atoms


def test_t14_a_project_that_a_token_is_limited_to_is_matched_exactly(tenant):
    callers = {name: tenant.caller("ana", writes=(name,), project_limit=name) for name in PROJECTS}

    atoms = write_everywhere(tenant, callers)
    for name, caller in callers.items():
        remember(caller, "Jeff", f"Jeff is of {name}.")

    for name, caller in callers.items():
        assert_only(caller, atoms[name])
        (known,) = call_tool(caller, "get_entity_context", entityName="Jeff")["observations"]
        assert known["observation"] == f"Jeff is of {name}."
        assert call_tool(caller, "memory_stats")["observations"] == 1
    assert set(recent_ids(tenant.admin)) == set(atoms.values())


def test_t15_a_user_is_matched_exactly(tenant):
    callers = {name: tenant.caller(name) for name in USERS}

    atoms = write_everywhere(tenant, callers)
    for name, caller in callers.items():
        remember(caller, "Jeff", f"Jeff is of {name}.")

    for name, caller in callers.items():
        assert_only(caller, atoms[name])
        (known,) = call_tool(caller, "get_entity_context", entityName="Jeff")["observations"]
        assert known["observation"] == f"Jeff is of {name}."
        assert read_ids(caller, "plan", author_principal=f"user:{name}", **ALL) == [atoms[name]]
        assert read_ids(caller, "plan", exclude_author=f"user:{name}", **ALL) == []


def test_t15_a_kind_and_an_id_are_one_name(tenant):
    home = {"userId": "ana"}
    service = tenant.caller("ana", kind="service", default_scope=home, is_tenant_admin=True)
    ana = tenant.caller("ana")
    (by_service, by_user) = (write_atom(service, "one"), write_atom(ana, "two"))

    assert ask_memory(ana, f"atoms/{by_service}")["provenance"]["principal"] == "service:ana"
    assert recent_ids(ana, exclude_author="service:ana") == [by_user]
    assert recent_ids(ana, exclude_author="user:ana") == [by_service]


def test_t17_what_an_atom_says_of_scopes_moves_nothing(tenant):
    ana, ben = tenant.caller("ana"), tenant.caller("ben")
    own = write_atom(ana, "Ana's own.", external_ref="own")
    claim = {
        "tenantId": str(uuid4()),
        "tenant_id": tenant.id,
        "userId": "ana",
        "scope": {"tenantId": tenant.id, "userId": "ana"},
        "attributedTo": {"kind": "user", "id": "ana"},
        "provenance": {"principal": "user:ana", "is_external": True},
    }

    atom_id = write_atom(
        ben, "Ana's own.", metadata=claim, external_ref="own", domain="user:ana", concepts=["ana"]
    )
    refused = [
        ben.ask("POST", f"{MEMORY}/write", {"content": "x", name: value})
        for name, value in claim.items()
    ]
    told = tool_result(
        ben, "remember_fact", entityName="Ana", observation="x", scope={"userId": "ana"}
    )
    stolen = ben.ask("POST", f"{MEMORY}/write", {"content": "x", "supersedes": [own]})
    wait_until_read(tenant, own, atom_id)

    atom = ask_memory(ben, f"atoms/{atom_id}")
    fact = ben.ask("GET", f"{FACTS}/{atom_id}").json()
    assert {answer.status_code for answer in refused} == {400}
    assert told["isError"]
    assert stolen.status_code == 404
    assert fact["scope"] == {"tenantId": tenant.id, "userId": "ben"}
    assert fact["attributedTo"] == {"kind": "user", "id": "ben"}
    assert atom["metadata"] == claim
    assert (atom["provenance"]["principal"], atom["provenance"]["is_external"]) == (
        "user:ben",
        False,
    )
    for caller, only in ((ana, own), (ben, atom_id)):
        assert recent_ids(caller) == [only]
        assert read_ids(caller, "Ana's own.", **ALL) == [only]
        assert ask_memory(caller, "stats")["total_atoms"] == 1


def test_t20_another_tenants_atom_is_an_id_that_never_existed(tenant, laptop, connection):
    old = write_atom(tenant.admin, "secret", concepts=["gold", "vault"])
    atom_id = write_atom(tenant.admin, "a newer secret", supersedes=[old])
    stranger = new_tenant(laptop, connection)
    before = ask_memory(tenant.admin, f"atoms/{atom_id}/chain")

    def ask_everything(caller: HttpCaller, asked: str) -> list[tuple[int, str]]:
        path, own = f"{MEMORY}/atoms/{asked}", {"atom_ids": [asked], "outcome": -1}
        answers = [
            caller.ask("GET", path),
            caller.ask("GET", f"{path}/chain"),
            caller.ask("DELETE", path),
            caller.ask("POST", f"{MEMORY}/write", {"content": "x", "supersedes": [asked]}),
            caller.ask("POST", f"{MEMORY}/feedback", own),
        ]
        *rest, rated = [(a.status_code, shown(a, asked)) for a in answers]
        return [*rest, (rated[0], rated[1].partition("feedback_time_ms")[0])]

    def shown(answer: Any, asked: str) -> str:
        text: str = answer.text.replace(asked, "id").replace(answer.headers["x-request-id"], "r")
        return text

    for caller in (stranger.admin, tenant.caller("ben")):
        unknown = ask_everything(caller, atom_id[:-12] + "0123456789ab")
        assert [status for status, _ in unknown] == [404, 404, 200, 404, 200]
        for theirs in (old, atom_id):
            assert ask_everything(caller, theirs) == unknown
    assert ask_memory(tenant.admin, f"atoms/{atom_id}/chain") == before


@dataclass(frozen=True)
class Hoard:
    """Ben, who has written every imitation down, beside Ana, whose gold must stay hers.

    Attributes:
        general: His atoms in the domain ``general``.
        other: His atom in another one.
        told: What he remembers of an entity.
    """

    ben: HttpCaller
    general: set[str]
    other: str
    told: set[str]


@pytest.fixture(scope="module")
def hoard(laptop, connection) -> Hoard:
    tenant = new_tenant(laptop, connection)
    ana, ben = tenant.caller("ana"), tenant.caller("ben")
    gold = {"concepts": ["gold", *IMITATIONS], "fingerprint": "gold"}
    hers = write_atoms(ana, [{"content": f"Gold: {query}", **gold} for query in IMITATIONS])
    remember(ana, "Gold", "The plan: gold.")
    other = write_atom(ben, "The plan: silver.", domain="hoard")
    general = write_atoms(ben, [{"content": f"They wrote: {query}"} for query in IMITATIONS])
    told = {remember(ben, "Plan", f"They wrote: {query}") for query in IMITATIONS}
    wait_until_read(tenant, *hers, other, *general, *told)
    return Hoard(ben, set(general), other, told)


@pytest.mark.parametrize("query", IMITATIONS)
def test_t22_a_query_opens_no_filter_of_a_read(hoard, query):
    found = read(hoard.ben, query, fingerprint=query, **ALL)
    named = read_ids(hoard.ben, query, domain="general", concepts=[query], **ALL)
    recalled = call_tool(hoard.ben, "recall_memories", query=query, limit=50)["entities"]

    assert set(items_of(found)) == {*hoard.general, hoard.other}
    assert not found["episodic_hit"]
    assert set(named) == hoard.general
    assert {memory["factId"] for each in recalled for memory in each["memories"]} <= hoard.told
    # Nobody has a domain or an entity of this name.
    assert read_ids(hoard.ben, "plan", domain=query, **ALL) == []
    assert call_tool(hoard.ben, "get_entity_context", entityName=query) == {"found": False}


def test_t23_a_typo_answers_as_what_is_hidden(tenant):
    ana, eve = tenant.caller("ana"), tenant.caller("eve")
    write_atom(ana, "The plan.", domain="apollo", concepts=["apollo"], external_ref="apollo")
    remember(ana, "apollo", "The plan.")

    def ask_everything(name: str) -> list[Any]:
        answers = [
            read(eve, "The plan.", domain=name),
            read(eve, "The plan.", concepts=[name]) | {"query_concepts": []},
            ask_memory(eve, "recent", {"domain": name}),
            ask_memory(eve, "atoms/by-external-ref", {"external_ref": name}),
            ask_memory(eve, "graph", {"seeds": [name]}),
            call_tool(eve, "get_entity_context", entityName=name),
            call_tool(eve, "recall_memories", query="The plan."),
            tool_result(eve, "list_entities", scope={"projectId": name})["content"][0]["text"],
        ]
        return [
            each | {"search_time_ms": 0} if isinstance(each, dict) else each for each in answers
        ]

    typo, hidden = ask_everything("apolo"), ask_everything("apollo")

    assert [each["items"] for each in typo[:4]] == [[]] * 4
    assert typo[:7] == hidden[:7]
    assert typo[7].replace(_request_id(typo[7]), "") == hidden[7].replace(
        _request_id(hidden[7]), ""
    )
    assert ask_memory(eve, "stats")["domains"] == []
    assert entity_names(eve) == []


def _request_id(text: str) -> str:
    """Return the id of the request that a fault names; nothing of what is none."""
    return text.partition('"requestId":"')[2].partition('"')[0]
