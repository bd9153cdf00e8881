"""Recall what is remembered: the observations that answer a query, by the entities that they are about."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import EntityKey, EntityName, EntityType, fit_text
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.labels import Label, LabelKind, home_label
from palimpsest.domain.observations import OBSERVATION_TYPE, Observation, observation_of
from palimpsest.domain.reading import holds_at
from palimpsest.domain.scopes import Scope
from palimpsest.ports.clock import Clock
from palimpsest.use_cases.entity_facts import check_place
from palimpsest.use_cases.retrieve_facts import Found, Mode, Retrieved, RetrieveRequest

# spec/entities.md, the table of tools.
MAX_QUERY_CHARACTERS = 1000
MAX_MEMORIES = 50


class RecallMode(StrEnum):
    """How memories are found."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"


_MODES = {RecallMode.HYBRID: Mode.BOTH, RecallMode.SEMANTIC: Mode.SEMANTIC}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What is asked for.

    Attributes:
        query: In the caller's words, never syntax; 1 to 1000 characters.
        limit: At most so many memories, of all entities together; 1 to 50.
        mode: How to find them.
        types: Of entities of these types; empty for all.

    Raises:
        BadInputError: If the query or the limit is outside its range.
    """

    query: str
    limit: int = 10
    mode: RecallMode = RecallMode.HYBRID
    types: frozenset[EntityType] = frozenset()

    def __post_init__(self) -> None:
        fit_text(self.query, MAX_QUERY_CHARACTERS, field="query")
        if not 1 <= self.limit <= MAX_MEMORIES:
            raise BadInputError(f"limit must be 1 to {MAX_MEMORIES}.", field="limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One observation that was found.

    Attributes:
        fact_id: Of its fact.
        observation: What is remembered.
        at: When it was written.
        score: Higher is better; the cosine for ``semantic``, the fused ranks for ``hybrid``.
    """

    fact_id: str
    observation: Observation
    at: datetime
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What is remembered of one entity.

    Attributes:
        entity: As its best memory names it.
        memories: Best first.
    """

    entity: EntityName
    memories: list[Memory] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallMemories:
    """Finds observations of exactly one scope.

    Attributes:
        retrieve: Searches as the facts door does, and checks every candidate at the table.
        clock: The time of day.
    """

    retrieve: Callable[[Caller, RetrieveRequest], Retrieved]
    clock: Clock

    def __call__(self, caller: Caller, scope: Scope, request: RecallRequest) -> list[Recalled]:
        """Return the best memories, by entity, in the order of each entity's best one.

        Raises:
            PermissionDeniedError: If the caller may not read in the scope.
            SearchUnsupportedError: If this deployment has no index.
            SemanticUnavailableError: If it has no embeddings, or they do not answer.
            SearchUnavailableError: If the index does not answer in time.
            StoreUnavailableError: If the table does not answer in time.
        """
        check_place(caller, scope)
        retrieved = self.retrieve(
            caller,
            RetrieveRequest(
                mode=_MODES[request.mode],
                query=request.query,
                wanted=_wanted(scope, request.types),
                # More than is shown: what does not hold any more is found and dropped.
                limit=MAX_MEMORIES,
            ),
        )
        now = self.clock.now()
        held = (found for found in retrieved.results if holds_at(found.revision, now))
        memories = [memory for found in held if (memory := _memory(found)) is not None]
        return _by_entity(memories[: request.limit])


def _wanted(scope: Scope, types: frozenset[EntityType]) -> FactFilter:
    """Return the filter: the label of the home finds that scope alone, not what names more containers besides."""
    home = frozenset({home_label(scope)})
    labels = frozenset(Label(LabelKind.ENTITY_TYPE, kind.value) for kind in types)
    return FactFilter(type=OBSERVATION_TYPE, labels=(home, labels) if labels else (home,))


def _memory(found: Found) -> Memory | None:
    observation = observation_of(found.revision)
    if observation is None:
        return None
    return Memory(
        fact_id=found.revision.fact_id,
        observation=observation,
        at=found.revision.created_at,
        score=found.score or 0.0,
    )


def _by_entity(memories: list[Memory]) -> list[Recalled]:
    recalled: dict[EntityKey, Recalled] = {}
    for memory in memories:
        entity = memory.observation.entity
        recalled.setdefault(entity.key, Recalled(entity=entity)).memories.append(memory)
    return list(recalled.values())
