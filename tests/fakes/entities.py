"""Entities in memory: held to what the real store keeps by ``tests/contract/test_entities.py``."""

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.entities import Entity, EntityKey, EntityType, Totals, Window
from palimpsest.domain.facts import Fact
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import EntityChange, Side, changes_between, ties_of
from palimpsest.ports.entities import EntityPage

from tests.fakes.entity_ids import FakeEntityIds
from tests.fakes.faults import Faults

Place = tuple[str, EntityKey]


@dataclass
class FakeEntityDirectory:
    """See ``palimpsest.ports.entities.EntityDirectory``.

    ``FakeFactRepository`` has one and tells it of every write: see its attribute ``entities``.

    Attributes:
        ids: Gives an entity its id when it appears.
        faults: What goes wrong with the next call.
    """

    ids: FakeEntityIds = field(default_factory=FakeEntityIds)
    faults: Faults = field(default_factory=Faults)
    _entities: dict[Place, Entity] = field(default_factory=dict)
    _ties: dict[Place, dict[Side, set[str]]] = field(default_factory=dict)
    _marks: dict[Place, dict[str, str]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def find(self, scope: Scope, name: str) -> list[Entity]:
        with self.faults.strike():
            canonical = canonical_concept(name)
            return _sorted([e for e in self._in(scope) if e.key.name == canonical])

    def list_page(self, scope: Scope, types: frozenset[EntityType], window: Window) -> EntityPage:
        with self.faults.strike():
            wanted = _sorted([e for e in self._in(scope) if not types or e.type in types])
            return EntityPage(entities=wanted[window.offset : window.end], total=len(wanted))

    def count(self, scope: Scope) -> Totals:
        with self.faults.strike(), self._lock:
            found = self._in(scope)
            out = sum(len(self._ties[scope_hash(scope), e.key][Side.OUT]) for e in found)
            by_type = {kind: sum(e.type is kind for e in found) for kind in EntityType}
            return Totals(
                entities={kind: number for kind, number in by_type.items() if number},
                observations=sum(e.observations for e in found),
                relations=out,
            )

    def list_ties(
        self,
        scope: Scope,
        key: EntityKey,
        side: Side,
        *,
        limit: int,
        before: str | None = None,
    ) -> list[str]:
        with self.faults.strike(), self._lock:
            ties = self._ties.get((scope_hash(scope), key), {}).get(side, set())
            below = [fact_id for fact_id in ties if before is None or fact_id < before]
            return sorted(below, reverse=True)[:limit]

    def untie(self, scope: Scope, key: EntityKey, side: Side, fact_id: str) -> None:
        with self.faults.strike(), self._lock:
            place = (scope_hash(scope), key)
            if place in self._entities:
                self._ties[place][side].discard(fact_id)
                self._recount(place)

    def touch(self, scope: Scope, keys: Collection[EntityKey], at: datetime) -> None:
        with self.faults.strike(), self._lock:
            for key in keys:
                self._move_up((scope_hash(scope), key), at)

    def twin_among(self, facts: Sequence[Fact], stale: frozenset[str]) -> str | None:
        """Return the id of a fact, standing or one of these, that says the very same as another of these."""
        with self._lock:
            holders: dict[tuple[Place, str], str] = {}
            for fact in facts:
                for tie in ties_of(fact.revision):
                    place = (scope_hash(fact.revision.scope), tie.entity.key)
                    standing = self._marks.get(place, {}).get(tie.mark)
                    known = None if standing in stale else standing
                    holder = holders.setdefault((place, tie.mark), known or fact.id)
                    if tie.mark and holder != fact.id:
                        return holder
            return None

    def follow(self, before: Fact | None, after: Fact | None) -> None:
        """Take over what a write of a fact changes; ``after`` is None where it is taken away."""
        fact = after or before
        assert fact is not None
        with self._lock:
            for change in changes_between(before, after):
                self._apply(fact, change)

    def _in(self, scope: Scope) -> list[Entity]:
        with self._lock:
            place = scope_hash(scope)
            return [entity for (where, _), entity in self._entities.items() if where == place]

    def _apply(self, fact: Fact, change: EntityChange) -> None:
        scope, at = fact.revision.scope, fact.revision.created_at
        place = (scope_hash(scope), change.entity.key)
        if change.added and place not in self._entities:
            self._entities[place] = Entity(
                id=self.ids.id_of(scope, change.entity.key),
                name=change.entity.name,
                type=change.entity.type,
                updated_at=at,
                observations=0,
                relations=0,
            )
            self._ties[place] = {side: set() for side in Side}
            self._marks[place] = {}
        if place in self._entities:
            self._hang(place, fact.id, change)
            if change.is_told:
                self._move_up(place, at)

    def _hang(self, place: Place, fact_id: str, change: EntityChange) -> None:
        ties, marks = self._ties[place], self._marks[place]
        for tie in change.removed:
            ties[tie.side].discard(fact_id)
            if marks.get(tie.mark) == fact_id:
                del marks[tie.mark]
        for tie in change.added:
            ties[tie.side].add(fact_id)
            if tie.mark:
                marks[tie.mark] = fact_id
        self._recount(place)

    def _recount(self, place: Place) -> None:
        ties = self._ties[place]
        observations = len(ties[Side.OBSERVATION])
        relations = len(ties[Side.OUT]) + len(ties[Side.IN])
        self._entities[place] = replace(
            self._entities[place], observations=observations, relations=relations
        )
        if not observations + relations:
            del self._entities[place], self._ties[place], self._marks[place]

    def _move_up(self, place: Place, at: datetime) -> None:
        entity = self._entities.get(place)
        if entity is not None and entity.updated_at < at:
            self._entities[place] = replace(entity, updated_at=at)


def _sorted(entities: list[Entity]) -> list[Entity]:
    """Return them latest update first, ties by id."""
    by_id = sorted(entities, key=lambda entity: entity.id)
    return sorted(by_id, key=lambda entity: entity.updated_at, reverse=True)
