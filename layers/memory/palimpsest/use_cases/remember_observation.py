"""Remember an observation of an entity."""

from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import (
    MAX_NAME_CHARACTERS,
    EntityName,
    EntityType,
    entity_name,
    fit_text,
)
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.observations import (
    MAX_OBSERVATION_CHARACTERS,
    OBSERVATION_TYPE,
    Observation,
    ObservationSource,
    content_of,
)
from palimpsest.domain.revisions import Draft
from palimpsest.domain.scopes import Scope
from palimpsest.ports.entities import EntityDirectory
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.entity_facts import settled_type
from palimpsest.use_cases.keep_once import KeepOnce


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """What is to be remembered.

    Attributes:
        entity_name: Whom or what it is about; 1 to 200 characters.
        entity_type: Its type; None for that of the entity of this name, or ``concept`` where there is none.
        observation: 1 to 2000 characters.
        source: Where it comes from; None where nobody says.
        valid_until: From then on it is not shown any more; None for never.
    """

    entity_name: str
    observation: str
    entity_type: EntityType | None = None
    source: ObservationSource | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What stands now.

    Attributes:
        entity: As this request names it, with its type settled.
        fact_id: Of the observation's fact.
        is_new: Whether it was not known before.
    """

    entity: EntityName
    fact_id: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberObservation:
    """Keeps an observation as a fact; the entity appears with its first one."""

    keep_once: KeepOnce
    entities: EntityDirectory
    acts: Acts

    def __call__(self, caller: Caller, scope: Scope, request: RememberRequest) -> Remembered:
        """Remember it, unless the entity has the very same observation already: then that one moves it to the top.

        Args:
            caller: Who asks.
            scope: Exactly where the entity stands.
            request: What is to be remembered.

        Raises:
            BadInputError: If a text is blank or too long, or it would not hold any more.
            PermissionDeniedError: If the caller may not write in the scope.
            PalimpsestError: As ``KeepOnce``.
        """
        text = fit_text(request.observation, MAX_OBSERVATION_CHARACTERS, field="observation")
        name = fit_text(request.entity_name, MAX_NAME_CHARACTERS, field="entityName")
        act = self.acts.begin(caller)
        if request.valid_until is not None and request.valid_until <= act.now:
            raise BadInputError("validUntil must lie in the future.", field="validUntil")
        entity_type = settled_type(self.entities, scope, name, request.entity_type)
        entity = entity_name(name, entity_type, field="entityName")
        draft = Draft(
            type=OBSERVATION_TYPE,
            scope=scope,
            content=content_of(Observation(entity=entity, text=text, source=request.source)),
            valid_until=request.valid_until,
        )
        kept = self.keep_once(act, draft)
        if not kept.is_new:
            self.entities.touch(scope, [entity.key], act.now)
        return Remembered(entity=entity, fact_id=kept.fact_id, is_new=kept.is_new)
