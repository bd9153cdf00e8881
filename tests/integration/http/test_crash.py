"""The gateway and its database, both killed with kill -9 while they write: no answered write is lost, none is doubled."""

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.laptop import Laptop, running_laptop
from tests.polling import wait_until
from tests.tenants import FACTS, HttpCaller, all_facts

WRITES = 500
WRITERS = 8
SEED = 8787
CLOSING = ("invalidatedAt", "invalidatedBy", "invalidationReason")
# A hold frees itself after 35 s (`palimpsest.domain.idempotency`); asking more often than this is only heat.
FREED_WITHIN_SECONDS = 60


@dataclass
class Journal:
    """What the callers were told.

    Attributes:
        answered: Facts as they were answered, by number.
        superseded: Their second revisions as they were answered, by number.
    """

    answered: dict[int, Any] = field(default_factory=dict)
    superseded: dict[int, Any] = field(default_factory=dict)


def write(caller: HttpCaller, number: int, tenant_id: str, journal: Journal) -> None:
    """Write a fact under a key of its own, and supersede every third one; a service that is gone is no answer."""
    scope = {"tenantId": tenant_id}
    body = {"type": "note", "scope": scope, "content": number}
    key = {"Idempotency-Key": f"write-{number}"}
    try:
        answer = caller.ask("POST", FACTS, body, headers=key)
        if answer.status_code != 201:
            return
        journal.answered[number] = answer.json()
        if number % 3 == 0:
            path = f"{FACTS}/{answer.json()['id']}/supersede"
            changed = caller.ask("POST", path, {"content": -number, "expectVersion": 1})
            if changed.status_code == 200:
                journal.superseded[number] = changed.json()
    except httpx.TransportError:
        return


def write_until_killed(
    laptop: Laptop, numbers: range, journal: Journal, moment: int, victims: tuple[int, int]
) -> None:
    """Write with eight writers; kill both processes, in this order, once so many writes are answered."""
    caller = HttpCaller(laptop.client, laptop.run["token"])
    before = len(journal.answered)
    with ThreadPoolExecutor(WRITERS) as pool:
        for number in numbers:
            pool.submit(write, caller, number, laptop.run["tenantId"], journal)
        wait_until(lambda: len(journal.answered) - before >= moment, "writes are answered")
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        laptop.process.wait(20)


def opened(revision: Any) -> Any:
    """Return a revision as it was before it was closed."""
    return {name: value for name, value in revision.items() if name not in CLOSING}


def lost_or_changed(caller: HttpCaller, journal: Journal) -> Iterator[int]:
    """Yield the numbers of answered writes that are not there as they were answered."""
    for number, fact in journal.answered.items():
        history = caller.ask("GET", f"{FACTS}/{fact['id']}/revisions").json()["data"]
        # An unanswered supersede may have landed or not; an answered one must have.
        newer = journal.superseded.get(number, history[0])
        closings = [r.get("invalidatedAt") for r in history]
        openings = [None, *(r["createdAt"] for r in history)][: len(history)]
        is_whole = len(history) <= 2 and history[0] == newer and closings == openings
        if not is_whole or opened(history[-1]) != fact:
            yield number


def send_again(caller: HttpCaller, number: int, tenant_id: str) -> Any:
    """Send a write again under its key, until the hold of the process that died is free."""
    body = {"type": "note", "scope": {"tenantId": tenant_id}, "content": number}

    def ask() -> httpx.Response | None:
        key = {"Idempotency-Key": f"write-{number}"}
        answer = caller.ask("POST", FACTS, body, headers=key)
        return None if answer.status_code == 409 else answer

    answer = wait_until(
        ask, "the dead hold is free", seconds=FREED_WITHIN_SECONDS, interval_seconds=1
    )
    assert answer is not None
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.mark.timeout(240)
def test_no_answered_write_is_lost_and_none_is_doubled(tmp_path):
    data = tmp_path / "data"
    journal = Journal()
    moments = random.Random(SEED)

    with running_laptop(data) as first:
        moment = moments.randrange(20, 230)
        victims = (first.process.pid, first.engine.pid)
        write_until_killed(first, range(WRITES // 2), journal, moment, victims)
    with running_laptop(data) as second:
        moment = moments.randrange(20, 230)
        victims = (second.engine.pid, second.process.pid)
        write_until_killed(second, range(WRITES // 2, WRITES), journal, moment, victims)
    with running_laptop(data) as third:
        caller = HttpCaller(third.client, third.run["token"])
        tenant_id = third.run["tenantId"]
        bad = list(lost_or_changed(caller, journal))
        counted = Counter(abs(fact["content"]) for fact in all_facts(caller))
        unanswered = [n for n in range(WRITES) if n not in journal.answered]
        with ThreadPoolExecutor(WRITERS) as pool:
            again = list(pool.map(lambda n: send_again(caller, n, tenant_id), unanswered))
        everything = all_facts(caller)
        third.stop()

    assert 40 <= len(journal.answered) < WRITES
    assert len(journal.superseded) >= 10
    assert bad == []
    assert set(journal.answered) <= set(counted)
    assert set(counted.values()) == {1}
    assert [fact["content"] for fact in again] == unanswered
    assert sorted(abs(fact["content"]) for fact in everything) == list(range(WRITES))
