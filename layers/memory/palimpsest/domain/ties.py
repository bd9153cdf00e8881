"""Ties: how facts hang on entities, and what a change of a fact means for the entities that it names.

Everything that is kept beside facts for entities, which facts an entity has and how many, follows from here. An entity
stands while it has a tie.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.atoms import text_key
from palimpsest.domain.entities import EntityKey, EntityName
from palimpsest.domain.facts import Fact, Review, Revision
from palimpsest.domain.observations import observation_of
from palimpsest.domain.relations import relation_of


class Side(StrEnum):
    """How a fact hangs on an entity."""

    OBSERVATION = "observation"
    OUT = "out"
    IN = "in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """One fact on one entity.

    Attributes:
        entity: Which.
        side: How.
        mark: The same for another fact of this entity that says the very same; empty on the far end of a relation, whose
            near end has it.
    """

    entity: EntityName
    side: Side
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityChange:
    """What a write does to one entity.

    Attributes:
        entity: Which.
        added: Ties that it gets.
        removed: Ties that it loses.
        is_told: Something was said of it: it moves to the top.
    """

    entity: EntityName
    added: tuple[Tie, ...] = ()
    removed: tuple[Tie, ...] = ()
    is_told: bool = False

    @property
    def growth(self) -> int:
        """By how many ties it grows; below 0 where it shrinks."""
        return len(self.added) - len(self.removed)

    def growth_of(self, side: Side) -> int:
        """Return by how many ties of one side it grows."""
        return sum(t.side is side for t in self.added) - sum(t.side is side for t in self.removed)


def ties_of(revision: Revision | None) -> tuple[Tie, ...]:
    """Return the ties that a fact has at a revision.

    Returns:
        None of them for a fact that is closed, waits for its review, or is neither observation nor relation.
    """
    if revision is None or revision.closing is not None or revision.review is Review.PENDING:
        return ()
    return _ties_in(revision)


def entities_of(revision: Revision) -> tuple[EntityName, ...]:
    """Return the entities that a revision names, whether or not it stands; without repeats."""
    return tuple({tie.entity.key: tie.entity for tie in _ties_in(revision)}.values())


def changes_between(before: Fact | None, after: Fact | None) -> tuple[EntityChange, ...]:
    """Return what a write of a fact does to the entities that it names, by their keys.

    Args:
        before: The fact as it stood; None for a new one.
        after: As it stands then; None where it is taken away altogether.
    """
    had = ties_of(before.revision if before else None)
    has = ties_of(after.revision if after else None)
    is_new_revision = before is None or (after is not None and after.version != before.version)
    entities = {tie.entity.key: tie.entity for tie in (*had, *has)}
    told = {tie.entity.key for tie in has} if is_new_revision else set[EntityKey]()
    return tuple(
        EntityChange(
            entity=entities[key],
            added=tuple(_missing_in(had, has, key)),
            removed=tuple(_missing_in(has, had, key)),
            is_told=key in told,
        )
        for key in sorted(entities)
    )


def observation_mark(text: str) -> str:
    """Return the mark of an observation: the same for the same text of one entity."""
    return f"observation.{text_key(text)}"


def relation_mark(name: str, target: EntityKey) -> str:
    """Return the mark of a relation: the same for the same relation from one entity to the same other."""
    said = "\n".join((name, target.type, target.name))  # neither name holds a line break
    return f"relation.{hashlib.sha256(said.encode()).hexdigest()}"


def _missing_in(ties: tuple[Tie, ...], others: tuple[Tie, ...], key: EntityKey) -> Iterator[Tie]:
    """Yield the others of an entity that are not among the ties; how the name is written makes no difference."""
    known = {(tie.entity.key, tie.side, tie.mark) for tie in ties}
    for tie in others:
        if tie.entity.key == key and (tie.entity.key, tie.side, tie.mark) not in known:
            yield tie


def _ties_in(revision: Revision) -> tuple[Tie, ...]:
    observation = observation_of(revision)
    if observation is not None:
        mark = observation_mark(observation.text)
        return (Tie(entity=observation.entity, side=Side.OBSERVATION, mark=mark),)
    relation = relation_of(revision)
    if relation is None:
        return ()
    return (
        Tie(
            entity=relation.source,
            side=Side.OUT,
            mark=relation_mark(relation.name, relation.target.key),
        ),
        Tie(entity=relation.target, side=Side.IN),
    )
