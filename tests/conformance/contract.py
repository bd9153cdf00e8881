"""What the official document says answers look like: the one that ``kindgi-cli`` carries."""

import json
import re
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

_DOCUMENT = "_cli/node_modules/@kindgi/api/openapi.json"
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z")
_URI = "urn:official"

_formats = FormatChecker(formats=())


@_formats.checks("date-time")
def is_our_time(value: object) -> bool:
    """Say whether a text is a time as we write it, which is narrower than the format (spec/facts.md §2)."""
    return not isinstance(value, str) or _TIME.fullmatch(value) is not None


class OfficialContract:
    """Holds answers to the official document."""

    @property
    def path(self) -> Path:
        """Where the document lies."""
        spec = find_spec("kindgi_cli")
        assert spec is not None, "kindgi-cli is not installed: run `make install`"
        assert spec.origin is not None
        return Path(spec.origin).parent / _DOCUMENT

    @cached_property
    def document(self) -> dict[str, Any]:
        """The whole OpenAPI document."""
        document: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
        return document

    @cached_property
    def operations(self) -> dict[str, dict[str, Any]]:
        """Operations by id, each with its ``method`` and ``path``."""
        return {
            operation["operationId"]: {**operation, "method": method.upper(), "path": path}
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
            if "operationId" in operation
        }

    def operation_at(self, method: str, path: str) -> str:
        """Return the id of the operation that a request asks for."""
        found = [
            name
            for name, operation in self.operations.items()
            if operation["method"] == method
            and len(operation["path"].split("/")) == len(path.split("/"))
            and re.fullmatch(re.sub(r"{\w+}", "[^/]+", operation["path"]), path)
        ]
        literal = [name for name in found if "{" not in self.operations[name]["path"]]
        [operation] = literal or found
        return operation

    def check(self, operation: str, status: int, body: object) -> None:
        """Fail if an answer is not one that the document describes for this operation and status.

        A status that the document forgot, such as the 400 of a list of revisions, must have the shape of every error.
        """
        responses = self.operations[operation]["responses"]
        if str(status) not in responses:
            assert status >= 400, f"{operation} answers {status}, which the document does not know"
            schema: dict[str, Any] = {"$ref": f"{_URI}#/components/schemas/WireError"}
        else:
            content = responses[str(status)]["content"]["application/json"]["schema"]
            schema = {"$ref": _URI + content["$ref"]}
        errors = [
            f"{error.json_path}: {error.message}"
            for error in Draft202012Validator(
                schema, registry=self._registry, format_checker=_formats
            ).iter_errors(body)
        ]
        assert not errors, f"{operation} {status}: {errors}"

    @cached_property
    def _registry(self) -> Registry[Any]:
        resource = Resource.from_contents(self.document, default_specification=DRAFT202012)
        return Registry().with_resource(_URI, resource)


CONTRACT = OfficialContract()
