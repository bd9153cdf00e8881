"""Every tool over fakes: calls as the protocol's server makes them, and HTTP events as API Gateway does."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any
from uuid import uuid4

import jsonschema
from aws_lambda_powertools import Logger
from palimpsest.api import entity_operations
from palimpsest.api.application import Application
from palimpsest.api.entity_routes import EntityApi
from palimpsest.api.entity_tools import EntityTools
from palimpsest.api.fact_tools import FactTools, listed_bytes
from palimpsest.api.mcp_server import McpServer
from palimpsest.api.requests import Request
from palimpsest.api.tool_calls import ToolCalls, ToolRun
from palimpsest.api.tool_results import MAX_RESULT_BYTES, ToolResult
from palimpsest.api.tool_table import TOOLS
from palimpsest.domain.callers import DESTRUCTIVE, Caller
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.answer_once import AnswerOnce
from palimpsest.use_cases.changes import FactChanges
from palimpsest.use_cases.check_place import CheckPlace
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.fact_documents import Draft
from palimpsest.use_cases.get_fact import GetFact
from palimpsest.use_cases.list_facts import ListFacts
from palimpsest.use_cases.read_entity_graph import ReadEntityGraph
from palimpsest.use_cases.recall_memories import RecallMemories
from palimpsest.use_cases.retrieve_facts import RetrieveFacts
from palimpsest.use_cases.supersede_fact import SupersedeFact
from palimpsest.use_cases.verify_fact import VerifyFact
from palimpsest.use_cases.write_fact import WriteFact

from local.routes import find_route
from local.template import Route
from tests.builders import TENANT, build_caller
from tests.entity_tools import EntityTools as EntityUseCases
from tests.fakes.embeddings import FakeEmbeddings
from tests.fakes.index import FakeFactIndex
from tests.fakes.parallel import FakeParallel
from tests.service import REQUEST_ID, FakeService, Response

HOST = "palimpsest1.execute-api.us-east-1.amazonaws.com"


@dataclass(frozen=True)
class Called:
    """What a call was answered, as its reader has it."""

    result: ToolResult

    @property
    def is_error(self) -> bool:
        return self.result.is_error

    @property
    def text(self) -> Any:
        """The text's JSON value."""
        return json.loads(self.result.text)

    @property
    def value(self) -> Any:
        """The structured form."""
        return self.result.value


