"""The tools over facts: the same use cases and the same rules as over HTTP, in the scope that a call works in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from palimpsest.api.fact_answers import fact_json
from palimpsest.api.facts import run_step_of
from palimpsest.api.tool_arguments import (
    DeleteFactArguments,
    GetFactArguments,
    ListFactsArguments,
    RetrieveFactsArguments,
    SupersedeFactArguments,
    VerifyFactArguments,
    WriteFactArguments,
)
from palimpsest.api.tool_calls import ToolCall, ToolRun
from palimpsest.api.tool_results import (
    MAX_CONTENT_BYTES,
    MAX_LISTED_CONTENT_BYTES,
    JsonObject,
    ToolAnswer,
    cut_to_fit,
    json_bytes,
    with_cut_content,
)
from palimpsest.domain.callers import Caller
from palimpsest.domain.facts import Revision
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.instants import to_text
from palimpsest.domain.json_text import parse_json, write_json
from palimpsest.domain.revisions import Act, Change, Draft
from palimpsest.domain.scopes import Scope
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.changes import Target
from palimpsest.use_cases.list_facts import ListRequest, Page
from palimpsest.use_cases.retrieve_facts import Found, Retrieved, RetrieveRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTools:
    """Runs the tools over facts.

    Attributes:
        check_place: Raises ``FactNotFoundError`` unless a fact lies in a scope.
    """

    acts: Acts
    write_fact: Callable[[Act, Draft], Revision]
    supersede_fact: Callable[[Act, Target, Change], Revision]
    verify_fact: Callable[[Act, Target], Revision]
    delete_fact: Callable[[Act, Target], Revision]
    get_fact: Callable[[Caller, str, int | None, datetime | None], Revision]
    list_facts: Callable[[Caller, ListRequest], Page]
    retrieve_facts: Callable[[Caller, RetrieveRequest], Retrieved]
    check_place: Callable[[Caller, str, Scope], None]

    def runs(self) -> Mapping[str, ToolRun]:
        """Return what runs each tool, by its name."""
        return {
            "write_fact": self.write,
            "list_facts": self.list,
            "get_fact": self.get,
            "retrieve_facts": self.retrieve,
            "supersede_fact": self.supersede,
            "verify_fact": self.verify,
            "delete_fact": self.delete,
        }

    def write(self, call: ToolCall) -> ToolAnswer:
        """Write a fact into the scope."""
        arguments = call.read(WriteFactArguments)
        return _shown(self.write_fact(self._begin(call), arguments.draft(call.scope)))

    def supersede(self, call: ToolCall) -> ToolAnswer:
        """Open the next revision of a fact of the scope."""
        arguments = call.read(SupersedeFactArguments)
        target = self._target(call, arguments.fact_id, arguments.expect_version)
        return _shown(self.supersede_fact(self._begin(call), target, arguments.to_domain()))

    def verify(self, call: ToolCall) -> ToolAnswer:
        """Confirm a fact of the scope as it stands."""
        arguments = call.read(VerifyFactArguments)
        target = self._target(call, arguments.fact_id, arguments.expect_version)
        return _shown(self.verify_fact(self._begin(call), target))

    def delete(self, call: ToolCall) -> ToolAnswer:
        """Close the current revision of a fact of the scope."""
        arguments = call.read(DeleteFactArguments)
        target = self._target(call, arguments.fact_id, arguments.expect_version)
        return _shown(self.delete_fact(self._begin(call), target))

    def get(self, call: ToolCall) -> ToolAnswer:
        """Return a fact of the scope as it stands, at a version, or as of an instant."""
        arguments = call.read(GetFactArguments)
        self.check_place(call.caller, arguments.fact_id, call.scope)
        return _shown(
            self.get_fact(call.caller, arguments.fact_id, arguments.version, arguments.as_of)
        )

    def list(self, call: ToolCall) -> ToolAnswer:
        """Return a page of the facts that name every container of the scope."""
        arguments = call.read(ListFactsArguments)
        scope = dict(call.scope.items())
        as_of = to_text(arguments.as_of) if arguments.as_of else None
        page = self.list_facts(
            call.caller,
            ListRequest(
                wanted=FactFilter(type=arguments.type, scope=scope),
                limit=arguments.limit,
                as_of=arguments.as_of,
                cursor=arguments.cursor,
                list_name=write_json(["list_facts", sorted(scope.items()), arguments.type, as_of]),
            ),
        )
        value: JsonObject = {
            "data": [listed(revision) for revision in page.revisions],
            "hasMore": page.next_cursor is not None,
        }
        if page.next_cursor is not None:
            value["nextCursor"] = page.next_cursor
        return ToolAnswer(value=value)

    def retrieve(self, call: ToolCall) -> ToolAnswer:
        """Return the facts of the scope that answer a query best."""
        arguments = call.read(RetrieveFactsArguments)
        retrieved = self.retrieve_facts(call.caller, arguments.within(dict(call.scope.items())))
        results = [_hit(found) for found in retrieved.results]
        value: JsonObject = {"results": results}
        if retrieved.is_truncated:
            value["truncated"] = True
        return ToolAnswer(value=cut_to_fit(value, [results]))

    def _begin(self, call: ToolCall) -> Act:
        step = run_step_of(call.request, call.caller)
        return self.acts.begin(call.caller, step=step, minted=call.request.minted)

    def _target(self, call: ToolCall, fact_id: str, version: int | None) -> Target:
        self.check_place(call.caller, fact_id, call.scope)
        return Target(fact_id=fact_id, expected_version=version)


def listed(revision: Revision) -> JsonObject:
    """Return a revision as one of many in an answer."""
    return with_cut_content(_fact(revision), MAX_LISTED_CONTENT_BYTES)


def listed_bytes(revision: Revision) -> int:
    """Return how many bytes it takes there, with the comma behind it."""
    return json_bytes(listed(revision)) + 1


def _hit(found: Found) -> JsonObject:
    score = {} if found.score is None else {"score": float(found.score)}
    return {"fact": listed(found.revision), **score}


def _shown(revision: Revision) -> ToolAnswer:
    return ToolAnswer(
        value=with_cut_content(_fact(revision), MAX_CONTENT_BYTES), revisions=(revision,)
    )


def _fact(revision: Revision) -> JsonObject:
    value: Any = parse_json(fact_json(revision))
    return dict(value)
