"""Which route answers a request, chosen as API Gateway's HTTP APIs choose.

Source: "Create routes for HTTP APIs in API Gateway" (developer guide): a full match, then one
with path variables, then a greedy one, then `$default`; a route with the request's own method
before one with `ANY`. Paths are compared decoded (see `local.events`), segment by segment.

A trailing slash is taken as a segment of its own, so `/a/` is not `/a`. Reports of what AWS does
there differ (powertools-lambda-python#1552 against storacha/w3infra#166); this is the reading
under which a client that works here works there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from local.template import DEFAULT_ROUTE, Route

EXACT, VARIABLE, GREEDY = 0, 1, 2
"""Ranks of a segment's match; lower is more specific."""


@dataclass(frozen=True)
class Match:
    """A route that answers, and what its path variables stand for.

    Args:
        route: The chosen route.
        variables: Name to text, decoded once (see `local.events` for the second time).
    """

    route: Route
    variables: Mapping[str, str]


def find_route(routes: Sequence[Route], method: str, path: str) -> Match | None:
    """Return the most specific route for a request, or None if not even `$default` is there.

    Args:
        routes: Of one API.
        method: Upper case.
        path: Decoded, with its leading slash.
    """
    candidates = []
    for route in routes:
        if route.path == DEFAULT_ROUTE or route.method not in {method, "ANY"}:
            continue
        matched = _match(route.path, path)
        if matched is not None:
            ranks, variables = matched
            candidates.append(((ranks, route.method == "ANY"), Match(route, variables)))
    if candidates:
        return min(candidates, key=lambda candidate: candidate[0])[1]
    defaults = (route for route in routes if route.path == DEFAULT_ROUTE)
    return next((Match(route, {}) for route in defaults), None)


def _match(template: str, path: str) -> tuple[list[int], dict[str, str]] | None:
    """Return the rank of each segment and the variables, or None if the path differs."""
    wanted, given = template.split("/"), path.split("/")
    ranks: list[int] = []
    variables: dict[str, str] = {}
    for position, segment in enumerate(wanted):
        if segment.startswith("{") and segment.endswith("+}"):
            rest = "/".join(given[position:])
            if not rest:
                return None
            variables[segment[1:-2]] = rest
            return [*ranks, GREEDY], variables
        if position >= len(given):
            return None
        if segment.startswith("{") and segment.endswith("}") and given[position]:
            variables[segment[1:-1]] = given[position]
            ranks.append(VARIABLE)
        elif segment == given[position]:
            ranks.append(EXACT)
        else:
            return None
    return (ranks, variables) if len(wanted) == len(given) else None