@dataclass
class FakeTools(FakeService):
    """The function ``serve_tools`` over the fakes of a service.

    Attributes:
        index: What searches ask; a fact is in it once ``index_fact`` was called.
        caller: Who calls, unless a call says otherwise; may call the tools that destroy.
    """

    caller: Caller = field(
        default_factory=lambda: build_caller("ana", tools=frozenset({DESTRUCTIVE}))
    )
    is_enabled: bool = True
    is_compact: bool = True
    index: FakeFactIndex | None = field(default_factory=FakeFactIndex)
    embeddings: FakeEmbeddings | None = field(default_factory=FakeEmbeddings)

    @cached_property
    def calls(self) -> ToolCalls:
        return ToolCalls(
            runs=self.runs,
            answer_once=AnswerOnce(
                records=self.records, facts=self.facts, clock=self.clock, ids=self.ids
            ),
            logger=Logger(service=f"test-{uuid4()}", stream=self.log),
            is_enabled=self.is_enabled,
            is_compact=self.is_compact,
        )

    @cached_property
    def runs(self) -> Mapping[str, ToolRun]:
        return {**self.entity_tools.runs(), **self.fact_tools.runs()}

    @cached_property
    def acts(self) -> Acts:
        return Acts(clock=self.clock, ids=self.ids, unverified_window=self.unverified_window)

    @cached_property
    def fact_tools(self) -> FactTools:
        changes = FactChanges(facts=self.facts, pseudonyms=self.pseudonyms, pauses=self.pauses)
        return FactTools(
            acts=self.acts,
            write_fact=WriteFact(facts=self.facts, pseudonyms=self.pseudonyms, pauses=self.pauses),
            supersede_fact=SupersedeFact(changes=changes),
            verify_fact=VerifyFact(changes=changes),
            delete_fact=DeleteFact(changes=changes),
            get_fact=GetFact(facts=self.facts, clock=self.clock),
            list_facts=ListFacts(
                facts=self.facts,
                cursors=self.cursors,
                clock=self.clock,
                measure=listed_bytes,
                room=MAX_RESULT_BYTES - 1000,
            ),
            retrieve_facts=self.retrieve_facts,
            check_place=CheckPlace(facts=self.facts),
        )

    @cached_property
    def retrieve_facts(self) -> RetrieveFacts:
        return RetrieveFacts(
            facts=self.facts,
            index=self.index,
            embeddings=self.embeddings,
            parallel=FakeParallel(),
            clock=self.clock,
            measure=listed_bytes,
            time_budget=timedelta(seconds=20),
        )

    @cached_property
    def use_cases(self) -> EntityUseCases:
        return EntityUseCases(
            facts=self.facts,
            entities=self.facts.entities,
            clock=self.clock,
            ids=self.ids,
            pauses=self.pauses,
        )

    @cached_property
    def entity_tools(self) -> EntityTools:
        return EntityTools(
            list_entities=self.use_cases.list,
            remember=self.use_cases.remember,
            recall=RecallMemories(retrieve=self.retrieve_facts, clock=self.clock),
            relate=self.use_cases.relate,
            get_context=self.use_cases.get_context,
            forget=self.use_cases.forget,
            describe=self.use_cases.describe,
            build=self.use_cases.build,
        )

    def index_fact(self, fact_id: str) -> None:
        """Show the index a fact, as the stream would."""
        fact = self.facts.load(TENANT, fact_id).fact
        assert fact is not None
        assert self.index is not None
        draft = Draft.of(fact.revision, is_newest=True)
        vectors = self.embeddings.embed_texts([draft.text]) if self.embeddings else [None]
        self.index.put([draft.document(vectors[0])])

    def call(
        self,
        name: str,
        *,
        caller: Caller | None = None,
        headers: Mapping[str, str] | None = None,
        **arguments: Any,
    ) -> Called:
        """Call a tool; what is no error is held to the tool's output schema, and everything to its bound."""
        request = Request(
            method="POST",
            path="/mcp",
            route_key=entity_operations.MCP.route_key,
            headers=headers or {},
            request_id=REQUEST_ID,
        )
        result = self.calls.call(TOOLS[name], caller or self.caller, request, arguments)
        if result.value is not None:
            jsonschema.validate(result.value, TOOLS[name].output_schema)
            assert (
                len(json.dumps(result.value, ensure_ascii=False).encode()) <= 2 * MAX_RESULT_BYTES
            )
        assert "\n" not in result.text
        return Called(result)

    def post(
        self,
        message: object,
        *,
        caller: Caller | None = None,
        domain: str = HOST,
        headers: Mapping[str, str | None] | None = None,
    ) -> Response:
        """Send a message to ``POST /mcp``; a header that is None is left out."""
        given = {
            "host": HOST,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "authorization": "Bearer token",
            **(headers or {}),
        }
        body = message if isinstance(message, str) else json.dumps(message)
        kept = {name: value for name, value in given.items() if value is not None}
        return self._ask(caller, domain=domain, headers=kept, body=body)

    def get(
        self,
        path: str,
        query: str = "",
        *,
        caller: Caller | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Ask one of the routes beside the tools."""
        given = {"authorization": "Bearer token", **(headers or {})}
        return self._ask(caller, path=path, query=query, headers=given)

    def route_key(self, path: str) -> str:
        """Return the key of the route that a path of these takes."""
        match = find_route(_ROUTES, "GET", path)
        assert match is not None
        return match.route.key

    def _ask(
        self,
        caller: Caller | None,
        *,
        path: str = "/mcp",
        query: str = "",
        domain: str = HOST,
        headers: Mapping[str, str],
        body: str | None = None,
    ) -> Response:
        method = "GET" if body is None else "POST"
        match = find_route(_ROUTES, method, path)
        assert match is not None
        event = {
            "version": "2.0",
            "routeKey": match.route.key,
            "rawPath": path,
            "rawQueryString": query,
            "pathParameters": dict(match.variables),
            "headers": dict(headers),
            "requestContext": {
                "domainName": domain,
                "http": {"method": method, "path": path},
                "requestId": REQUEST_ID,
            },
            "body": body,
            "isBase64Encoded": False,
        }
        self.callers["token"] = caller or self.caller
        answer = self.server(event, None)
        return Response(answer["statusCode"], answer["headers"], answer["body"])

    @cached_property
    def server(self) -> Application:
        return Application(
            authenticate=self._authenticate,
            logger=Logger(service=f"test-{uuid4()}", stream=self.log),
            endpoints={
                entity_operations.MCP.route_key: McpServer(calls=self.calls, version="0.0.0"),
                **self.routes.endpoints(),
            },
        )

    @cached_property
    def routes(self) -> EntityApi:
        return EntityApi(
            list_entities=self.use_cases.list,
            get_context=self.use_cases.get_context,
            read_graph=ReadEntityGraph(retrieve=self.retrieve_facts, clock=self.clock),
            recall=self.entity_tools.recall,
            describe=self.use_cases.describe,
            is_enabled=self.is_enabled,
        )


_ROUTES = [
    Route(method=o.method, path=o.path, function=o.function)
    for o in entity_operations.ENTITY_OPERATIONS
]
