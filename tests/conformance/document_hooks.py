"""What Schemathesis is told beside a document. It loads this module by its name (``SCHEMATHESIS_HOOKS``).

A document cannot say everything that makes a request fit, nor that a parameter is never refused. So what must fit is made to
fit here before a request goes out, and only where Schemathesis means to send a fit one; no check is switched off for it.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

import schemathesis
from schemathesis import Case, HookContext
from schemathesis.core.parameters import ParameterLocation

TENANT = os.environ["PALIMPSEST_TENANT"]
"""Whose token is sent."""

MAX_CHARACTERS = 128  # at most 512 bytes of UTF-8, whatever the characters
TIMES = {"since": "2026-05-01", "until": "9999-12-31T00:00:00"}
NAMED = ("userId", "orgId", "projectId", "threadId", "sessionId", "participantId")


@schemathesis.hook
def before_load_schema(context: HookContext, raw_schema: dict[str, Any]) -> None:
    """Say what the documents leave out."""
    batch = raw_schema["components"]["schemas"].get("WriteAtomsBody")
    if batch is not None:
        # An item that does not fit is that item's error, and the batch is answered all the same.
        batch["properties"]["items"]["items"] = {
            "anyOf": [batch["properties"]["items"]["items"], {}]
        }
    for path, methods in raw_schema["paths"].items():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                _say_what_is_taken(path, parameter)
            if "servers" in raw_schema:  # the official document
                _say_all_refusals(raw_schema, operation)


def _say_what_is_taken(path: str, parameter: dict[str, Any]) -> None:
    if parameter["name"] == "limit" and path.startswith("/v1/"):
        # Clamped, never refused (spec/facts.md §9): no value of it is wrong. The documents say what it is for.
        parameter["schema"] = {}
    if parameter["name"] in {"scopeKind", "scopeId", "inherit"}:
        # Empty is "not given" there.
        parameter["schema"] = {"anyOf": [parameter["schema"], {"const": ""}]}


def _say_all_refusals(document: dict[str, Any], operation: dict[str, Any]) -> None:
    """The official document lists an operation's own refusals; which codes any operation may answer stands beside its error."""
    error = document["components"]["schemas"]["WireError"]
    shape = {"application/json": {"schema": {"$ref": "#/components/schemas/WireError"}}}
    for status in {*error["x-error-codes"].values(), 405}:
        operation["responses"].setdefault(str(status), {"description": "", "content": shape})


@schemathesis.hook
def map_path_parameters(
    context: HookContext, path_parameters: dict[str, Any] | None
) -> dict[str, Any] | None:
    """API Gateway, and the laptop as it does, decodes a path before it is matched, and then again.

    An encoded ``/`` or ``?`` ends the id, and behind an encoded ``%`` two digits must follow: else the answer is the gateway's.
    """
    return path_parameters and {
        name: re.sub("[/?%]", "-", value) if isinstance(value, str) else value
        for name, value in path_parameters.items()
    }


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Make fit what is meant to be fit."""
    if _is_fit(case, ParameterLocation.BODY) and isinstance(case.body, dict):
        case.body = _fit_body(case.body, is_retrieval=case.path.endswith("/retrieve"))
    if _is_fit(case, ParameterLocation.QUERY) and case.query:
        case.query = _fit_query(dict(case.query))
    if _is_fit(case, ParameterLocation.HEADER) and case.headers:
        case.headers.update(_fit_headers(case.headers))


def _is_fit(case: Case[Any], place: ParameterLocation) -> bool:
    return case.meta is not None and not case.meta.is_negative_at(place)


def _fit_body(body: dict[str, Any], *, is_retrieval: bool) -> dict[str, Any]:
    fit = {**body, **({"type": body["type"][:MAX_CHARACTERS]} if "type" in body else {})}
    if "scope" in fit:
        fit["scope"] = _fit_scope(fit["scope"])
    if is_retrieval:
        fit.setdefault("query", "tea")  # the modes that search need one
        fit.pop("embeddingModel", None)  # only the deployment's own is taken
    if "retention" in fit:
        # A time that is over is no time to keep until, and a calendar ends.
        kept = {"keepUntil": "2099-01-01T00:00:00Z"} if "keepUntil" in fit["retention"] else {}
        days = fit["retention"].get("keepDays")
        kept |= {"keepDays": min(days, 36_500)} if days is not None else {}
        fit["retention"] = {**fit["retention"], **kept}
    # The memory door's: an empty text is no time, and no page comes before the first one.
    fit |= {name: time for name, time in TIMES.items() if fit.get(name) is not None}
    fit.pop("cursor", None)
    if fit.get("metadata_filter"):
        fit["metadata_filter"] = list(map(_fit_condition, fit["metadata_filter"]))
    if "validUntil" in fit:
        fit["validUntil"] = (
            "9999-12-31T00:00:00Z"  # never before validFrom, that of the revision before included
        )
    if "subjects" in fit:
        fit["subjects"] = [{**s, "id": s["id"][:MAX_CHARACTERS]} for s in fit["subjects"]]
    return fit


def _fit_headers(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return what some headers have to be instead."""
    key = headers.get("Idempotency-Key")
    # What is left of blanks on the wire is no key; ours has a greatest length, which theirs does not say.
    fit = {} if key is None else {"Idempotency-Key": str(key).strip()[:MAX_CHARACTERS] or "k"}
    containers = [name for name in headers if name.lower().startswith("x-palimpsest-")]
    fit |= {name: str(headers[name]).strip()[:MAX_CHARACTERS] or "c" for name in containers}
    if any(name.lower().endswith("-participant") for name in containers):
        fit["X-Palimpsest-Project"] = "apollo"  # an end user in a project
    return fit


def _fit_condition(condition: dict[str, Any]) -> dict[str, Any]:
    """The operator ``in`` takes a list."""
    value = condition["value"]
    return {**condition, "value": [value] if condition["op"] == "in" else value}


def _fit_scope(scope: dict[str, Any]) -> dict[str, Any]:
    """The token's tenant; ids that are texts; an end user in a project; no empty value."""
    other = {key: value for key, value in scope.items() if key not in NAMED and value}
    named = {
        name: scope[name][:MAX_CHARACTERS]
        for name in NAMED
        if isinstance(scope.get(name), str) and scope[name]
    }
    project = {"projectId": "apollo"} if "participantId" in named else {}
    return {**other, **project, **named, "tenantId": TENANT}


def _fit_query(query: dict[str, Any]) -> dict[str, Any]:
    fit = dict(query)
    if fit.get("scope"):
        fit["scope"] = json.dumps({"projectId": str(fit["scope"])[:MAX_CHARACTERS]})
    fit.pop("cursor", None)  # sealed for one list: only the pages before have one
    kind = fit.get("scopeKind")
    if kind in ("org", "project"):
        fit["scopeId"] = fit.get("scopeId") or "apollo"
    else:
        fit.pop("scopeId", None)
    return fit
