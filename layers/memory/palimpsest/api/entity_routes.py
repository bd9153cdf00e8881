"""Entities over REST: what the tools answer, in the verbose form, for programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from palimpsest.api import entity_operations
from palimpsest.api.bodies import read_body
from palimpsest.api.entity_answers import (
    context_json,
    graph_json,
    page_json,
    recalled_json,
    totals_json,
)
from palimpsest.api.entity_arguments import (
    MAX_ROUTE_LIST_LIMIT,
    GetEntityContextArguments,
    GraphQuery,
    ListEntitiesQuery,
    MemoryStatsArguments,
    SearchQuery,
)
from palimpsest.api.requests import Answer, Endpoint, Request
from palimpsest.api.tool_arguments import Narrowed
from palimpsest.api.tool_scopes import working_scope
from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import EntityType, Totals, Window
from palimpsest.domain.errors import NotFoundError
from palimpsest.domain.json_text import JsonValue, write_json
from palimpsest.domain.scopes import Scope
from palimpsest.ports.entities import EntityPage
from palimpsest.use_cases.get_entity_context import ContextRequest, EntityContext
from palimpsest.use_cases.read_entity_graph import EntityGraph
from palimpsest.use_cases.recall_memories import Recalled, RecallRequest

Query = TypeVar("Query", bound=Narrowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityApi:
    """Routes under ``/api/memory``.

    Attributes:
        is_enabled: Whether this deployment serves entities at all; else nothing is found here.
    """

    list_entities: Callable[[Caller, Scope, frozenset[EntityType], Window], EntityPage]
    get_context: Callable[[Caller, Scope, ContextRequest], EntityContext]
    read_graph: Callable[[Caller, Scope, int], EntityGraph]
    recall: Callable[[Caller, Scope, RecallRequest], list[Recalled]]
    describe: Callable[[Caller, Scope], Totals]
    is_enabled: bool

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key."""
        return {
            entity_operations.LIST_ENTITIES.route_key: self.list,
            entity_operations.GET_ENTITY.route_key: self.get,
            entity_operations.ENTITY_GRAPH.route_key: self.graph,
            entity_operations.SEARCH_MEMORIES.route_key: self.search,
            entity_operations.MEMORY_STATS.route_key: self.stats,
        }

    def list(self, request: Request, caller: Caller) -> Answer:
        """Return a part of the entities, latest update first."""
        query = self._read(ListEntitiesQuery, request, {"limit", "offset", "types"})
        window = Window(limit=query.limit, offset=query.offset, max_limit=MAX_ROUTE_LIST_LIMIT)
        page = self.list_entities(
            caller, working_scope(caller, request.headers), query.types, window
        )
        return _shown(page_json(page, window.offset))

    def get(self, request: Request, caller: Caller) -> Answer:
        """Return what is known of an entity."""
        query = self._read(
            GetEntityContextArguments,
            request,
            {"maxObs", "includeRelated"},
            entityName=request.path_parameters["name"],
        )
        wanted = ContextRequest(
            entity_name=query.entity_name,
            include_related=query.include_related,
            max_observations=query.max_obs,
        )
        context = self.get_context(caller, working_scope(caller, request.headers), wanted)
        return _shown(context_json(context, with_relations=query.include_related))

    def graph(self, request: Request, caller: Caller) -> Answer:
        """Return the newest relations and the entities that they join."""
        query = self._read(GraphQuery, request, {"limit"})
        graph = self.read_graph(caller, working_scope(caller, request.headers), query.limit)
        return _shown(graph_json(graph))

    def search(self, request: Request, caller: Caller) -> Answer:
        """Return the observations that answer a query, by entity."""
        query = self._read(SearchQuery, request, {"query", "limit", "searchMode", "types"})
        scope = working_scope(caller, request.headers)
        return _shown(recalled_json(self.recall(caller, scope, query.to_domain())))

    def stats(self, request: Request, caller: Caller) -> Answer:
        """Return how much is remembered."""
        self._read(MemoryStatsArguments, request, set())
        return _shown(totals_json(self.describe(caller, working_scope(caller, request.headers))))

    def _read(self, model: type[Query], request: Request, allowed: set[str], **known: str) -> Query:
        """Return a query string as its model.

        Raises:
            NotFoundError: If nothing of this is served here.
            BadInputError: If a parameter is not known, or does not fit.
        """
        if not self.is_enabled:
            raise NotFoundError("There is nothing at this path.")
        given = request.parameters(frozenset(allowed))
        named = {name: _value(name, text) for name, text in given.items()}
        return read_body(model, {**named, **known})


def _value(name: str, text: str) -> JsonValue:
    """Return a parameter as the JSON value that it stands for; what stands for none is left to be refused."""
    if name == "types":
        return [part for part in text.split(",") if part]
    if name == "includeRelated":
        return {"true": True, "false": False}.get(text, text)
    is_number = text.removeprefix("-").isdecimal() and text.isascii() and len(text) <= _MAX_DIGITS
    return int(text) if name in _NUMBERS and is_number else text


_NUMBERS = frozenset({"limit", "offset", "maxObs"})
# An offset may be any; what has more digits is no number that somebody means.
_MAX_DIGITS = 100


def _shown(value: Mapping[str, JsonValue]) -> Answer:
    return Answer(status=200, body=write_json(value))
