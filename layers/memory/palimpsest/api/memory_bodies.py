"""Bodies of the memory door's requests that look for nothing, and the fields that several of its bodies share.

They are as strict as what is to be kept: a filter with a typing error would show more than was meant. Only what looks for
something by a query ignores fields that it does not know (spec/read-memory.md §3).
"""

from datetime import datetime
from typing import Annotated

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ValidationInfo

from palimpsest.api.bodies import WriteSideBody, unprocessable
from palimpsest.api.fact_bodies import whole
from palimpsest.domain.atoms import MAX_DOMAIN_CHARACTERS, MAX_EXTERNAL_REF_CHARACTERS
from palimpsest.domain.concepts import MAX_CONCEPT_CHARACTERS
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.feeds import Feed
from palimpsest.domain.instants import from_utc_text
from palimpsest.use_cases.find_by_external_ref import RefRequest
from palimpsest.use_cases.read_graph import (
    DEFAULT_EDGES,
    MAX_DEPTH,
    MAX_EDGES,
    MAX_SEEDS,
    GraphRequest,
)

# spec/read-memory.md §1, the row of recent.
MAX_PAGE = 100
DEFAULT_PAGE = 20

# An author's name is a kind, a colon and an id (spec/facts.md §7).
MAX_AUTHOR_CHARACTERS = 300
# Ours are shorter; a longer text is refused by whoever opens it, in its own words.
MAX_CURSOR_CHARACTERS = 4_096


def _instant(value: object) -> datetime:
    if isinstance(value, str):
        try:
            return from_utc_text(value, field="")
        except BadInputError:
            pass  # said below, in the words of every other field error
    raise PydanticCustomError(
        "not_an_instant",
        "must be an ISO 8601 time, such as 2026-05-01T09:30:00Z; without a zone it is UTC",
    )


def not_before_since(until: datetime | None, info: ValidationInfo) -> datetime | None:
    """Return the end of a time that does not lie before its beginning, ``since``; a validator."""
    since = info.data.get("since")
    if until is not None and since is not None and until < since:
        raise unprocessable("must not be before since")
    return until


Whole = BeforeValidator(whole)
Moment = Annotated[
    datetime,
    PlainValidator(_instant),
    WithJsonSchema({"type": "string", "description": "ISO 8601; without a zone it is UTC."}),
]
Domain = Annotated[str, StringConstraints(min_length=1, max_length=MAX_DOMAIN_CHARACTERS)]
Author = Annotated[str, StringConstraints(min_length=1, max_length=MAX_AUTHOR_CHARACTERS)]
Concept = Annotated[str, StringConstraints(min_length=1, max_length=MAX_CONCEPT_CHARACTERS)]
PageSize = Annotated[int, Field(ge=1, le=MAX_PAGE), Whole]


class RecentBody(WriteSideBody):
    """``POST /memory/recent``."""

    domain: Domain | None = None
    since: Moment | None = None
    until: Moment | None = None
    exclude_author: Author | None = None
    limit: PageSize = DEFAULT_PAGE
    cursor: Annotated[str, StringConstraints(max_length=MAX_CURSOR_CHARACTERS)] | None = None
    include_history: bool = False

    _until = field_validator("until")(not_before_since)

    def to_domain(self) -> Feed:
        """Return what the feed is narrowed to."""
        return Feed(
            domain=self.domain,
            since=self.since,
            until=self.until,
            exclude_author=self.exclude_author,
            with_replaced=self.include_history,
        )


class RefBody(WriteSideBody):
    """``POST /memory/atoms/by-external-ref``."""

    external_ref: Annotated[
        str, StringConstraints(min_length=1, max_length=MAX_EXTERNAL_REF_CHARACTERS)
    ]
    domain: Domain | None = None
    limit: PageSize = DEFAULT_PAGE
    include_history: bool = False

    def to_domain(self) -> RefRequest:
        """Return it in the use case's terms."""
        return RefRequest(
            external_ref=self.external_ref,
            domain=self.domain,
            limit=self.limit,
            with_replaced=self.include_history,
        )


class GraphBody(WriteSideBody):
    """``POST /memory/graph``. ``domain`` changes nothing: edges belong to a scope and to no domain."""

    seeds: Annotated[list[Concept], Field(min_length=1, max_length=MAX_SEEDS)]
    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH), Whole] = 1
    domain: Domain | None = None
    min_weight: Annotated[float, Field(ge=0)] | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_EDGES), Whole] = DEFAULT_EDGES

    def to_domain(self) -> GraphRequest:
        """Return it in the use case's terms."""
        return GraphRequest(
            seeds=tuple(self.seeds),
            depth=self.depth,
            min_weight=self.min_weight,
            limit=self.limit,
        )
