"""Faults of the tools: error, cause and fix, in the words of the seed page, and in its pattern where it has none."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from palimpsest.api.problems import problem_of
from palimpsest.api.tool_results import ToolResult
from palimpsest.domain.entities import EntityType
from palimpsest.domain.errors import BadInputError, PalimpsestError, StoreError
from palimpsest.domain.json_text import write_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What went wrong, as a model can mend it.

    Attributes:
        error: A few words.
        cause: What is to blame; never a value that came.
        fix: What to do.
        code: Stable, for machines; the same as over HTTP.
        details: Machine-readable extras.
    """

    error: str
    cause: str
    fix: str
    code: str
    details: Mapping[str, object] | None = None

    def words(self) -> dict[str, str]:
        """Return what it says, by name."""
        return {"error": self.error, "cause": self.cause, "fix": self.fix, "code": self.code}

    def to_result(self, request_id: str) -> ToolResult:
        """Return it as the result of a call."""
        details = {"details": dict(self.details)} if self.details else {}
        return ToolResult(text=write_json({**self.words(), **details, "requestId": request_id}))


NOT_ENABLED = Fault(
    error="Memory not enabled",
    cause="`ENABLE_MEMORY` feature flag is false",
    fix="Set `ENABLE_MEMORY=true`",
    code="memory-not-enabled",
)
NOT_GRANTED = Fault(
    error="Permission denied",
    cause="This tool destroys, and the token has no grant for such tools",
    fix="Ask the owner of the memory for a key with the tool grant `destructive`",
    code="permission-denied",
)
TOO_LARGE_TO_SHOW = Fault(
    error="Result too large",
    cause="The result is over what a tool may answer",
    fix="Ask for less, or read it over HTTP",
    code="result-too-large",
)
CRASHED = Fault(
    error="Internal error",
    cause="Something broke; this was logged",
    fix="Try again, or tell the owner of the memory the requestId",
    code="internal-server-error",
)

# Error and fix by code; the cause is the error's own sentence.
_PATTERNS: Mapping[str, tuple[str, str]] = {
    "scope-mismatch": ("Invalid scope", "Leave the tenant out"),
    "permission-denied": ("Permission denied", "Stay inside what the token is granted"),
    "key-project-mismatch": ("Permission denied", "Stay inside the project of the token"),
    "fact-not-found": ("Fact not found", "Use an id that list_facts or retrieve_facts gave"),
    "entity-not-found": ("Entity not found", "Use a name that list_entities gave"),
    "fact-changed": ("Fact changed", "Read it again with get_fact, then decide anew"),
    "legal-hold": ("Legal hold", "A tenant admin must lift the hold first"),
    "erasure-in-progress": ("Erasure in progress", "Do not store anything about this person now"),
    "idempotency-key-body-mismatch": ("Idempotency key reused", "Send another idempotencyKey"),
    "idempotency-key-in-flight": ("Call in progress", "Send the same call again in 5 seconds"),
    "idempotency-key-replay-withheld": ("Answer withheld", "Read the facts again"),
    "request-too-large": ("Too large", "Write less, or in several facts"),
    "semantic-unavailable": ("Semantic search unavailable", "Search with the mode keyword"),
    "search-unavailable": ("Search unavailable", "Try again in some seconds"),
    "memory-operation-unsupported": ("Search not supported", "Use the mode list"),
}

# Arguments, of a tool or of an item inside, that name the type of an entity.
_TYPED = frozenset({"entityType", "fromType", "toType"})


def fault_of(error: PalimpsestError, arguments: type[BaseModel]) -> Fault:
    """Return the fault that an error is.

    Args:
        error: Of a use case, or of what reads arguments.
        arguments: The tool's; its limits are named.
    """
    code = problem_of(error)[1]
    if isinstance(error, StoreError):
        # What a store says may quote what it was given, so its own words stay inside.
        return Fault(
            error="Database error",
            cause="Connection or query failure",
            fix="Check DB connectivity and logs",
            code=code,
        )
    if isinstance(error, BadInputError) and code == "bad-input":
        return _bad_argument(error, arguments)
    what, fix = _PATTERNS.get(code, ("Failed", "Read the cause"))
    return Fault(error=what, cause=str(error), fix=fix, code=code, details=error.details)


def _bad_argument(error: BadInputError, arguments: type[BaseModel]) -> Fault:
    name, *rest = error.field.split(".")
    details = error.details
    if name not in {to_camel(field) for field in arguments.model_fields}:
        # What a tool does not take, or is told of an item inside, is of no type and in no range here.
        return _told_as_it_is(error, name)
    bounds = _bounds(arguments, name) if name == "limit" else None
    if bounds:
        low, high = bounds
        return Fault(
            error="Invalid limit",
            cause=f"Limit outside {low}-{high} range",
            fix=f"Set limit between {low} and {high}",
            code="bad-input",
            details=details,
        )
    if name == "offset":
        return Fault(
            error="Invalid offset",
            cause="Negative offset value",
            fix="Use offset >= 0",
            code="bad-input",
            details=details,
        )
    if _TYPED & {name, *rest} or (name == "entityTypes" and rest):
        return Fault(
            error="Invalid entity type",
            cause="Unknown entity type in filter"
            if name == "entityTypes"
            else "Unknown entity type",
            fix=f"Use valid types: {', '.join(EntityType)}",
            code="bad-input",
            details=details,
        )
    return _told_as_it_is(error, name)


def _told_as_it_is(error: BadInputError, name: str) -> Fault:
    return Fault(
        error=f"Invalid {name or 'arguments'}",
        cause=str(error),
        fix="Send it as the tool's input schema says",
        code="bad-input",
        details=error.details,
    )


def _bounds(arguments: type[BaseModel], name: str) -> tuple[object, object] | None:
    """Return the least and the greatest value that an argument takes; None where it has no such."""
    metadata = arguments.model_fields[name].metadata
    low = [bound.ge for bound in metadata if isinstance(bound, Ge)]
    high = [bound.le for bound in metadata if isinstance(bound, Le)]
    return (low[0], high[0]) if low and high else None
