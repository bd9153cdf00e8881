"""Arguments of the tools over entities, and of the routes beside them."""

from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from palimpsest.api.bodies import StrictBody
from palimpsest.api.fact_bodies import Instant, NaturalNumber, whole
from palimpsest.api.tool_arguments import Narrowed
from palimpsest.domain.entities import MAX_NAME_CHARACTERS, EntityType
from palimpsest.domain.observations import MAX_OBSERVATION_CHARACTERS, ObservationSource
from palimpsest.domain.relations import MAX_RELATION_CHARACTERS
from palimpsest.use_cases.build_knowledge import MAX_FACTS, MAX_RELATIONS
from palimpsest.use_cases.get_entity_context import MAX_OBSERVATIONS
from palimpsest.use_cases.recall_memories import (
    MAX_MEMORIES,
    MAX_QUERY_CHARACTERS,
    RecallMode,
    RecallRequest,
)
from palimpsest.use_cases.relate_entities import RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

# The seed page, and spec/entities.md for the routes.
DEFAULT_LIST_LIMIT = 50
MAX_LIST_LIMIT = 100
MAX_ROUTE_LIST_LIMIT = 200
DEFAULT_GRAPH_LIMIT = 100
MAX_GRAPH_LIMIT = 500
DEFAULT_RECALL_LIMIT = 10
DEFAULT_OBSERVATIONS = 20

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARACTERS)]
Type = Annotated[EntityType, Field(strict=False)]
TypeOfNamed = Annotated[
    Type | None,
    Field(
        description="Left out: that of the entity of this name, else `concept`; one name with two types is two entities."
    ),
]
Types = Annotated[list[Type], Field(description="Only of these types; none or empty means all.")]


class ListEntitiesArguments(Narrowed):
    """Of ``list_entities``."""

    entity_types: Types = Field(default_factory=list)
    limit: Annotated[
        int,
        Field(ge=1, le=MAX_LIST_LIMIT, description="At most so many entities."),
        BeforeValidator(whole),
    ] = DEFAULT_LIST_LIMIT
    offset: Annotated[NaturalNumber, Field(description="So many are skipped.")] = 0

    @property
    def types(self) -> frozenset[EntityType]:
        """The types that are asked for; empty for all."""
        return frozenset(self.entity_types)


class ListEntitiesQuery(ListEntitiesArguments):
    """Of ``GET /api/memory/entities``: a program may take more at once than a model."""

    entity_types: Types = Field(default_factory=list, alias="types")
    limit: Annotated[int, Field(ge=1, le=MAX_ROUTE_LIST_LIMIT), BeforeValidator(whole)] = (
        DEFAULT_LIST_LIMIT
    )


class ObservationFields(StrictBody):
    """One observation of an entity."""

    entity_name: Annotated[Name, Field(description="Whom or what it is about.")]
    entity_type: TypeOfNamed = None
    observation: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_OBSERVATION_CHARACTERS,
            description="One thing that is true of it, in a sentence that stands alone.",
        ),
    ]
    source: Annotated[ObservationSource | None, Field(strict=False)] = None
    valid_until: Annotated[
        Instant | None, Field(description="From then on it is not shown any more.")
    ] = None

    def to_domain(self) -> RememberRequest:
        """Return it in the use case's terms."""
        return RememberRequest(
            entity_name=self.entity_name,
            entity_type=self.entity_type,
            observation=self.observation,
            source=self.source,
            valid_until=self.valid_until,
        )


class RelationFields(StrictBody):
    """One relation between two entities."""

    from_entity: Name
    to_entity: Name
    relation: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_RELATION_CHARACTERS,
            description="Such as `works_at`; kept in lower case, with `_` for blanks.",
        ),
    ]
    from_type: TypeOfNamed = None
    to_type: TypeOfNamed = None

    def to_domain(self) -> RelateRequest:
        """Return it in the use case's terms."""
        return RelateRequest(
            from_entity=self.from_entity,
            to_entity=self.to_entity,
            relation=self.relation,
            from_type=self.from_type,
            to_type=self.to_type,
        )


class RememberFactArguments(ObservationFields, Narrowed):
    """Of ``remember_fact``."""


class RelateEntitiesArguments(RelationFields, Narrowed):
    """Of ``relate_entities``."""


class RecallMemoriesArguments(Narrowed):
    """Of ``recall_memories``."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUERY_CHARACTERS,
            description="What to look for, in plain words.",
        ),
    ]
    limit: Annotated[
        int,
        Field(ge=1, le=MAX_MEMORIES, description="At most so many memories."),
        BeforeValidator(whole),
    ] = DEFAULT_RECALL_LIMIT
    search_mode: Annotated[RecallMode, Field(strict=False)] = RecallMode.HYBRID
    entity_types: Types = Field(default_factory=list)

    def to_domain(self) -> RecallRequest:
        """Return it in the use case's terms.

        Raises:
            BadInputError: If nothing is left of the query.
        """
        return RecallRequest(
            query=self.query,
            limit=self.limit,
            mode=self.search_mode,
            types=frozenset(self.entity_types),
        )


class SearchQuery(RecallMemoriesArguments):
    """Of ``GET /api/memory/search``."""

    entity_types: Types = Field(default_factory=list, alias="types")


class GetEntityContextArguments(Narrowed):
    """Of ``get_entity_context``, and of ``GET /api/memory/entities/{name}``."""

    entity_name: Name
    include_related: Annotated[bool, Field(description="Whether relations come too.")] = True
    max_obs: Annotated[
        int,
        Field(ge=1, le=MAX_OBSERVATIONS, description="At most so many observations, newest first."),
        BeforeValidator(whole),
    ] = DEFAULT_OBSERVATIONS


class ForgetEntityArguments(Narrowed):
    """Of ``forget_entity``."""

    entity_name: Name
    confirm: Annotated[bool, WithJsonSchema({"type": "boolean", "const": True})]


class MemoryStatsArguments(Narrowed):
    """Of ``memory_stats``, and of ``GET /api/memory/stats``."""


class BuildKnowledgeArguments(Narrowed):
    """Of ``build_knowledge``."""

    facts: Annotated[list[ObservationFields], Field(max_length=MAX_FACTS)] = Field(
        default_factory=list
    )
    relations: Annotated[list[RelationFields], Field(max_length=MAX_RELATIONS)] = Field(
        default_factory=list
    )


class GraphQuery(Narrowed):
    """Of ``GET /api/memory/graph``."""

    limit: Annotated[int, Field(ge=1, le=MAX_GRAPH_LIMIT), BeforeValidator(whole)] = (
        DEFAULT_GRAPH_LIMIT
    )
