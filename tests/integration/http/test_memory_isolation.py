"""Over HTTP and through the real stores: what Ana remembers stands in no answer to Ben, and moves no number of his."""

import json
from typing import Any

from tests.polling import wait_until
from tests.tenants import INDEXED_WITHIN_SECONDS, HttpCaller

MEMORY = "/api/v1/memory"
HERS = {
    "content": "Ana's macaw is called Rio",
    "concepts": ["macaw", "Rio"],
    "domain": "macaw",
    "metadata": {"bird": "macaw"},
    "fingerprint": "macaw-1",
    "external_ref": "macaw-1",
}
READ = {"query": "What is the macaw called?", "min_relevance": 0, "top_k": 500}
WIDE: dict[str, Any] = {**READ, "include_history": True, "fingerprint": "macaw-1"}


def ask(caller: HttpCaller, method: str, path: str, body: object = None) -> Any:
    answer = caller.ask(method, f"{MEMORY}/{path}", body)
    assert answer.status_code == 200, answer.text
    return answer.text


def numbers(caller: HttpCaller) -> Any:
    return json.loads(ask(caller, "GET", "stats"))


def answers(caller: HttpCaller) -> list[str]:
    """Return every answer that could hold something, without what repeats the question."""
    reads = [
        {**WIDE, "strategy": strategy, "domain": domain}
        for strategy in (None, "multi_hop", "exhaustive")
        for domain in (None, "macaw")
    ]
    told = [json.loads(ask(caller, "POST", "read", read)) for read in reads]
    query = {**WIDE, "domains": ["macaw"], "two_pass": True, "concepts": ["macaw", "rio"]}
    told.append(json.loads(ask(caller, "POST", "query", query)))
    for answer in told:
        del answer["query_concepts"]
    return [
        *map(json.dumps, told),
        ask(caller, "POST", "recent", {"limit": 100, "include_history": True}),
        ask(
            caller, "POST", "graph", {"seeds": ["macaw", "rio", "tea"], "depth": 3, "min_weight": 0}
        ),
        ask(caller, "POST", "atoms/by-external-ref", {"external_ref": "macaw-1"}),
        ask(caller, "GET", "stats"),
        ask(caller, "GET", "domains"),
        ask(caller, "GET", "export"),
    ]


def test_nothing_of_ana_stands_in_an_answer_to_ben(tenant):
    ana, ben = tenant.caller("ana"), tenant.caller("ben")
    ask(ben, "POST", "write", {"content": "Ben drinks tea", "concepts": ["tea", "cup"]})
    wait_until(lambda: numbers(ben)["hebbian_edges"] == 1, "his lesson was learnt")
    before = numbers(ben)

    first = json.loads(ask(ana, "POST", "write", HERS))["atom_id"]
    correction = {**HERS, "content": "Ana's macaw is called Blu", "supersedes": [first]}
    second = json.loads(ask(ana, "POST", "write", correction))["atom_id"]
    ask(ana, "POST", "feedback", {"atom_ids": [second], "outcome": -1, "concepts": ["macaw"]})
    wait_until(
        lambda: second in ask(ana, "POST", "read", WIDE) and numbers(ana)["hebbian_edges"] == 1,
        "hers are in the index, and her lesson was learnt",
        seconds=INDEXED_WITHIN_SECONDS,
    )
    theirs = answers(ben)

    assert not [a for a in theirs for word in ("acaw", "Rio", "Blu", first, second) if word in a]
    assert not [answer for answer in theirs if "ana" in answer.lower()]
    assert "Ben drinks tea" in theirs[0]
    assert numbers(ben) == before
    for atom_id in (first, second):
        for path in (f"atoms/{atom_id}", f"atoms/{atom_id}/chain"):
            assert ben.ask("GET", f"{MEMORY}/{path}").status_code == 404
    assert numbers(ana)["total_atoms"] == 1


def test_a_caller_whose_grant_is_taken_sees_no_shared_atom_any_more(tenant):
    """What a read shows is asked of the caller each time, and not of where the atom was found."""
    shared = {"projectId": "apollo"}
    writer = tenant.caller("ana", writes=("apollo",), default_scope=shared)
    reader, outsider = tenant.caller("ben", reads=("apollo",)), tenant.caller("ben")
    atom_id = json.loads(ask(writer, "POST", "write", HERS))["atom_id"]
    wait_until(
        lambda: atom_id in ask(reader, "POST", "read", WIDE),
        "the reader meets it",
        seconds=INDEXED_WITHIN_SECONDS,
    )

    assert numbers(reader)["domains"] == ["macaw"]
    assert [answer for answer in answers(outsider) if atom_id in answer or "acaw" in answer] == []
    assert numbers(outsider)["domains"] == []
