"""Read the newest relations of a scope, as a graph."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.labels import home_label
from palimpsest.domain.reading import holds_at
from palimpsest.domain.relations import RELATION_TYPE, relation_of
from palimpsest.domain.scopes import Scope
from palimpsest.ports.clock import Clock
from palimpsest.use_cases.entity_facts import check_place
from palimpsest.use_cases.get_entity_context import Linked
from palimpsest.use_cases.retrieve_facts import Mode, Retrieved, RetrieveRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityGraph:
    """A part of a graph.

    Attributes:
        edges: Relations, newest first.
        is_truncated: Whether there may be older ones.
    """

    edges: list[Linked]
    is_truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEntityGraph:
    """Lists the relations of exactly one scope.

    Attributes:
        retrieve: Lists as the facts door does, and shows what may be shown.
        clock: The time of day.
    """

    retrieve: Callable[[Caller, RetrieveRequest], Retrieved]
    clock: Clock

    def __call__(self, caller: Caller, scope: Scope, limit: int) -> EntityGraph:
        """Return the newest relations.

        Args:
            caller: Who asks.
            scope: Exactly where the entities stand.
            limit: At most so many, from 1.

        Raises:
            PermissionDeniedError: If the caller may not read in the scope.
            StoreUnavailableError: If the table does not answer in time.
        """
        check_place(caller, scope)
        # The filter narrows the list to partitions of the scope's containers; the label leaves that very scope.
        wanted = FactFilter(
            type=RELATION_TYPE,
            scope=dict(scope.items()),
            labels=(frozenset({home_label(scope)}),),
        )
        request = RetrieveRequest(mode=Mode.LIST, wanted=wanted, limit=limit)
        retrieved = self.retrieve(caller, request)
        now = self.clock.now()
        edges = [
            Linked(fact_id=found.revision.fact_id, relation=relation)
            for found in retrieved.results
            if holds_at(found.revision, now)
            and (relation := relation_of(found.revision)) is not None
        ]
        is_full = len(retrieved.results) == limit
        return EntityGraph(edges=edges, is_truncated=retrieved.is_truncated or is_full)
