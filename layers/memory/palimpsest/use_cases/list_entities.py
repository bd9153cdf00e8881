"""List entities: latest update first, part by part."""

from dataclasses import dataclass, replace

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import Entity, EntityType, Window
from palimpsest.domain.scopes import Scope
from palimpsest.domain.ties import Side
from palimpsest.ports.entities import EntityDirectory, EntityPage
from palimpsest.ports.facts import FactRepository
from palimpsest.use_cases.entity_facts import EntityFacts, check_place

# While somebody is being erased: so many of the newest facts of each side vouch for an entity.
VOUCHING_FACTS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntities:
    """Pages through the entities of a scope.

    Attributes:
        entities: What stands.
        facts: Tells what is being erased.
        entity_facts: Asked only while something is.
    """

    entities: EntityDirectory
    facts: FactRepository
    entity_facts: EntityFacts

    def __call__(
        self, caller: Caller, scope: Scope, types: frozenset[EntityType], window: Window
    ) -> EntityPage:
        """Return one part of the list.

        While an erasure is open in the tenant, an entity is left out of which none of the newest facts may be shown: its name
        could be what must not be read any more. The total counts it until the erasure has taken it away.

        Args:
            caller: Who asks.
            scope: Exactly where the entities stand.
            types: Of any of these; empty for all.
            window: Which part.

        Raises:
            PermissionDeniedError: If the caller may not read in the scope.
            StoreUnavailableError: If the store does not answer in time.
        """
        check_place(caller, scope)
        page = self.entities.list_page(scope, types, window)
        if not self.facts.get_open_erasures(caller.tenant_id):
            return page
        return replace(
            page, entities=[e for e in page.entities if self._may_be_named(caller, scope, e)]
        )

    def _may_be_named(self, caller: Caller, scope: Scope, entity: Entity) -> bool:
        """Tell whether a fact of the entity may be shown."""
        ties = (
            self.entities.list_ties(scope, entity.key, side, limit=VOUCHING_FACTS) for side in Side
        )
        return any(self.entity_facts.shown(caller, found) for found in ties)
