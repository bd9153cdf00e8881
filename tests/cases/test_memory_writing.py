"""An atom that is answered is there, once, and as it was sent: T32, T50 to T53."""

import json

import pytest

from tests.atoms import (
    ALL,
    MEMORY,
    ask_memory,
    call_tool,
    entity_names,
    exported,
    feed,
    read,
    read_ids,
    recent_ids,
    remember,
    tool_result,
    wait_until_read,
    write_atom,
    write_atoms,
)
from tests.cases.test_writing import send_and_hang_up
from tests.polling import wait_until
from tests.tenants import FACTS

HOSTILE = (
    "a\x00b", "\u202egnp.exe", "\U0001f99c" * 3, "<|im_start|>system", "\ufffe", "e\u0301", "\x1b[31m", "\u2028", "\x7f",
)  # fmt: skip


def test_t32_hostile_texts_come_back_as_they_were_from_all_reads(tenant):
    ana = tenant.caller()
    items = [
        {
            "content": f"word {text}",
            "domain": f"d{text}",
            "concepts": [f"c{text}"],
            "metadata": {f"k{text}": text},
            "external_ref": f"r{text}",
            "fingerprint": f"f{text}",
        }
        for text in HOSTILE
    ]

    atoms = write_atoms(ana, items)
    wait_until_read(tenant, *atoms)

    lines = {line["atom_id"]: line for line in exported(ana)}
    listed = {each["atom_id"]: each for page in feed(ana) for each in page["items"]}
    for item, atom_id in zip(items, atoms, strict=True):
        found = read(ana, "word", domain=item["domain"], fingerprint=item["fingerprint"], **ALL)
        ref = {"external_ref": item["external_ref"]}
        seen = [
            ask_memory(ana, f"atoms/{atom_id}"),
            lines[atom_id],
            listed[atom_id],
            *found["items"],
            *ask_memory(ana, "atoms/by-external-ref", ref)["items"],
        ]
        assert len(seen) == 5
        for each in seen:
            assert {name: each.get(name, item[name]) for name in item} == item
            assert each["atom_id"] == atom_id
    assert ask_memory(ana, "stats")["domains"] == sorted(f"d{text}" for text in HOSTILE)


def test_t32_a_hostile_name_is_an_entitys_own_or_refused(tenant):
    ana = tenant.caller()
    kept = []

    for text in HOSTILE:
        result = tool_result(
            ana, "remember_fact", entityName=f"N{text}N", observation=f"o {text} o"
        )
        if result.get("isError"):
            assert json.loads(result["content"][0]["text"])["code"] == "bad-input"
        else:
            kept.append(text)

    names = {f"N{text}N" for text in kept}
    assert {"\U0001f99c" * 3, "<|im_start|>system", "e\u0301"} <= set(kept)
    assert set(entity_names(ana)) == names
    assert call_tool(ana, "memory_stats")["observations"] == len(kept)
    for text in kept:
        (told,) = call_tool(ana, "get_entity_context", entityName=f"N{text}N")["observations"]
        assert told["observation"] == f"o {text} o"


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00\\ud800", "a\\udfffb"])
def test_t32_a_lone_surrogate_is_refused_by_the_other_doors_too(tenant, text):
    ana = tenant.caller()
    quoted = f'"{text}"'.encode()
    item = b'{"content":%b}' % quoted

    answers = [
        ana.ask("POST", f"{MEMORY}/write", item),
        ana.ask("POST", f"{MEMORY}/write_batch", b'{"items":[{"content":"kept"},%b]}' % item),
        ana.ask("POST", f"{MEMORY}/write", b'{"content":"x","metadata":{"k":%b}}' % quoted),
        ana.ask("POST", f"{MEMORY}/read", b'{"query":%b}' % quoted),
    ]
    told = ana.ask(
        "POST",
        "/mcp",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember_fact",'
        b'"arguments":{"entityName":%b,"observation":"x"}}}' % quoted,
        headers={"accept": "application/json, text/event-stream"},
    )

    assert {(a.status_code, a.json()["code"]) for a in answers} == {(400, "bad-input")}
    assert told.status_code == 400
    assert recent_ids(ana) == []
    assert entity_names(ana) == []


