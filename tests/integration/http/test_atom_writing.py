"""The write side of the memory door over HTTP and a real DynamoDB engine, many callers at once too: spec/read-memory.md §1."""

from collections import Counter

import pytest

from tests.racing import all_at_once
from tests.tenants import FACTS

MEMORY = "/api/v1/memory"
WRITERS = range(8)


@pytest.fixture
def ana(tenant):
    return tenant.caller("ana")


def write(caller, content, **fields):
    return caller.ask("POST", f"{MEMORY}/write", {"content": content, **fields})


def stats_of(caller):
    return caller.ask("GET", f"{MEMORY}/stats").json()


def test_an_atom_is_found_by_every_door_and_counted(ana):
    written = write(ana, "Ana drinks tea.", concepts=["tea", "ana"], fingerprint="f-1").json()

    fact = ana.ask("GET", f"{FACTS}/{written['atom_id']}").json()
    atom = ana.ask("GET", f"{MEMORY}/atoms/{written['atom_id']}").json()
    assert written["stored"] is True
    assert (fact["type"], fact["content"]["text"]) == ("memory.atom", "Ana drinks tea.")
    assert (atom["content"], atom["provenance"]["principal"]) == ("Ana drinks tea.", "user:ana")
    counted = stats_of(ana)
    assert (counted["total_atoms"], counted["domains"]) == (1, ["general"])
    assert counted["avg_importance"] == pytest.approx(written["importance"])


@pytest.mark.parametrize(
    ("headers", "status", "reason"),
    [
        ({"authorization": "", "x-api-key": "TOKEN"}, 200, None),
        ({"x-api-key": "TOKEN"}, 200, None),
        ({"authorization": ""}, 401, "missing_key"),
        ({"authorization": "", "x-api-key": "mk_live_0123"}, 401, "malformed_key"),
        ({"x-api-key": "another"}, 401, "malformed_key"),
    ],
)
def test_a_token_may_come_in_either_header(ana, headers, status, reason):
    given = {name: value.replace("TOKEN", str(ana.token)) for name, value in headers.items()}

    answer = ana.ask("POST", f"{MEMORY}/write", {"content": "Tea."}, headers=given)

    assert answer.status_code == status
    assert answer.json().get("details", {}).get("reason") == reason


def test_what_replaces_is_found_and_what_was_replaced_is_not_counted(ana):
    old = [write(ana, text).json()["atom_id"] for text in ("Tea.", "Coffee.")]

    new = write(ana, "Water.", supersedes=old).json()

    assert new["superseded"] == old
    assert [ana.ask("GET", f"{FACTS}/{each}").status_code for each in old] == [404, 404]
    assert ana.ask("GET", f"{MEMORY}/atoms/{old[0]}").json()["superseded_by"] == new["atom_id"]
    assert stats_of(ana)["total_atoms"] == 1
    assert [ana.ask("DELETE", f"{MEMORY}/atoms/{old[0]}").json() for _ in range(2)] == [
        {"deleted": 1},
        {"deleted": 0},
    ]
    assert ana.ask("GET", f"{MEMORY}/atoms/{old[0]}").status_code == 404


def test_a_batch_is_stored_whole_and_again_under_its_key_no_second_time(ana):
    items = [{"content": f"Fact {n}.", "domain": f"d-{n % 3}"} for n in range(60)]
    headers = {"Idempotency-Key": "batch-1"}

    first = ana.ask("POST", f"{MEMORY}/write-batch", {"items": items}, headers=headers)
    again = ana.ask("POST", f"{MEMORY}/write-batch", {"items": items}, headers=headers)

    assert first.json()["stored_count"] == 60
    assert again.text == first.text
    counted = stats_of(ana)
    assert (counted["total_atoms"], counted["domains"]) == (60, ["d-0", "d-1", "d-2"])


def test_feedback_is_the_mean_of_what_is_kept(ana):
    ids = [write(ana, f"Fact {n}.").json()["atom_id"] for n in range(3)]

    rated = ana.ask("POST", f"{MEMORY}/feedback", {"atom_ids": [*ids[:2], "x"], "outcome": 1})

    assert (rated.json()["updated_count"], rated.json()["avg_valence"]) == (2, 0.5)
    assert stats_of(ana)["avg_valence"] == pytest.approx(1 / 3, abs=1e-6)


def test_of_writers_of_the_same_content_one_stores_it(ana):
    answers = all_at_once(lambda _: write(ana, "Tea."), WRITERS)

    told = [answer.json() for answer in answers if answer.status_code == 200]
    # Whoever lost every attempt was told to come again.
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert Counter(each["stored"] for each in told)[True] == 1
    assert len({each["atom_id"] for each in told}) == 1
    assert stats_of(ana)["total_atoms"] == 1


def test_of_writers_that_replace_the_same_atom_one_does(ana):
    old = write(ana, "Tea.").json()["atom_id"]

    answers = all_at_once(lambda n: write(ana, f"Water {n}.", supersedes=[old]), WRITERS)

    assert Counter(answer.status_code for answer in answers)[200] == 1
    lost = {a.json()["code"] for a in answers if a.status_code != 200}
    assert lost <= {"atom-replaced", "persistence-unavailable"}
    assert stats_of(ana)["total_atoms"] == 1


def test_tallies_are_right_whoever_rates_at_once(ana):
    ids = [write(ana, f"Fact {n}.").json()["atom_id"] for n in range(2)]
    body = {"atom_ids": ids, "outcome": 1}

    answers = all_at_once(lambda _: ana.ask("POST", f"{MEMORY}/feedback", body), WRITERS)

    moved = sum(answer.status_code == 200 for answer in answers)
    assert {answer.status_code for answer in answers} <= {200, 503}
    expected = 1 - 0.5**moved
    kept = [ana.ask("GET", f"{MEMORY}/atoms/{each}").json()["valence"] for each in ids]
    assert kept == pytest.approx([expected] * 2, abs=1e-5)
    assert stats_of(ana)["avg_valence"] == pytest.approx(expected, abs=1e-5)


def test_as_many_writes_at_once_are_as_many_atoms(ana):
    answers = all_at_once(lambda n: write(ana, f"Fact {n}."), WRITERS)

    assert {answer.status_code for answer in answers} == {200}
    assert stats_of(ana)["total_atoms"] == len(WRITERS)


def test_nothing_that_was_said_stands_in_the_log(tenant, ana):
    write(ana, "A secret of Ana's.", metadata={"diary": "private words"})
    write(ana, "x" * 10_001)

    log = tenant.laptop.log.read_text()
    assert "secret of Ana" not in log
    assert "private words" not in log
    assert str(ana.token) not in log
