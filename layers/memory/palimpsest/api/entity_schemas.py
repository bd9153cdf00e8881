"""What the tools over entities answer, in the verbose form, and the routes beside them.

Nothing is validated against these at run time; tests hold every answer to them.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from palimpsest.api.schemas import Time

Type = Literal["person", "concept", "project", "preference", "fact", "location", "organization"]
Count = Annotated[int, Field(ge=0)]
# Entities have no description of their own; the field is the seed page's, and always there.
Description = Annotated[str | None, WithJsonSchema({"type": ["string", "null"]})]
Truncated = Annotated[bool, Field(description="The end was left out: the answer was full.")]


class _Answer(BaseModel):
    """What all objects in an answer share: camelCase and no other fields."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, defer_build=True)


class EntityNamed(_Answer):
    """An entity as it is named."""

    name: str
    type: Type


class Entity(EntityNamed):
    """An entity as it stands."""

    id: Annotated[str, Field(description="A UUID; its first eight characters are unique enough.")]
    description: Description
    updated_at: Annotated[Time, Field(description="When it was last told something.")]


class EntityList(_Answer):
    """A part of the entities, latest update first. More follow while `offset + returned < total`."""

    total: Annotated[Count, Field(description="All that match.")]
    returned: Count
    offset: Count
    entities: list[Entity]
    truncated: Truncated | None = None


class RememberedFact(_Answer):
    """What stands now."""

    ok: Literal[True]
    duplicate: Annotated[bool, Field(description="It was known already.")]
    entity: EntityNamed
    observation_id: Annotated[str, Field(description="The id of its fact, for get_fact.")]


class Memory(_Answer):
    """One observation that was found."""

    content: str
    score: float
    source: str | None = None
    created_at: Time
    fact_id: str


class RecalledEntity(EntityNamed):
    """What was found about one entity, best first."""

    memories: list[Memory]


class Recalled(_Answer):
    """What was found, by entity, in the order of each entity's best memory."""

    returned: Annotated[Count, Field(description="Memories, of all entities together.")]
    entities: list[RecalledEntity]
    truncated: Truncated | None = None


class RelatedEntities(_Answer):
    """What stands now."""

    ok: Literal[True]
    duplicate: Annotated[bool, Field(description="It stood already.")]
    relation: str
    from_: Annotated[EntityNamed, Field(alias="from")]
    to: EntityNamed
    relation_id: Annotated[str, Field(description="The id of its fact, for get_fact.")]


class Observation(_Answer):
    """One observation of an entity."""

    observation: str
    source: str | None = None
    created_at: Time
    valid_until: Time | None = None
    fact_id: str


class Link(_Answer):
    """A relation, seen from one of its ends."""

    relation: str
    entity: Annotated[EntityNamed, Field(description="The other end.")]
    fact_id: str


class Relations(_Answer):
    """Relations of an entity, newest first."""

    outgoing: list[Link]
    incoming: list[Link]


class EntityContext(_Answer):
    """What is known of an entity; where there is none, `found` is all."""

    found: bool
    entity: Entity | None = None
    observations: list[Observation] | None = None
    more_observations: Annotated[Count | None, Field(description="Older ones, not shown.")] = None
    relations: Relations | None = None
    truncated: Truncated | None = None


class ForgottenEntity(_Answer):
    """What is gone."""

    ok: Annotated[bool, Field(description="False if the time was over first: ask again to go on.")]
    entities: list[EntityNamed]
    observations: Count
    relations: Count


class MemoryStats(_Answer):
    """How much is remembered."""

    entities: Count
    observations: Count
    relations: Count
    entities_by_type: dict[Type, Count]


class Kept(_Answer):
    """How many were kept."""

    new: Count
    duplicate: Count


class Failure(_Answer):
    """An item that was not kept, and why."""

    part: Literal["facts", "relations"]
    index: Count
    error: str
    cause: str
    fix: str
    code: str


class BuiltKnowledge(_Answer):
    """What stands now."""

    ok: Annotated[bool, Field(description="Nothing failed.")]
    facts: Kept
    relations: Kept
    failures: list[Failure]


class GraphNode(EntityNamed):
    """An entity of the graph."""

    degree: Annotated[Count, Field(description="Edges of the answer that it has.")]


class GraphEdge(_Answer):
    """A relation of the graph."""

    source: EntityNamed
    relation: str
    target: EntityNamed
    fact_id: str


class EntityGraph(_Answer):
    """The newest relations, and the entities that they join."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: Annotated[bool, Field(description="There are older relations.")]
