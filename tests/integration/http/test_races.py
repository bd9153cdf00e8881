"""Twenty callers at once, over HTTP and a real DynamoDB engine: spec/facts.md §8 and §12."""

from collections import Counter

import pytest

from tests.racing import all_at_once
from tests.tenants import FACTS, all_facts

WRITERS = range(20)


@pytest.mark.parametrize(
    ("operation", "body"),
    [("supersede", {"content": "new"}), ("verify", {})],
    ids=["supersede", "verify"],
)
def test_of_writers_with_one_expected_version_one_wins(tenant, operation, body):
    fact = tenant.write("old")
    path = f"{FACTS}/{fact['id']}"

    answers = all_at_once(
        lambda _: tenant.admin.ask("POST", f"{path}/{operation}", {**body, "expectVersion": 1}),
        WRITERS,
    )

    assert Counter(a.status_code for a in answers) == {200: 1, 409: 19}
    lost = [a.json()["error"] for a in answers if a.status_code == 409]
    assert {(e["code"], e["details"]["currentVersion"]) for e in lost} == {("fact-changed", 2)}
    history = tenant.admin.ask("GET", f"{path}/revisions").json()["data"]
    assert [(r["version"], "invalidatedAt" in r) for r in history] == [(2, False), (1, True)]
    won = next(a for a in answers if a.status_code == 200)
    assert tenant.admin.ask("GET", path).text == won.text


def test_of_deleters_one_wins(tenant):
    fact = tenant.write("old")
    path = f"{FACTS}/{fact['id']}"

    answers = all_at_once(lambda _: tenant.admin.ask("DELETE", path), WRITERS)

    counted = Counter(a.status_code for a in answers)
    assert counted[200] == 1
    assert counted[404] + counted[409] == 19
    history = tenant.admin.ask("GET", f"{path}/revisions").json()["data"]
    assert [(r["version"], r["invalidationReason"]) for r in history] == [(1, "deleted")]


def test_without_an_expected_version_nothing_is_lost_from_the_history(tenant):
    fact = tenant.write("old")
    path = f"{FACTS}/{fact['id']}"

    answers = all_at_once(
        lambda n: tenant.admin.ask("POST", f"{path}/supersede", {"content": n}), WRITERS
    )

    # Each gives up after five attempts; whoever was told 200 stands in the history, nobody else does.
    assert {a.status_code for a in answers} <= {200, 409}
    won = {a.json()["version"]: a.json()["content"] for a in answers if a.status_code == 200}
    history = tenant.admin.ask("GET", f"{path}/revisions").json()["data"]
    assert {r["version"]: r["content"] for r in history} == {1: "old", **won}
    assert [r["version"] for r in history] == list(range(len(history), 0, -1))
    newer_starts = [r["createdAt"] for r in history[:-1]]
    assert [r["invalidatedAt"] for r in history[1:]] == newer_starts


def test_as_many_writes_are_as_many_facts(tenant):
    answers = all_at_once(tenant.write, WRITERS)

    found = all_facts(tenant.admin)
    assert len({fact["id"] for fact in answers}) == 20
    assert sorted(fact["content"] for fact in found) == list(WRITERS)


def test_one_idempotency_key_makes_one_fact(tenant):
    body = tenant.body("once")

    answers = all_at_once(
        lambda _: tenant.admin.ask("POST", FACTS, body, headers={"Idempotency-Key": "k-1"}), WRITERS
    )

    counted = Counter(a.status_code for a in answers)
    assert counted[201] >= 1
    assert counted[201] + counted[409] == 20
    assert len({a.text for a in answers if a.status_code == 201}) == 1
    for busy in (a for a in answers if a.status_code == 409):
        assert busy.json()["error"]["code"] == "idempotency-key-in-flight"
        assert busy.headers["retry-after"] == "5"
    (fact,) = all_facts(tenant.admin)
    replayed = tenant.admin.ask("POST", FACTS, body, headers={"Idempotency-Key": "k-1"})
    assert replayed.headers["x-idempotent-replay"] == "true"
    assert replayed.json() == fact
