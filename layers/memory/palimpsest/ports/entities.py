"""Entities as they are kept: what follows from the facts that name them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from palimpsest.domain.entities import Entity, EntityKey, EntityType, Totals, Window
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPage:
    """A part of a list of entities.

    Attributes:
        entities: Latest update first; entities of one instant by id.
        total: How many there are in all parts together.
    """

    entities: list[Entity]
    total: int


class EntityDirectory(Protocol):
    """Which entities stand in an exact scope, and which facts hang on each.

    It follows the facts without a lag, since ``FactRepository`` writes both in one transaction: an entity appears with its
    first current observation or relation and goes with its last, and its counts are exact. A fact that expires is counted
    until it is swept, and some seconds more: see ``FactRepository.count_out``. What the directory gives is not for everybody's
    eyes: whose facts hang on an entity and may be shown is the reader's to check.

    Every method may raise ``StoreUnavailableError`` and ``StoreFailedError``. All reads but the order of a list are
    consistent.
    """

    def find(self, scope: Scope, name: str) -> list[Entity]:
        """Return the entities of this name, of any type, latest update first, ties by id.

        Args:
            scope: Exactly this one.
            name: In any spelling that has the same canonical form.
        """
        ...

    def list_page(self, scope: Scope, types: frozenset[EntityType], window: Window) -> EntityPage:
        """Return a part of the entities of a scope. Their order may lag a write by milliseconds.

        Args:
            scope: Exactly this one.
            types: Of any of these types; empty for all types.
            window: Which part. What it skips is not read but for its keys.
        """
        ...

    def count(self, scope: Scope) -> Totals:
        """Return how much stands in a scope, from counters."""
        ...

    def list_ties(
        self,
        scope: Scope,
        key: EntityKey,
        side: Side,
        *,
        limit: int,
        before: str | None = None,
    ) -> list[str]:
        """Return ids of the facts that hang on an entity, newest first.

        Args:
            scope: Exactly this one.
            key: Of the entity; one that does not stand has none.
            side: How they hang on it.
            limit: At most so many, from 1.
            before: Only facts with a lower id; None to start from the newest.
        """
        ...

    def untie(self, scope: Scope, key: EntityKey, side: Side, fact_id: str) -> None:
        """Take a fact that is gone off an entity and out of its counts; the entity goes with its last.

        For what was never counted out (see ``FactRepository.count_out``). One that does not hang there changes nothing.

        Args:
            scope: Exactly this one.
            key: Of the entity.
            side: How the fact hung on it.
            fact_id: Of a fact that is not there any more, which is not looked at.

        Raises:
            WriteConflictError: If another writer changed the entity at the same time.
        """
        ...

    def touch(self, scope: Scope, keys: Collection[EntityKey], at: datetime) -> None:
        """Move entities to the top, because they were told what they knew; those that do not stand, or are above, stay.

        Args:
            scope: Exactly this one.
            keys: Of the entities.
            at: When.
        """
        ...
