"""Bodies of what the memory door keeps: every field, its type and its bounds (spec/read-memory.md §1)."""

from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from palimpsest.api.bodies import WriteSideBody, read_body, unprocessable
from palimpsest.domain.atoms import (
    DEFAULT_DOMAIN,
    MAX_DOMAIN_CHARACTERS,
    MAX_EXTERNAL_REF_CHARACTERS,
    MAX_FINGERPRINT_CHARACTERS,
    Atom,
)
from palimpsest.domain.concepts import MAX_CONCEPT_CHARACTERS
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.json_text import JsonValue, write_json
from palimpsest.domain.outer_ids import MAX_ID_CHARACTERS
from palimpsest.use_cases.rate_atoms import Rating

# spec/read-memory.md §1.
MAX_CONTENT_CHARACTERS = 10_000
MAX_CONCEPTS = 256
MAX_METADATA_BYTES = 65_536
MAX_SUPERSEDED = 32
MAX_BATCH_ITEMS = 500

# Twice what one read returns at most: its atoms, and those that came by association.
MAX_RATED = 1000

# In base64, as API Gateway hands over what is no plain text, this is 5.3 MiB; Lambda takes events of 6 MB.
MAX_BATCH_BYTES = 4 * 1024 * 1024

# How addresses of shared rooms begin in the service that the clients were made for.
_ROOM = "xroom:"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return text


def _no_room(domain: str) -> str:
    # In any spelling: what is meant for a room must not end up in a domain that only looks like one.
    if domain.strip().casefold().startswith(_ROOM):
        raise unprocessable("must not be the address of a room: shared rooms are not offered here")
    return domain


def _at_most_64_kib(metadata: dict[str, Any]) -> dict[str, Any]:
    if len(write_json(metadata).encode()) > MAX_METADATA_BYTES:
        raise PydanticCustomError(
            "too_many_bytes", f"must have at most {MAX_METADATA_BYTES} bytes as JSON"
        )
    return metadata


def _at_most_32_distinct(ids: list[str]) -> list[str]:
    distinct = list(dict.fromkeys(ids))
    if len(distinct) > MAX_SUPERSEDED:
        raise PydanticCustomError(
            "too_many_ids", f"must hold at most {MAX_SUPERSEDED} different ids"
        )
    return distinct


def _none_in_a_batch(ids: list[Any]) -> list[Any]:
    if ids:
        raise unprocessable("is not taken in a batch: write this atom by itself")
    return ids


def _as_it_came(value: Any, _read: ValidatorFunctionWrapHandler) -> Any:
    return value


Concept = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_CONCEPT_CHARACTERS),
    AfterValidator(_not_blank),
]
Concepts = Annotated[list[Concept], Field(max_length=MAX_CONCEPTS)]
Domain = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_DOMAIN_CHARACTERS),
    AfterValidator(_not_blank),
]
Metadata = Annotated[
    dict[str, Any],
    AfterValidator(_at_most_64_kib),
    WithJsonSchema(
        {"type": "object", "description": f"At most {MAX_METADATA_BYTES} bytes as JSON."}
    ),
]
# Any text: what is no id is the id of nothing.
AtomId = Annotated[str, StringConstraints(max_length=MAX_ID_CHARACTERS)]
Superseded = Annotated[list[AtomId], AfterValidator(_at_most_32_distinct)]
Outcome = Annotated[float, Field(ge=-1, le=1)]


class _AtomBody(WriteSideBody):
    """What is said of an atom, alone or in a batch."""

    content: Annotated[
        str,
        StringConstraints(min_length=1, max_length=MAX_CONTENT_CHARACTERS),
        AfterValidator(_not_blank),
    ]
    concepts: Concepts = Field(default_factory=list)
    domain: Annotated[Domain, AfterValidator(_no_room)] = DEFAULT_DOMAIN
    fingerprint: Annotated[
        str | None,
        StringConstraints(min_length=1, max_length=MAX_FINGERPRINT_CHARACTERS),
        AfterValidator(_not_blank),
    ] = None
    metadata: Metadata = Field(default_factory=dict)
    external_ref: Annotated[
        str | None,
        StringConstraints(min_length=1, max_length=MAX_EXTERNAL_REF_CHARACTERS),
        AfterValidator(_not_blank),
    ] = None

    def to_domain(self) -> Atom:
        """Return it in the domain's terms; importance and provenance are the service's to say."""
        return Atom(
            text=self.content,
            domain=self.domain,
            concepts=tuple(self.concepts),
            metadata=self.metadata,
            fingerprint=self.fingerprint,
            external_ref=self.external_ref,
        )


class WriteAtomBody(_AtomBody):
    """``POST /api/v1/memory/write``."""

    supersedes: Superseded = Field(default_factory=list)


class BatchItemBody(_AtomBody):
    """One item of ``POST /api/v1/memory/write_batch``."""

    supersedes: Annotated[
        list[Any],
        AfterValidator(_none_in_a_batch),
        WithJsonSchema({"type": "array", "maxItems": 0, "description": "Not taken in a batch."}),
    ] = Field(default_factory=list)


class WriteAtomsBody(WriteSideBody):
    """``POST /api/v1/memory/write_batch``."""

    items: Annotated[
        list[Annotated[BatchItemBody, WrapValidator(_as_it_came)]],
        Field(max_length=MAX_BATCH_ITEMS),
    ]

    def read_items(self) -> list[BatchItemBody | BadInputError]:
        """Return each item, or what is wrong with it: a bad one stops no other."""
        return [_item(value) for value in cast("list[JsonValue]", self.items)]


def _item(value: JsonValue) -> BatchItemBody | BadInputError:
    if not isinstance(value, dict):
        return BadInputError("An item must be a JSON object.")
    try:
        return read_body(BatchItemBody, value)
    except BadInputError as error:
        return error


class RateAtomsBody(WriteSideBody):
    """``POST /api/v1/memory/feedback``. ``domain`` narrows nothing; clients send it."""

    atom_ids: Annotated[list[AtomId], Field(max_length=MAX_RATED)]
    outcome: Outcome
    concepts: Concepts = Field(default_factory=list)
    query_concepts: Concepts = Field(default_factory=list)
    domain: Annotated[str, StringConstraints(max_length=MAX_DOMAIN_CHARACTERS)] = DEFAULT_DOMAIN

    def to_domain(self) -> Rating:
        """Return it in the use case's terms."""
        return Rating(
            atom_ids=tuple(self.atom_ids),
            outcome=self.outcome,
            concepts=(*self.query_concepts, *self.concepts),
        )
