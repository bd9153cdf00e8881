"""Entities: the people, projects and things that observations and relations are about.

An entity is no fact. It stands as long as a current observation or relation names it, in the exact scope of that fact, and
is found there by its type and its canonical name.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from palimpsest.domain.concepts import canonical_concept
from palimpsest.domain.errors import BadInputError

# spec/entities.md, the table of tools.
MAX_NAME_CHARACTERS = 200


class EntityType(StrEnum):
    """What an entity is."""

    PERSON = "person"
    CONCEPT = "concept"
    PROJECT = "project"
    PREFERENCE = "preference"
    FACT = "fact"
    LOCATION = "location"
    ORGANIZATION = "organization"


@dataclass(frozen=True, slots=True, order=True)
class EntityKey:
    """What makes two mentions the same entity of a scope.

    Attributes:
        type: Its type; a person and a project of one name are two entities.
        name: The canonical form of its name.
    """

    type: EntityType
    name: str


@dataclass(frozen=True, slots=True)
class EntityName:
    """An entity as a fact names it.

    Attributes:
        name: As it was written, without blanks around it; 1 to ``MAX_NAME_CHARACTERS``.
        type: Its type.
    """

    name: str
    type: EntityType

    @property
    def key(self) -> EntityKey:
        """What it is found by."""
        return EntityKey(self.type, canonical_concept(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """An entity as it stands.

    Attributes:
        id: A UUID, kept for as long as the entity stands.
        name: As the first fact wrote it.
        type: Its type.
        updated_at: When it was last told something, new or not.
        observations: How many stand, expired ones among them until they are swept.
        relations: How many ends of relations, likewise: one to itself counts twice.
    """

    id: str
    name: str
    type: EntityType
    updated_at: datetime
    observations: int
    relations: int

    @property
    def key(self) -> EntityKey:
        """What it is found by."""
        return EntityName(self.name, self.type).key


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How much stands in one scope.

    Attributes:
        entities: By type; a type of which there is none is left out.
        observations: Of all entities.
        relations: Each counted once.
    """

    entities: Mapping[EntityType, int]
    observations: int = 0
    relations: int = 0

    def count(self, types: frozenset[EntityType]) -> int:
        """Return how many entities there are of these types; of all types where none is named."""
        return sum(n for kind, n in self.entities.items() if not types or kind in types)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Which part of a sorted list is wanted.

    Attributes:
        limit: At most so many, from 1.
        offset: So many are skipped, from 0.
        max_limit: What the door allows.

    Raises:
        BadInputError: If either is outside its range.
    """

    limit: int
    offset: int = 0
    max_limit: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= self.max_limit:
            raise BadInputError(f"limit must be 1 to {self.max_limit}.", field="limit")
        if self.offset < 0:
            raise BadInputError("offset must be 0 or more.", field="offset")

    @property
    def end(self) -> int:
        """How many of the list it takes to fill the window."""
        return self.offset + self.limit


def entity_name(text: str, entity_type: EntityType, *, field: str) -> EntityName:
    """Return an entity's name as a caller gives it.

    Raises:
        BadInputError: If it is blank or too long.
    """
    return EntityName(fit_text(text, MAX_NAME_CHARACTERS, field=field), entity_type)


def fit_text(text: str, most: int, *, field: str) -> str:
    """Return a text without the blanks around it.

    Args:
        text: As it came.
        most: Characters that it may have.
        field: Named in the error.

    Raises:
        BadInputError: If nothing is left of it, it is too long, or it holds a lone surrogate, which is no character.
    """
    stripped = text.strip()
    if not 1 <= len(stripped) <= most or not canonical_concept(stripped):
        raise BadInputError(f"{field} must have 1 to {most} characters.", field=field)
    if any(unicodedata.category(character) == "Cs" for character in stripped):
        raise BadInputError(f"{field} must be text that UTF-8 can carry.", field=field)
    return stripped


def entity_name_in(name: object, entity_type: object) -> EntityName | None:
    """Read an entity's name from the content of a fact, which another door may have written.

    Returns:
        The name, cut to ``MAX_NAME_CHARACTERS``, of type ``concept`` where no known type stands; None where there is no name.
    """
    written = name.strip()[:MAX_NAME_CHARACTERS].rstrip() if isinstance(name, str) else ""
    if not canonical_concept(written):
        return None
    known = {kind.value: kind for kind in EntityType}
    found = known.get(entity_type) if isinstance(entity_type, str) else None
    return EntityName(written, found or EntityType.CONCEPT)
