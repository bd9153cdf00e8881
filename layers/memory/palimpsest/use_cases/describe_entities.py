"""Describe what is remembered of entities: how much there is of each."""

from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import Totals
from palimpsest.domain.scopes import Scope
from palimpsest.ports.entities import EntityDirectory
from palimpsest.use_cases.entity_facts import check_place


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeEntities:
    """Counts the entities of a scope, their observations and their relations."""

    entities: EntityDirectory

    def __call__(self, caller: Caller, scope: Scope) -> Totals:
        """Return how much there is in exactly this scope.

        Raises:
            PermissionDeniedError: If the caller may not read in the scope.
            StoreUnavailableError: If the store does not answer in time.
        """
        check_place(caller, scope)
        return self.entities.count(scope)
