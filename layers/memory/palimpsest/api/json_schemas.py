"""JSON Schemas of bodies and answers, for the OpenAPI document and for the tools."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema


class JsonSchemas(GenerateJsonSchema):
    """JSON Schemas in which an absent field is absent: a field that may be left out is not one that may be null."""

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of what is there when it is there."""
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, _schema: Any) -> bool:
        """Set none: "Validfrom" says less than the name that stands beside it."""
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Return a schema without the default that stands for "left out"."""
        generated = super().default_schema(schema)
        if generated.get("default", ...) is None:
            del generated["default"]
        return generated
