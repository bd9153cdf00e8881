"""A fact that another one replaced, as the facts door shows it: spec/read-memory.md §1, spec/facts.md §9 and §10."""

from datetime import timedelta
from typing import Any

import pytest
from palimpsest.domain.revisions import replaced_by

from tests.builders import TENANT, build_act, build_admin, build_atom, build_scope
from tests.service import FakeService

FACTS = "/v1/memory/facts"
BEFORE, AFTER = "2026-05-01T12:00:00.500Z", "2026-05-01T12:00:01Z"


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def ends(service) -> tuple[str, str]:
    """The ids of an atom and of the one that replaced it a second later."""
    old = build_atom("old", ids=service.ids, scope=build_scope())
    service.facts.add_all([old])
    service.clock.advance(timedelta(seconds=1))
    act = build_act(ids=service.ids, caller=build_admin(), now=service.clock.now())
    new = build_atom("new", ids=service.ids, scope=build_scope(), replaces=(old.id, "another"))
    service.facts.add_all([new], [(old, replaced_by(old, new.id, act))])
    return old.id, new.id


def get(service: FakeService, fact_id: str, **query: str) -> Any:
    return service.ask("GET", f"{FACTS}/{fact_id}", query=query)


def listed(service: FakeService, **query: str) -> list[str]:
    answer = service.ask("GET", FACTS, query=query)
    return [fact["id"] for fact in answer.body["data"]]


def test_it_is_gone_for_whoever_asks_what_is_true_now(service, ends):
    old, new = ends

    assert get(service, old).code == "fact-not-found"
    assert listed(service) == [new]


def test_it_is_what_was_true_before(service, ends):
    old, new = ends

    assert get(service, old, asOf=BEFORE).body["content"]["text"] == "old"
    assert listed(service, asOf=BEFORE) == [old]
    assert get(service, old, asOf=AFTER).code == "fact-not-found"
    assert listed(service, asOf=AFTER) == [new]


def test_its_version_and_its_history_say_how_it_ended_and_no_more_than_the_seed_has(service, ends):
    old, _ = ends

    shown = get(service, old, version="1").body
    (revision,) = service.ask("GET", f"{FACTS}/{old}/revisions").body["data"]

    ended = {k: v for k, v in shown.items() if k.startswith("invalid")}
    assert revision == shown
    assert ended == {
        "invalidatedAt": "2026-05-01T12:00:01.000Z",
        "invalidatedBy": "user:root",
        "invalidationReason": "superseded",
    }
    assert not {"supersededBy", "replaces"} & shown.keys()


def test_its_successor_names_the_first_that_it_replaced(service, ends):
    old, new = ends

    shown = get(service, new).body

    assert (shown["supersedes"], shown["version"]) == (old, 1)
    assert not {"supersededBy", "replaces"} & shown.keys()


def test_it_can_be_changed_no_more(service, ends):
    old, _ = ends

    answers = [
        service.ask("POST", f"{FACTS}/{old}/supersede", {"content": "x"}),
        service.ask("POST", f"{FACTS}/{old}/verify"),
        service.ask("DELETE", f"{FACTS}/{old}"),
    ]

    assert [answer.code for answer in answers] == ["fact-not-found"] * 3


def test_the_facts_door_takes_alike_atoms_and_lets_each_be(service):
    atoms = [
        service.write({"text": "a"}, type="memory.atom", scope={"tenantId": TENANT})
        for _ in range(2)
    ]

    assert listed(service) == [atom["id"] for atom in reversed(atoms)]
