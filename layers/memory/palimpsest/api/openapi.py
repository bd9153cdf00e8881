"""The OpenAPI 3.1 document of everything that is served, made from the table of operations and the models of bodies."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from palimpsest.api.described import Operation
from palimpsest.api.doors import door_at
from palimpsest.api.json_schemas import JsonSchemas
from palimpsest.api.operations import OPERATIONS
from palimpsest.api.problems import PROBLEMS

_REFERENCES = "#/components/schemas/{model}"
_SERVER_FAULTS = (500, 503)
_RETRY_AFTER = {"description": "Whole seconds.", "schema": {"type": "integer"}}
# RFC 9110's names, where Python's differ before 3.13: the document must not depend on who makes it.
_PHRASES = {413: "Content Too Large", 422: "Unprocessable Content"}
_REQUEST_ID = {"description": "Names the request in the log.", "schema": {"type": "string"}}

_ABOUT = """Facts for agents: each keeps its whole history; it is found by scope, by words and by meaning; it is seen only by
those who have every container that its scope names."""


def document(version: str, operations: Sequence[Operation] = OPERATIONS) -> dict[str, Any]:
    """Return the document.

    Args:
        version: Of the software.
        operations: What is served.
    """
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Palimpsest", "version": version, "description": _ABOUT},
        "paths": paths,
        "components": {
            "schemas": _schemas(operations),
            "securitySchemes": {
                "bearerAuth": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key of this service, or a JWT of its configured issuer.",
                },
                "apiKeyAuth": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Api-Key",
                    "description": "The same tokens, under `/api/v1`.",
                },
            },
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.id.partition(".")[0]],
        "responses": _responses(operation),
    }
    if operation.about:
        made["description"] = operation.about
    parameters = _parameters(operation)
    if parameters:
        made["parameters"] = parameters
    if operation.body is not None:
        made["requestBody"] = {
            "required": operation.is_body_required,
            "content": {"application/json": {"schema": _reference(operation.body)}},
        }
    if not operation.is_public:
        made["security"] = [{name: []} for name in door_at(operation.path).security]
    return made


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    return in_path + [
        {
            "name": parameter.name,
            "in": parameter.place,
            "required": parameter.is_required,
            "description": parameter.about,
            "schema": dict(parameter.schema),
        }
        for parameter in operation.parameters
    ]


def _responses(operation: Operation) -> dict[str, Any]:
    shape = {"type": "object"} if operation.answer is None else _reference(operation.answer)
    if operation.media_type != "application/json":
        shape = {"type": "string"}
    good = {
        "description": _phrase(operation.success),
        "headers": {"X-Request-Id": _REQUEST_ID},
        "content": {operation.media_type: {"schema": shape}},
    }
    responses = {str(operation.success): good}
    refusals = operation.refusals
    if not operation.is_public:
        refusals = (*refusals, 401, *_SERVER_FAULTS)
    problem = door_at(operation.path).problem
    for status in sorted(refusals):
        responses[str(status)] = _refusal(status, operation.other_answers.get(status, problem))
    return responses


def _refusal(status: int, problem: type[BaseModel]) -> dict[str, Any]:
    codes = sorted({code for known, code in PROBLEMS.values() if known == status})
    headers: dict[str, Any] = {"X-Request-Id": _REQUEST_ID}
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = _RETRY_AFTER
    return {
        "description": f"{_phrase(status)}: {', '.join(f'`{code}`' for code in codes)}.",
        "headers": headers,
        "content": {"application/json": {"schema": _reference(problem)}},
    }


def _phrase(status: int) -> str:
    return _PHRASES.get(status, HTTPStatus(status).phrase)


def _schemas(operations: Sequence[Operation]) -> Mapping[str, Any]:
    bodies = {o.body for o in operations if o.body is not None}
    answers = {o.answer for o in operations if o.answer is not None}
    answers |= {door_at(o.path).problem for o in operations}
    answers |= {model for o in operations for model in o.other_answers.values()}
    models = [(model, "validation") for model in sorted(bodies | answers, key=lambda m: m.__name__)]
    _, made = models_json_schema(
        models,  # type: ignore[arg-type]  # the mode is one of the two literals
        by_alias=True,
        ref_template=_REFERENCES,
        schema_generator=JsonSchemas,
    )
    return dict(sorted(made["$defs"].items()))


def _reference(model: type[BaseModel]) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{model.__name__}"}
