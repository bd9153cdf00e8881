"""What a read of memory says of times, of what was replaced and of what does not hold: T42 to T45, T52."""

from datetime import timedelta
from typing import Any

import pytest
from palimpsest.domain.instants import from_text, to_text

from tests.atoms import (
    ALL,
    ATOM_TYPE,
    MEMORY,
    ask_memory,
    call_tool,
    read,
    read_ids,
    recent_ids,
    wait_until_history,
    wait_until_read,
    write_atom,
)
from tests.tenants import FACTS, HttpCaller

PAST, FUTURE = "2020-05-01T00:00:00.000Z", "2100-05-01T00:00:00.000Z"
TEA = "Which tea is Ana's favourite?"


@pytest.mark.parametrize(
    ("shift", "form"),
    [
        (timedelta(0), "%Y-%m-%dT%H:%M:%S.{ms}"),
        (timedelta(0), "%Y-%m-%d %H:%M:%S.{ms}"),
        (timedelta(0), "%Y-%m-%dT%H:%M:%S.{ms}Z"),
        (timedelta(hours=5, minutes=30), "%Y-%m-%dT%H:%M:%S.{ms}+05:30"),
        (timedelta(hours=-13), "%Y-%m-%dT%H:%M:%S.{ms}-13:00"),
    ],
)
def test_t42_a_time_without_a_zone_is_utc_here_and_bounds_are_inclusive(tenant, shift, form):
    ana = tenant.caller()
    atom_id = write_atom(ana, "kept")
    wait_until_read(tenant, atom_id)
    written = from_text(ask_memory(ana, f"atoms/{atom_id}")["created_at"], field="")

    def said(moment: Any) -> str:
        return (moment + shift).strftime(form.replace("{ms}", f"{moment.microsecond // 1000:03d}"))

    def found(**bounds: str) -> list[list[str]]:
        return [read_ids(ana, "kept", **ALL, **bounds), recent_ids(ana, **bounds)]

    earlier, later = (written + timedelta(milliseconds=n) for n in (-1, 1))
    assert found(since=said(written), until=said(written)) == [[atom_id]] * 2
    assert found(since=said(later)) == [[], []]
    assert found(until=said(earlier)) == [[], []]
    # A date alone is its first instant.
    day = (written + timedelta(days=1)).strftime("%Y-%m-%d")
    assert found(since=day) == [[], []]
    assert found(until=day) == [[atom_id]] * 2


@pytest.mark.parametrize("operation", ["read", "query", "recent"])
@pytest.mark.parametrize("field", ["since", "until"])
@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "now", "12:00Z", "1777636800", 1777636800, "2026-05-01T25:00:00", "2026-02-30",
     "2026-W18", "2026-05-01T12:00:00+25:00"],
)  # fmt: skip
def test_t42_what_is_no_instant_is_refused_here_too(tenant, operation, field, text):
    query = {} if operation == "recent" else {"query": "x"}

    answer = tenant.caller().ask("POST", f"{MEMORY}/{operation}", {**query, field: text})

    (error,) = answer.json()["details"]["errors"]
    assert (answer.status_code, error["loc"]) == (400, ["body", field])


@pytest.mark.parametrize("operation", ["read", "query", "recent"])
def test_t42_an_end_before_its_beginning_is_unprocessable(tenant, operation):
    query = {} if operation == "recent" else {"query": "x"}
    # Half past five in India is noon in London, so the first of these is the later one.
    bounds = {"since": "2026-05-01T12:00:01", "until": "2026-05-01T17:30:00+05:30"}

    answer = tenant.caller().ask("POST", f"{MEMORY}/{operation}", {**query, **bounds})

    assert answer.status_code == 422
    assert answer.json()["details"]["errors"][0]["loc"] == ["body", "until"]


def write_role(caller: HttpCaller, tenant_id: str, kind: str, role: str, **interval: str) -> str:
    """Write an atom, or an observation of Ana, that holds for a time: the facts door can say so."""
    content: dict[str, str] = (
        {"text": f"Ana works as a {role}."}
        if kind == ATOM_TYPE
        else {"entity": "Ana", "entityType": "person", "observation": f"Ana works as a {role}."}
    )
    scope = {"tenantId": tenant_id, "userId": "ana"}
    body = {"type": kind, "scope": scope, "content": content, **interval}
    answer = caller.ask("POST", FACTS, body)
    assert answer.status_code == 201, answer.text
    fact_id: str = answer.json()["id"]
    return fact_id


def known_roles(caller: HttpCaller, kind: str) -> set[str]:
    """Return what a search says of Ana's work."""
    if kind == ATOM_TYPE:
        return set(read_ids(caller, "What does Ana work as?", **ALL))
    recalled = call_tool(caller, "recall_memories", query="What does Ana work as?", limit=50)
    return {memory["factId"] for each in recalled["entities"] for memory in each["memories"]}


@pytest.mark.parametrize("kind", [ATOM_TYPE, "memory.observation"])
def test_t43_an_empty_interval_holds_at_no_time(tenant, kind):
    ana = tenant.caller()
    empty = [
        write_role(ana, tenant.id, kind, role, validFrom=at, validUntil=at)
        for role, at in (("cook", PAST), ("pilot", FUTURE))
    ]
    holds = write_role(ana, tenant.id, kind, "baker", validFrom=PAST, validUntil=FUTURE)
    wait_until_read(tenant, *empty, holds)

    assert known_roles(ana, kind) == {holds}


