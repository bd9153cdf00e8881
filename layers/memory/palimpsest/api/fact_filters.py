"""What a list is narrowed to, read from a request's parameters."""

from collections.abc import Mapping
from datetime import datetime

from palimpsest.domain.errors import BadInputError, ScopeInvalidError
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.instants import from_text
from palimpsest.domain.json_text import JsonValue, parse_json
from palimpsest.domain.scopes import WIRE_NAMES

_DATE_AND_T = len("2026-05-01T")

FILTER_PARAMETERS = frozenset({"type", "scope", "scopeKind", "scopeId", "inherit", "asOf"})


def filter_from(parameters: Mapping[str, str]) -> FactFilter:
    """Return the filter of a list's query parameters; empty ones are "not given" (spec/facts.md §9).

    Raises:
        BadInputError: If ``scope`` is no JSON object of fit values.
        ScopeInvalidError: If ``scopeKind``, ``scopeId`` and ``inherit`` do not go together.
    """
    given = {name: value for name, value in parameters.items() if value}
    kind, scope_id = given.get("scopeKind"), given.get("scopeId")
    _check_triplet(kind, scope_id, given.get("inherit"))
    return FactFilter(
        type=given.get("type"),
        scope=scope_filter_from(parse_json(given["scope"], field="scope"))
        if "scope" in given
        else {},
        project_id=scope_id if kind == "project" else None,
        org_id=scope_id if kind == "org" else None,
    )


def scope_filter_from(value: JsonValue) -> Mapping[str, JsonValue]:
    """Return a partial scope that facts must match key by key.

    Raises:
        BadInputError: If it is no object, or a known key has no non-empty string: that could silently match more.
    """
    if not isinstance(value, Mapping):
        raise BadInputError("scope must be a JSON object.", field="scope")
    for key in value.keys() & WIRE_NAMES.keys():
        if not isinstance(value[key], str) or not value[key]:
            raise BadInputError(f"scope.{key} must be a non-empty string.", field=f"scope.{key}")
    for key in value.keys() - WIRE_NAMES.keys():
        if value[key] in (None, "", [], {}):
            shown = f"scope.{key[:64]}"
            raise BadInputError(f"{shown} must not be empty.", field=shown)
    return value


def as_of_from(parameters: Mapping[str, str]) -> datetime | None:
    """Return the instant that is asked about, if one is.

    Raises:
        BadInputError: If it is given and is no instant with a zone, empty included: never silently "now".
    """
    text = parameters.get("asOf")
    if text is None:
        return None
    # A plus sign that was not percent-encoded reads as a space; behind the date it can only have been the zone's.
    date, rest = text[:_DATE_AND_T], text[_DATE_AND_T:]
    return from_text(date + rest.replace(" ", "+"), field="asOf")


def _check_triplet(kind: str | None, scope_id: str | None, inherit: str | None) -> None:
    if kind not in (None, "tenant", "org", "project"):
        raise ScopeInvalidError("scopeKind must be tenant, org or project.", field="scopeKind")
    if inherit not in (None, "true", "false"):
        raise ScopeInvalidError("inherit must be true or false.", field="inherit")
    if kind in ("org", "project") and scope_id is None:
        raise ScopeInvalidError(f"scopeKind={kind} needs a scopeId.", field="scopeId")
    if kind in (None, "tenant") and scope_id is not None:
        raise ScopeInvalidError("scopeId goes with scopeKind org or project only.", field="scopeId")
