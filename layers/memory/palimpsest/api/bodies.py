"""What the bodies of all doors share: how strict they are, and how one that does not fit is told of.

StrictBody        the facts door: camelCase, no unknown field, null only in content
WriteSideBody     the memory door, where something is kept or listed: no unknown field, so that none is lost unsaid
ReadSideBody      the memory door, where something is looked for by a query: unknown fields mean nothing
"""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError

from palimpsest.domain.errors import BadInputError, UnprocessableError
from palimpsest.domain.json_text import JsonValue

_UNPROCESSABLE = "unprocessable"


class StrictBody(BaseModel):
    """What all objects in a request share: known fields only, their own types only, and null nowhere but in content."""

    # Built when one first comes: most functions know these models only by name.
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, alias_generator=to_camel, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _refuse_null(cls, data: object) -> object:
        if isinstance(data, dict):
            for name, value in data.items():
                if value is None and name != "content":
                    raise PydanticCustomError(
                        "null_field", "{name} must not be null: leave it out", {"name": name}
                    )
        return data


class _MemoryBody(BaseModel):
    """What all objects in a request of the memory door share: snake_case, own types only, null as if it was left out."""

    model_config = ConfigDict(strict=True, frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _leave_out_null(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Say of every field that may be left out that it may be null."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        optional = schema["properties"].keys() - set(schema.get("required", ()))
        for name in optional:
            schema["properties"][name] = {"anyOf": [schema["properties"][name], {"type": "null"}]}
        return schema


class WriteSideBody(_MemoryBody):
    """An object that says what to keep: a field that is not known here is refused."""

    model_config = ConfigDict(extra="forbid")


class ReadSideBody(_MemoryBody):
    """An object that asks: a field that is not known here is ignored."""

    model_config = ConfigDict(extra="ignore")


Body = TypeVar("Body", bound=BaseModel)


def read_body(model: type[Body], value: JsonValue) -> Body:
    """Return a body as its model.

    Raises:
        UnprocessableError: If the first field that does not fit was found ``unprocessable``.
        BadInputError: If it does not fit otherwise; the message names the first field that does not, and never its value.
    """
    if not isinstance(value, dict):
        raise BadInputError("The body must be a JSON object.")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _bad_field(first["loc"], first["type"], first["msg"]) from error


def unprocessable(message: str) -> PydanticCustomError:
    """Return what a validator raises for a value that can be read and cannot be meant: a 422.

    Args:
        message: What the field takes, to stand behind its name.
    """
    return PydanticCustomError(_UNPROCESSABLE, "{message}", {"message": message})


def _bad_field(location: tuple[int | str, ...], kind: str, message: str) -> BadInputError:
    path = ".".join(str(part)[:64] for part in location)
    if kind == "missing":
        message = "is required"
    elif kind == "extra_forbidden":
        message = "is no field of this body"
    elif kind == "model_type":
        message = "must be a JSON object"  # pydantic's own words name the class
    error = UnprocessableError if kind == _UNPROCESSABLE else BadInputError
    return error(f"{path}: {message}." if path else f"{message}.", field=path)
