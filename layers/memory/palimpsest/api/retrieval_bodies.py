"""The body of a retrieval, as its sender writes it."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from palimpsest.api.bodies import StrictBody
from palimpsest.api.fact_bodies import Id
from palimpsest.api.fact_filters import scope_filter_from
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.json_text import JsonValue
from palimpsest.use_cases.retrieve_facts import Mode, RetrieveRequest

# spec/facts.md §11.
DEFAULT_LIMIT = 10
MAX_LIMIT = 100


def _limit(value: object) -> int:
    # bool first: in Python, unlike in JSON, true is an integer.
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 1:
        raise PydanticCustomError("not_a_limit", "must be a number of at least 1")
    return math.floor(min(value, MAX_LIMIT))


Limit = Annotated[int, PlainValidator(_limit), WithJsonSchema({"type": "number", "minimum": 1})]
PartialScope = Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]


class RetrieveFields(StrictBody):
    """What is looked for, all but where."""

    mode: Annotated[Mode, Field(strict=False)]
    query: str | None = None
    type: Id | None = None
    limit: Limit = DEFAULT_LIMIT
    embedding_model: str | None = None

    def within(self, scope: Mapping[str, JsonValue]) -> RetrieveRequest:
        """Return it in the use case's terms.

        Args:
            scope: Each key must be named by a fact with exactly this value.

        Raises:
            BadInputError: If the query is missing where the mode needs one.
        """
        if self.query is None and self.mode is not Mode.LIST:
            raise BadInputError(f"query: is required for {self.mode}.", field="query")
        return RetrieveRequest(
            mode=self.mode,
            query=self.query or "",
            wanted=FactFilter(type=self.type, scope=scope),
            limit=self.limit,
            embedding_model=self.embedding_model,
        )


class RetrieveBody(RetrieveFields):
    """``POST /v1/memory/retrieve``."""

    scope: PartialScope | None = None

    def to_domain(self) -> RetrieveRequest:
        """Return it in the use case's terms.

        Raises:
            BadInputError: If the query is missing where the mode needs one, or the scope holds an unfit value.
        """
        return self.within(scope_filter_from(self.scope or {}))
