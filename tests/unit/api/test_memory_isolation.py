"""Ben learns nothing of Ana: every answer to him is the same, to the letter, whether she has a memory or not."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from palimpsest.domain.associations import STOOD_IN_ONE_ATOM, Lesson
from palimpsest.domain.revisions import delete

from tests.builders import (
    OTHER_TENANT,
    build_act,
    build_atom,
    build_caller,
    build_scope,
    build_successor,
)
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds
from tests.service import FakeService

MEMORY = "/api/v1/memory"
ANA, BEN = build_caller("ana", writes=("secret",)), build_caller("ben", writes=("apollo",))
SAID = {
    "concepts": ("chess", "rivals"),
    "domain": "plans",
    "metadata": {"team": "red"},
    "fingerprint": "f-1",
    "external_ref": "r-1",
    "importance": 0.25,
    "agent_name": "Nightly",
    "client_env": "cursor",
}
RED = {"key": "team", "op": "eq", "value": "red"}
# Ana's: her own, her project's, another tenant's of the same names.
HER_SCOPES = [
    build_scope(userId="ana"),
    build_scope(projectId="secret"),
    build_scope(OTHER_TENANT, userId="ben"),
]


@dataclass
class World:
    """A service in which Ben has a memory, and Ana may have one.

    Attributes:
        her_ids: Of Ana's atoms, which Ben asks for whether they are there or not.
    """

    is_ana_there: bool
    service: FakeService = field(default_factory=FakeService)
    her_ids: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.service.callers |= {"ana": ANA, "ben": BEN}
        self._fill(
            self.service.ids, BEN, [build_scope(userId="ben"), build_scope(projectId="apollo")]
        )
        hers = FakeIds(self.service.clock, series=7)
        self._fill(hers, ANA, HER_SCOPES, is_there=self.is_ana_there)
        self.her_ids = hers.made

    def _fill(self, ids: FakeIds, caller: Any, scopes: list[Any], *, is_there: bool = True) -> None:
        """Write, replace, delete, rate and learn in each scope, or only make the ids."""
        facts = self.service.facts
        for scope in scopes:
            atoms = [
                build_atom(f"{caller.id} {number}", ids=ids, scope=scope, caller=caller, **SAID)
                for number in range(3)
            ]
            after, closed = build_successor(atoms[0], ids=ids, scope=scope, caller=caller)
            gone = delete(atoms[1], build_act(ids=ids, caller=caller))
            lesson = Lesson(
                event_id="e",
                scope=scope,
                concepts=(caller.id, "chess"),
                amount=STOOD_IN_ONE_ATOM,
                at=NOON,
            )
            if not is_there:
                continue
            for atom in (*atoms, after):
                facts.add(atom)
            facts.close(atoms[0], closed)
            facts.close(atoms[1], gone)
            facts.move_valences([(atoms[2], -0.5)], operation_id=ids.new_id())
            for fact in (closed, gone, atoms[2], after):
                self.service.memory.show(fact)
            self.service.associations.learn(lesson)

    def answers(self, method: str, path: str, body: object = None) -> list[tuple[int, str, str]]:
        """Return what Ben is answered, page by page to the end."""
        answers = []
        cursor: str | None = None
        while True:
            query: dict[str, str] = {}
            if cursor is not None and body is None:
                query = {"cursor": cursor}
            asked = {**body, "cursor": cursor} if isinstance(body, dict) and cursor else body
            answer = self.service.ask(method, path, asked, token="ben", query=query)
            answers.append((answer.status, answer.text, answer.headers.get("X-Next-Cursor", "")))
            cursor = answer.headers.get("X-Next-Cursor")
            if path.endswith("/recent"):
                cursor = answer.body["next_cursor"]
            if cursor is None:
                return answers


@pytest.fixture
def worlds():
    return World(is_ana_there=False), World(is_ana_there=True)


EVERYTHING = {"query": "ana 1 chess", "min_relevance": 0, "top_k": 500, "include_history": True}
READS: list[tuple[str, str, object]] = [
    ("POST", f"{MEMORY}/read", EVERYTHING),
    ("POST", f"{MEMORY}/read", {**EVERYTHING, "fingerprint": "f-1", "domain": "plans"}),
    ("POST", f"{MEMORY}/read", {**EVERYTHING, "two_pass": True, "concepts": ["rivals", "ana"]}),
    ("POST", f"{MEMORY}/read", {**EVERYTHING, "strategy": "multi_hop", "order_by": "recency"}),
    ("POST", f"{MEMORY}/read", {**EVERYTHING, "author_principal": "user:ana"}),
    ("POST", f"{MEMORY}/query", {**EVERYTHING, "domains": ["plans"], "metadata_filter": [RED]}),
    ("POST", f"{MEMORY}/read-batch", {"items": [EVERYTHING, {"query": "rivals"}]}),
    ("POST", f"{MEMORY}/recent", {"limit": 1}),
    ("POST", f"{MEMORY}/recent", {"limit": 2, "include_history": True}),
    ("POST", f"{MEMORY}/recent", {"domain": "plans", "include_history": True}),
    ("POST", f"{MEMORY}/recent", {"exclude_author": "user:ben", "include_history": True}),
    ("POST", f"{MEMORY}/recent", {"since": "2026-05-01", "until": "2026-05-02"}),
    ("POST", f"{MEMORY}/graph", {"seeds": ["chess", "ana", "rivals"], "depth": 3, "min_weight": 0}),
    ("POST", f"{MEMORY}/atoms/by-external-ref", {"external_ref": "r-1", "include_history": True}),
    ("GET", f"{MEMORY}/stats", None),
    ("GET", f"{MEMORY}/domains", None),
    ("GET", f"{MEMORY}/export", None),
    ("GET", f"{MEMORY}/rooms", None),
    ("GET", "/api/v1/vault/secrets", None),
]


@pytest.mark.parametrize(("method", "path", "body"), READS)
def test_an_answer_to_ben_is_the_same_whether_ana_has_a_memory_or_not(worlds, method, path, body):
    without, with_her = (world.answers(method, path, body) for world in worlds)

    assert with_her == without
    assert {status for status, *_ in with_her} == {200}


@pytest.mark.parametrize("path", [f"{MEMORY}/atoms/{{id}}", f"{MEMORY}/atoms/{{id}}/chain"])
def test_her_atoms_are_not_there_by_their_ids(worlds, path):
    without, with_her = worlds

    for atom_id in with_her.her_ids:
        place = path.replace("{id}", atom_id)
        told = with_her.answers("GET", place)
        assert told == without.answers("GET", place)
        assert [status for status, *_ in told] == [404]


def test_the_world_with_ana_is_another_one_for_ana(worlds):
    """Or the tests above would compare two empty worlds."""
    without, with_her = (
        world.service.ask("GET", f"{MEMORY}/stats", token="ana").body for world in worlds
    )

    assert (without["total_atoms"], without["hebbian_edges"]) == (0, 0)
    assert (with_her["total_atoms"], with_her["hebbian_edges"]) == (4, 1)


def test_ben_and_ana_find_what_is_their_own(worlds):
    _, world = worlds
    found = {
        name: world.service.ask("POST", f"{MEMORY}/read", EVERYTHING, token=name).body["items"]
        for name in ("ana", "ben")
    }

    assert {name: len(items) for name, items in found.items()} == {"ana": 6, "ben": 6}
