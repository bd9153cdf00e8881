"""JSON Schemas of bodies and answers, for the OpenAPI document and for the tools."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic.json_schema import GenerateJsonSchema


class JsonSchemas(GenerateJsonSchema):
    """JSON Schemas in which an absent field is absent: a field that may be left out is not one that may be null."""

    _may_be_left_out = False

    def model_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of an object, whose fields are its own matter whatever it stands in."""
        with self._inside(may_be_left_out=False):
            return super().model_schema(schema)

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of what is there when it is there; null is for what is always there."""
        if not self._may_be_left_out:
            return super().nullable_schema(schema)
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, _schema: Any) -> bool:
        """Set none: "Validfrom" says less than the name that stands beside it."""
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Return a schema without the default that stands for "left out"."""
        with self._inside(may_be_left_out=True):
            generated = super().default_schema(schema)
        if generated.get("default", ...) is None:
            del generated["default"]
        return generated

    @contextmanager
    def _inside(self, *, may_be_left_out: bool) -> Iterator[None]:
        before, self._may_be_left_out = self._may_be_left_out, may_be_left_out
        yield
        self._may_be_left_out = before
