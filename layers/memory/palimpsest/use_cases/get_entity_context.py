"""Get what is known of one entity: its newest observations, and how it stands to others."""

from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import Entity
from palimpsest.domain.errors import BadInputError, EntityNotFoundError
from palimpsest.domain.facts import Revision
from palimpsest.domain.observations import Observation, observation_of
from palimpsest.domain.relations import Relation, relation_of
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import Side
from palimpsest.ports.entities import EntityDirectory
from palimpsest.use_cases.entity_facts import EntityFacts, check_place, found_entities

# spec/entities.md, the table of tools.
MAX_OBSERVATIONS = 100
# Of each direction, newest first: what an agent can take in, however many a much related entity has.
MAX_RELATIONS = 100
# What is read again in place of observations that may not be shown. Where most have expired, the answer is short.
MAX_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """What is asked for.

    Attributes:
        entity_name: In any spelling.
        include_related: Whether relations come too.
        max_observations: At most so many; 1 to ``MAX_OBSERVATIONS``.

    Raises:
        BadInputError: If that is outside its range.
    """

    entity_name: str
    include_related: bool = True
    max_observations: int = 20

    def __post_init__(self) -> None:
        if not 1 <= self.max_observations <= MAX_OBSERVATIONS:
            raise BadInputError(f"maxObs must be 1 to {MAX_OBSERVATIONS}.", field="maxObs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One observation with its fact.

    Attributes:
        fact_id: Of the fact.
        observation: What is remembered.
        at: When it was written.
        valid_until: From when on it does not hold any more; None for never.
    """

    fact_id: str
    observation: Observation
    at: datetime
    valid_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """One relation with its fact."""

    fact_id: str
    relation: Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityContext:
    """What is known.

    Attributes:
        entity: The one that was told of last, where several types have one of this name of which something may be shown.
        observations: Newest first.
        outgoing: Relations from it, newest first; empty where they were not asked for.
        incoming: Relations to it, likewise.
        more: How many observations there are beyond those that were looked at.
    """

    entity: Entity
    observations: list[Told]
    outgoing: list[Linked]
    incoming: list[Linked]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GetEntityContext:
    """Reads one entity. It costs what it shows, however much is known."""

    entities: EntityDirectory
    entity_facts: EntityFacts

    def __call__(self, caller: Caller, scope: Scope, request: ContextRequest) -> EntityContext:
        """Return what may be shown of it.

        Raises:
            EntityNotFoundError: If there is no entity of this name in exactly this scope, or nothing of it may be shown.
            PermissionDeniedError: If the caller may not read in the scope.
            StoreUnavailableError: If the store does not answer in time.
        """
        check_place(caller, scope)
        for entity in found_entities(self.entities, scope, request.entity_name):
            context = self._context(caller, scope, entity, request)
            if context is not None:
                return context
        raise EntityNotFoundError

    def _context(
        self, caller: Caller, scope: Scope, entity: Entity, request: ContextRequest
    ) -> EntityContext | None:
        """Return what may be shown of one entity; None if nothing may."""
        told, examined = self._told(caller, scope, entity, request.max_observations)
        # Relations vouch for an entity without observations, also where nobody asks for them.
        outgoing, incoming = (
            self._linked(caller, scope, entity) if request.include_related or not told else ([], [])
        )
        if not (told or outgoing or incoming):
            return None
        return EntityContext(
            entity=entity,
            observations=told,
            outgoing=outgoing if request.include_related else [],
            incoming=incoming if request.include_related else [],
            more=max(0, entity.observations - examined),
        )

    def _told(
        self, caller: Caller, scope: Scope, entity: Entity, limit: int
    ) -> tuple[list[Told], int]:
        """Return up to so many observations, and how many had to be looked at for them."""
        told: list[Told] = []
        examined, before = 0, None
        for _ in range(MAX_ROUNDS):
            wanted = limit - len(told)
            ids = self.entities.list_ties(
                scope, entity.key, Side.OBSERVATION, limit=wanted, before=before
            )
            shown = self.entity_facts.shown(caller, ids)
            told += [one for revision in shown.values() if (one := _told(revision)) is not None]
            examined += len(ids)
            if len(ids) < wanted or len(told) == limit:
                break
            before = ids[-1]
        return told, examined

    def _linked(
        self, caller: Caller, scope: Scope, entity: Entity
    ) -> tuple[list[Linked], list[Linked]]:
        outgoing, incoming = (
            self.entities.list_ties(scope, entity.key, side, limit=MAX_RELATIONS)
            for side in (Side.OUT, Side.IN)
        )
        shown = self.entity_facts.shown(caller, [*outgoing, *incoming])
        linked = {
            fact_id: Linked(fact_id=fact_id, relation=relation)
            for fact_id, revision in shown.items()
            if (relation := relation_of(revision)) is not None
        }
        return (
            [linked[i] for i in outgoing if i in linked],
            [linked[i] for i in incoming if i in linked],
        )


def _told(revision: Revision) -> Told | None:
    observation = observation_of(revision)
    if observation is None:
        return None
    return Told(
        fact_id=revision.fact_id,
        observation=observation,
        at=revision.created_at,
        valid_until=revision.valid_until,
    )
