"""Calls of tools: offered to whom, granted to whom, read, run, and answered in two forms."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from aws_lambda_powertools import Logger
from pydantic import BaseModel

from palimpsest.api.bodies import read_body
from palimpsest.api.idempotency import answer_repeatable
from palimpsest.api.requests import Answer, Request
from palimpsest.api.tool_arguments import Narrowed, Repeatable
from palimpsest.api.tool_compact import compact
from palimpsest.api.tool_faults import (
    CRASHED,
    NOT_ENABLED,
    NOT_GRANTED,
    TOO_LARGE_TO_SHOW,
    Fault,
    fault_of,
)
from palimpsest.api.tool_results import (
    MAX_RESULT_BYTES,
    JsonObject,
    ToolAnswer,
    ToolResult,
    json_bytes,
)
from palimpsest.api.tool_scopes import working_scope
from palimpsest.api.tool_table import TOOLS, Tool
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.json_text import JsonValue, canonical_json, parse_json, write_json
from palimpsest.domain.scopes import Scope
from palimpsest.use_cases.answer_once import AnswerOnce

Arguments = TypeVar("Arguments", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool that is granted.

    Attributes:
        caller: Who asks.
        scope: Where it works: the token's own scope, or a narrower one.
        arguments: As the tool takes them.
        request: That it came with: headers, and ids that stand already.
    """

    caller: Caller
    scope: Scope
    arguments: BaseModel
    request: Request

    def read(self, kind: type[Arguments]) -> Arguments:
        """Return the arguments as the model that the table gives the tool."""
        assert isinstance(self.arguments, kind)  # noqa: S101 - tests hold the table to it
        return self.arguments


ToolRun = Callable[[ToolCall], ToolAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalls:
    """Answers calls.

    Attributes:
        runs: What does the work, by the tool's name.
        answer_once: Keeps answers for calls that come with an ``idempotencyKey``.
        logger: One line for each call: names, codes and durations, never content.
        is_enabled: Whether this deployment serves tools at all.
        is_compact: Whether the text of a result is the compact form.
    """

    runs: Mapping[str, ToolRun]
    answer_once: AnswerOnce
    logger: Logger
    is_enabled: bool
    is_compact: bool

    def offered(self, caller: Caller) -> list[Tool]:
        """Return the tools that a caller may call, in the table's order."""
        if not self.is_enabled:
            return []
        return [tool for tool in TOOLS.values() if tool.is_granted_to(caller)]

    def call(
        self, tool: Tool, caller: Caller, request: Request, arguments: Mapping[str, JsonValue]
    ) -> ToolResult:
        """Call a tool. Whatever goes wrong is a result too: cause and fix, for the model to read.

        Args:
            tool: One of the table.
            caller: Who asks.
            request: That the call came in.
            arguments: As they came.
        """
        fields: dict[str, object] = {"request_id": request.request_id, "tool": tool.name}
        try:
            try:
                result = self._result(tool, caller, request, arguments)
            except PalimpsestError as error:
                fault = fault_of(error, tool.arguments)
                fields |= {"error": type(error).__name__, "code": fault.code}
                result = fault.to_result(request.request_id)
        except Exception as error:  # noqa: BLE001 - the edge: a crash is a result too
            # As in palimpsest.api.application: its type and its place, never its message.
            fields |= {
                "error": type(error).__name__,
                "trace": traceback.format_tb(error.__traceback__),
            }
            self.logger.error("tool_crashed", extra=dict(fields))  # noqa: TRY400 - as said above
            result = CRASHED.to_result(request.request_id)
        self.logger.info("tool_called", extra={**fields, "is_error": result.is_error})
        return result

    def _result(
        self, tool: Tool, caller: Caller, request: Request, arguments: Mapping[str, JsonValue]
    ) -> ToolResult:
        refusal = self._refusal(tool, caller)
        if refusal is not None:
            return refusal.to_result(request.request_id)
        read = read_body(tool.arguments, dict(arguments))
        wanted = read.scope if isinstance(read, Narrowed) else None
        scope = working_scope(caller, request.headers, wanted)
        value = self._run(
            tool, ToolCall(caller=caller, scope=scope, arguments=read, request=request)
        )
        if json_bytes(value) > MAX_RESULT_BYTES:
            return TOO_LARGE_TO_SHOW.to_result(request.request_id)
        shown = compact(tool.name, value) if self.is_compact else value
        return ToolResult(text=write_json(shown), value=value)

    def _refusal(self, tool: Tool, caller: Caller) -> Fault | None:
        if not self.is_enabled:
            return NOT_ENABLED
        return None if tool.is_granted_to(caller) else NOT_GRANTED

    def _run(self, tool: Tool, call: ToolCall) -> JsonObject:
        key = call.arguments.idempotency_key if isinstance(call.arguments, Repeatable) else None
        if key is None:
            return self.runs[tool.name](call).value
        kept = answer_repeatable(
            _under_key(tool, call, key),
            call.caller,
            lambda request, _: self._kept(tool, replace(call, request=request)),
            self.answer_once,
        )
        value = parse_json(kept.body)
        assert isinstance(value, dict)  # noqa: S101 - it is what _kept wrote
        return value

    def _kept(self, tool: Tool, call: ToolCall) -> Answer:
        answer = self.runs[tool.name](call)
        return Answer(status=200, body=write_json(answer.value), revisions=answer.revisions)


def _under_key(tool: Tool, call: ToolCall, key: str) -> Request:
    """Return a call as the request that a key stands for: the tool is its path, scope and arguments are its body."""
    arguments = call.arguments.model_dump(mode="json", by_alias=True, exclude_unset=True)
    body: JsonValue = {"scope": dict(call.scope.items()), "arguments": arguments}
    return replace(
        call.request,
        path=f"/mcp/{tool.name}",
        query=(),
        headers={**call.request.headers, "idempotency-key": key},
        body=canonical_json(body).encode(),
    )