@pytest.mark.parametrize("operation", ["write", "write_batch", "feedback", "delete"])
def test_t50_a_request_of_this_door_is_done_once(tenant, operation):
    atom_id = write_atom(tenant.admin, "old")
    method, target, body, other = {
        "write": ("POST", "write", {"content": "new"}, {"content": "other"}),
        "write_batch": (
            "POST",
            "write_batch",
            {"items": [{"content": f"new {n}"} for n in range(20)]},
            {"items": [{"content": "other"}]},
        ),
        "feedback": (
            "POST",
            "feedback",
            {"atom_ids": [atom_id], "outcome": 1},
            {"atom_ids": [atom_id], "outcome": -1},
        ),
        "delete": ("DELETE", f"atoms/{atom_id}", None, {"any": "other"}),
    }[operation]
    raw = b"" if body is None else json.dumps(body).encode()
    path = f"{MEMORY}/{target}"
    key = {"Idempotency-Key": "k-1"}

    send_and_hang_up(tenant, method, path, raw, "k-1")

    def again() -> object:
        answer = tenant.admin.ask(method, path, raw or None, headers=key)
        return answer if answer.headers.get("x-idempotent-replay") else None

    replayed = wait_until(again, "the first request is over")
    different = tenant.admin.ask(method, path, other, headers=key)
    assert replayed is not None
    assert (different.status_code, different.json()["code"]) == (
        409,
        "idempotency-key-body-mismatch",
    )
    count = {"write": 2, "write_batch": 21, "feedback": 1, "delete": 0}[operation]
    assert len(recent_ids(tenant.admin)) == count
    stats = ask_memory(tenant.admin, "stats")
    assert stats["total_atoms"] == count
    assert stats["avg_valence"] == (0.5 if operation == "feedback" else 0)


def test_t50_a_write_that_is_sent_again_without_a_key_is_told_where_it_stands(tenant):
    ana = tenant.caller()
    first = ask_memory(ana, "write", {"content": "cafe\u0301", "domain": "food"})

    again = ask_memory(ana, "write", {"content": "caf\u00e9", "domain": "food"})
    elsewhere = ask_memory(ana, "write", {"content": "caf\u00e9", "domain": "bars"})

    assert first["stored"]
    assert (again["stored"], again["atom_id"]) == (False, first["atom_id"])
    assert elsewhere["stored"]
    assert recent_ids(ana) == [elsewhere["atom_id"], first["atom_id"]]


def test_t51_an_atom_that_was_answered_is_there(tenant):
    """Get, feed and numbers have it at once, through every door; a read within a second or so."""
    ana = tenant.caller()
    atoms: list[str] = []
    for number in range(20):
        atoms.append(write_atom(ana, f"Note number {number}.", fingerprint=f"f-{number}"))

        (newest,) = ask_memory(ana, "recent", {"limit": 1})["items"]
        assert ask_memory(ana, f"atoms/{atoms[-1]}") == newest
        assert newest["content"] == f"Note number {number}."
        assert ana.ask("GET", f"{FACTS}/{atoms[-1]}").status_code == 200
        assert ask_memory(ana, "stats")["total_atoms"] == number + 1

    # Pinned by its key, an episode needs no index.
    assert read(ana, "x", fingerprint="f-19", **ALL)["items"][0]["atom_id"] == atoms[-1]
    wait_until_read(tenant, *atoms)
    assert set(read_ids(ana, "note", **ALL)) == set(atoms)


def test_t53_atoms_that_are_alike_are_two(tenant):
    ana = tenant.caller()
    alike = ["Build 41 took 300 s", "Build 42 took 310 s", "build 42 took 310 s"]

    atoms = [write_atom(ana, text) for text in alike]
    batched = write_atoms(ana, [{"content": f"Build 43 took {n} s"} for n in range(20)])
    told = [remember(ana, "CI", text) for text in alike]
    wait_until_read(tenant, *atoms, *batched, *told)

    assert set(read_ids(ana, "build", **ALL)) == {*atoms, *batched}
    assert set(read_ids(ana, alike[1], top_k=2)) == set(atoms[1:])
    recalled = call_tool(ana, "recall_memories", query="build", limit=50)["entities"]
    assert {memory["content"] for e in recalled for memory in e["memories"]} == set(alike)
