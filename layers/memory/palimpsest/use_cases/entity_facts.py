"""The facts behind entities: what of it may be shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import Entity, EntityType
from palimpsest.domain.errors import EntityNotFoundError, PermissionDeniedError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.reading import holds_at, is_retrieved_now
from palimpsest.domain.scopes import Scope
from palimpsest.domain.sight import may_see
from palimpsest.ports.clock import Clock
from palimpsest.ports.entities import EntityDirectory
from palimpsest.ports.facts import FactRepository

_ANYTHING = FactFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFacts:
    """Reads the facts that hang on entities.

    Attributes:
        facts: The truth.
        clock: The time of day.
    """

    facts: FactRepository
    clock: Clock

    def shown(self, caller: Caller, fact_ids: Sequence[str]) -> dict[str, Revision]:
        """Return, by fact id in the order given, the current revisions that may be shown to the caller and still hold."""
        if not fact_ids:
            return {}
        found, open_erasures = self.facts.load_many(caller.tenant_id, fact_ids)
        now = self.clock.now()

        def is_shown(fact: Fact) -> bool:
            return holds_at(fact.revision, now) and is_retrieved_now(
                caller, fact, _ANYTHING, now=now, open_erasures=open_erasures
            )

        return {i: found[i].revision for i in fact_ids if i in found and is_shown(found[i])}


def check_place(caller: Caller, scope: Scope) -> None:
    """Let pass who may see what lies in a scope: counts and names are read there, which no fact vouches for.

    Raises:
        PermissionDeniedError: If the caller may not.
    """
    if not may_see(caller, scope):
        raise PermissionDeniedError("You may not read in this scope.")


def found_entities(entities: EntityDirectory, scope: Scope, name: str) -> list[Entity]:
    """Return the entities of this name, of any type, latest update first; at least one.

    Raises:
        EntityNotFoundError: If none stands.
    """
    found = entities.find(scope, name)
    if not found:
        raise EntityNotFoundError
    return found


def settled_type(
    entities: EntityDirectory, scope: Scope, name: str, asked: EntityType | None
) -> EntityType:
    """Return the type that is asked for; else that of the entity of this name, the last one told of; else ``concept``."""
    if asked is not None:
        return asked
    found = entities.find(scope, name)
    return found[0].type if found else EntityType.CONCEPT
