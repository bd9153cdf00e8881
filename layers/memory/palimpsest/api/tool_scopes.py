"""Where a tool works: in the token's own scope, or in a part of it that a header or an argument names."""

from collections.abc import Mapping

from palimpsest.api.bodies import read_body
from palimpsest.api.tool_arguments import PartBody
from palimpsest.domain.callers import Caller
from palimpsest.domain.homes import home_of
from palimpsest.domain.narrowing import narrowed
from palimpsest.domain.scopes import Scope

# An MCP client is configured with headers once, where the model that writes arguments does not reach.
SCOPE_HEADERS: Mapping[str, str] = {
    "x-palimpsest-project": "projectId",
    "x-palimpsest-thread": "threadId",
    "x-palimpsest-participant": "participantId",
}


def working_scope(
    caller: Caller, headers: Mapping[str, str], wanted: PartBody | None = None
) -> Scope:
    """Return the scope that a call works in.

    Args:
        caller: Whose token's scope is the widest.
        headers: By lower-case name.
        wanted: What the arguments ask for, inside what the headers leave.

    Raises:
        PermissionDeniedError: If the token has no scope of its own, or a wider or another one is asked for.
        BadInputError: If a header is no fit id.
    """
    named = {name: headers[header] for header, name in SCOPE_HEADERS.items() if header in headers}
    scope = home_of(caller)
    for asked in (read_body(PartBody, named), wanted):
        if asked is not None:
            scope = narrowed(scope, asked.named())
    return scope
