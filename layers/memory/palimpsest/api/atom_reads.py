"""The memory door's reads without a query: single atoms, lists, numbers, and what is not offered here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.api import memory_read_operations as operations
from palimpsest.api.bodies import read_body
from palimpsest.api.memory_answers import (
    atoms_json,
    chain_json,
    export_line,
    fact_atom_json,
    graph_json,
    page_json,
    stats_json,
)
from palimpsest.api.memory_bodies import GraphBody, RecentBody, RefBody
from palimpsest.api.requests import Answer, Endpoint, Request
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError, InvalidCursorError, Place
from palimpsest.domain.facts import Fact
from palimpsest.domain.feeds import Feed
from palimpsest.domain.homes import home_of
from palimpsest.domain.instants import to_text
from palimpsest.domain.json_text import write_json
from palimpsest.domain.memory_stats import MemoryStats
from palimpsest.use_cases.find_by_external_ref import RefRequest
from palimpsest.use_cases.get_chain import AtomChain
from palimpsest.use_cases.list_atoms import AtomPage, AtomsRequest
from palimpsest.use_cases.read_graph import GraphAnswer, GraphRequest

# Atoms are some 1 KB: a page of this many takes a second, and is under its 5 MB unless they are large.
EXPORT_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomReadApi:
    """Routes of the function ``read_memory`` that look for nothing.

    Attributes:
        get_atom: One atom.
        get_chain: What it replaced and what replaced it.
        find_by_external_ref: Atoms by their writer's own id.
        list_recent: Pages of a feed, measured as they are sent there.
        list_export: The same for an export.
        describe_memory: Numbers.
        read_graph: The neighbourhood of some concepts.
    """

    get_atom: Callable[[Caller, str], Fact]
    get_chain: Callable[[Caller, str], AtomChain]
    find_by_external_ref: Callable[[Caller, RefRequest], list[Fact]]
    list_recent: Callable[[Caller, AtomsRequest], AtomPage]
    list_export: Callable[[Caller, AtomsRequest], AtomPage]
    describe_memory: Callable[[Caller], MemoryStats]
    read_graph: Callable[[Caller, GraphRequest], GraphAnswer]

    def endpoints(self) -> Mapping[str, Endpoint]:
        """Return what answers, by route key. Whoever has no scope of their own has no memory here."""
        of_a_memory: Mapping[str, Endpoint] = {
            operations.RECENT.route_key: self.recent,
            operations.GRAPH.route_key: self.graph,
            operations.STATS.route_key: self.stats,
            operations.DOMAINS.route_key: self.stats,
            operations.ATOM.route_key: self.atom,
            operations.CHAIN.route_key: self.chain,
            operations.BY_EXTERNAL_REF.route_key: self.by_external_ref,
            operations.EXPORT.route_key: self.export,
        }
        return {
            **{key: at_home(endpoint) for key, endpoint in of_a_memory.items()},
            operations.ROOMS.route_key: self.rooms,
            operations.SECRETS.route_key: self.secrets,
        }

    def recent(self, request: Request, caller: Caller) -> Answer:
        """Return a page of the newest atoms."""
        request.parameters(frozenset())
        body = read_body(RecentBody, request.json_body())
        feed = body.to_domain()
        page = self.list_recent(
            caller,
            AtomsRequest(
                feed=feed,
                limit=body.limit,
                cursor=body.cursor,
                list_name=_list_name(request, feed),
            ),
        )
        return Answer(status=200, body=page_json(page))

    def graph(self, request: Request, caller: Caller) -> Answer:
        """Return the neighbourhood of some concepts."""
        request.parameters(frozenset())
        body = read_body(GraphBody, request.json_body())
        return Answer(status=200, body=graph_json(self.read_graph(caller, body.to_domain())))

    def stats(self, request: Request, caller: Caller) -> Answer:
        """Return the memory in numbers."""
        request.parameters(frozenset())
        return Answer(status=200, body=stats_json(self.describe_memory(caller)))

    def atom(self, request: Request, caller: Caller) -> Answer:
        """Return one atom."""
        request.parameters(frozenset())
        return Answer(status=200, body=fact_atom_json(self.get_atom(caller, _atom_id(request))))

    def chain(self, request: Request, caller: Caller) -> Answer:
        """Return the chain that an atom stands in."""
        request.parameters(frozenset())
        atom_id = _atom_id(request)
        return Answer(status=200, body=chain_json(atom_id, self.get_chain(caller, atom_id)))

    def by_external_ref(self, request: Request, caller: Caller) -> Answer:
        """Return the atoms that were written under an external id."""
        request.parameters(frozenset())
        body = read_body(RefBody, request.json_body())
        found = self.find_by_external_ref(caller, body.to_domain())
        return Answer(status=200, body=atoms_json(found))

    def export(self, request: Request, caller: Caller) -> Answer:
        """Return a page of lines."""
        parameters = request.parameters(frozenset({"cursor", "domain", "include_history"}))
        feed = _export_feed(parameters)
        asked = AtomsRequest(
            feed=feed,
            limit=EXPORT_PAGE,
            cursor=parameters.get("cursor"),
            list_name=_list_name(request, feed),
        )
        try:
            page = self.list_export(caller, asked)
        except InvalidCursorError as error:
            raise InvalidCursorError(str(error), field="cursor", place=Place.QUERY) from error
        headers = {"Content-Type": operations.EXPORT.media_type}
        if page.next_cursor is not None:
            headers["X-Next-Cursor"] = page.next_cursor
        lines = "".join(export_line(fact) for fact in page.atoms)
        return Answer(status=200, body=lines, headers=headers)

    def rooms(self, request: Request, _caller: Caller) -> Answer:
        """Return no rooms: the clients ask, to say what a search did not cover."""
        request.parameters(frozenset())
        return Answer(status=200, body="[]")

    def secrets(self, request: Request, _caller: Caller) -> Answer:
        """Return no secrets."""
        request.parameters(frozenset())
        return Answer(status=200, body='{"secrets":[]}')


def at_home(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint for those who have a scope of their own; others get 403 (spec/read-memory.md, "Scope of an atom")."""

    def answer(request: Request, caller: Caller) -> Answer:
        home_of(caller)
        return endpoint(request, caller)

    return answer


def _atom_id(request: Request) -> str:
    return request.path_parameters["atom_id"]


def _list_name(request: Request, feed: Feed) -> str:
    times = [None if at is None else to_text(at) for at in (feed.since, feed.until)]
    return write_json(
        [request.route_key, feed.domain, *times, feed.exclude_author, feed.with_replaced]
    )


def _export_feed(parameters: Mapping[str, str]) -> Feed:
    domain, history = parameters.get("domain"), parameters.get("include_history", "false")
    if domain == "":
        raise BadInputError("domain must not be empty.", field="domain", place=Place.QUERY)
    if history not in ("true", "false"):
        raise BadInputError(
            "include_history must be true or false.", field="include_history", place=Place.QUERY
        )
    return Feed(domain=domain, with_replaced=history == "true")
