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
from palimpsest.api import operations
from palimpsest.api.application import Application
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
from palimpsest.use_cases.get_fact import GetFact
from palimpsest.use_cases.list_facts import ListFacts
from palimpsest.use_cases.retrieve_facts import RetrieveFacts
from palimpsest.use_cases.supersede_fact import SupersedeFact
from palimpsest.use_cases.verify_fact import VerifyFact
from palimpsest.use_cases.write_fact import WriteFact

from tests.builders import build_caller
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
        caller: Who calls, unless a call says otherwise; may call the tools that destroy.
    """

    caller: Caller = field(
        default_factory=lambda: build_caller("ana", tools=frozenset({DESTRUCTIVE}))
    )
    is_enabled: bool = True
    is_compact: bool = True

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
        changes = FactChanges(facts=self.facts, pseudonyms=self.pseudonyms, pauses=self.pauses)
        return FactTools(
            acts=Acts(clock=self.clock, ids=self.ids, unverified_window=self.unverified_window),
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
            retrieve_facts=RetrieveFacts(
                facts=self.facts,
                index=None,
                embeddings=None,
                parallel=FakeParallel(),
                clock=self.clock,
                measure=listed_bytes,
                time_budget=timedelta(seconds=20),
            ),
            check_place=CheckPlace(facts=self.facts),
        ).runs()

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
            route_key=operations.MCP.route_key,
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
        event = {
            "version": "2.0",
            "routeKey": operations.MCP.route_key,
            "rawPath": "/mcp",
            "rawQueryString": "",
            "headers": {name: value for name, value in given.items() if value is not None},
            "requestContext": {
                "domainName": domain,
                "http": {"method": "POST", "path": "/mcp"},
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
                operations.MCP.route_key: McpServer(calls=self.calls, version="0.0.0"),
            },
        )