@pytest.mark.parametrize("kind", [ATOM_TYPE, "memory.observation"])
def test_t44_of_one_role_after_the_other_the_one_that_holds_is_known(tenant, kind):
    ana = tenant.caller()
    before = write_role(ana, tenant.id, kind, "cook", validUntil=PAST)
    after = write_role(ana, tenant.id, kind, "baker", validFrom=PAST)
    to_come = write_role(ana, tenant.id, kind, "pilot", validFrom=FUTURE)
    wait_until_read(tenant, before, after, to_come)

    assert known_roles(ana, kind) == {after}
    if kind != ATOM_TYPE:
        context = call_tool(ana, "get_entity_context", entityName="Ana")["observations"]
        assert [told["factId"] for told in context] == [after]


def test_t45_old_revisions_come_only_with_history_and_say_so(tenant):
    ana = tenant.caller()
    others = [write_atom(ana, text) for text in ("It rains.", "Ben sails.", "A red car.", "Music.")]
    atom_id = write_atom(ana, "Ana's favourite tea is number 0.")
    for number in range(1, 51):
        content = {"text": f"Ana's favourite tea is number {number}."}
        answer = ana.ask("POST", f"{FACTS}/{atom_id}/supersede", {"content": content})
        assert answer.status_code == 200
    wait_until_read(tenant, atom_id, *others)

    now = read(ana, TEA, top_k=5, min_relevance=0)["items"]
    everything = wait_until_history(ana, 55, TEA)

    current = "Ana's favourite tea is number 50."
    assert now[0]["content"] == current
    assert {item["atom_id"] for item in now} == {atom_id, *others}
    past = [item for item in everything if item["atom_id"] == atom_id]
    assert len({item["content"] for item in past}) == 51
    assert [item["content"] for item in past if "superseded_by" not in item] == [current]
    assert {item.get("superseded_by") for item in past} == {atom_id, None}


def test_t45_replaced_atoms_come_only_with_history_and_their_chain_stands_apart(tenant):
    ana = tenant.caller()
    others = [write_atom(ana, text) for text in ("It rains.", "Ben sails.", "A red car.", "Music.")]
    chain = [write_atom(ana, "Ana's favourite tea is number 0.", fingerprint="tea")]
    for number in range(1, 12):
        text = f"Ana's favourite tea is number {number}."
        chain.append(write_atom(ana, text, supersedes=[chain[-1]]))
    wait_until_read(tenant, chain[-1], *others)

    now = read_ids(ana, TEA, top_k=5, min_relevance=0)
    everything = wait_until_history(ana, 16, TEA)
    pinned = read_ids(ana, "x", fingerprint="tea", top_k=1, min_relevance=1)
    walked = ask_memory(ana, f"atoms/{chain[5]}/chain")

    assert now[0] == chain[-1]
    assert set(now) == {chain[-1], *others}
    successors = {
        item["atom_id"]: item.get("superseded_by")
        for item in everything
        if item["atom_id"] in chain
    }
    assert successors == dict(zip(chain, [*chain[1:], None], strict=True))
    # The fingerprint is the first one's: its live tip stands beside it.
    assert pinned == [chain[0], chain[-1]]
    assert [each["atom_id"] for each in walked["revisions"]] == chain
    assert (walked["dangling"], walked["truncated"]) == ([], False)
    assert recent_ids(ana) == [chain[-1], *others[::-1]]


def test_t52_after_a_change_only_the_new_wording_is_read(tenant):
    ana = tenant.caller()
    atom_id = write_atom(ana, "The dog sleeps in the kennel.")
    write_atom(ana, "The bank raised its interest rates.")
    ana.ask("POST", f"{FACTS}/{atom_id}/verify")
    wait_until_read(tenant, atom_id)
    verified = read(ana, "The dog sleeps in the kennel.", top_k=1)["items"][0]

    newer = {"content": {"text": "Cleo plays the violin."}}
    ana.ask("POST", f"{FACTS}/{atom_id}/supersede", newer)
    wait_until_read(tenant, atom_id)

    by_new = read(ana, "Cleo plays the violin.", top_k=1)["items"][0]
    by_old = read(ana, "The dog sleeps in the kennel.", **ALL)["items"]
    (rest,) = [item for item in by_old if item["atom_id"] == atom_id]
    assert (verified["atom_id"], verified["relevance"] > 0.9) == (atom_id, True)
    assert (by_new["content"], by_new["relevance"] > 0.9) == ("Cleo plays the violin.", True)
    # The vector is the new content's: the old wording is nearer to its own than to this one.
    assert rest["content"] == "Cleo plays the violin."
    assert rest["similarity"] < min(verified["similarity"], by_new["similarity"])
    assert rest["relevance"] < 0.5


def test_t42_an_instant_is_answered_as_the_facts_door_answers_it(tenant):
    ana = tenant.caller()
    atom_id = write_atom(ana, "kept")

    shown = ask_memory(ana, f"atoms/{atom_id}")["created_at"]

    assert shown == ana.ask("GET", f"{FACTS}/{atom_id}").json()["createdAt"]
    assert to_text(from_text(shown, field="")) == shown
