"""Arguments of the tools over facts: the bodies of the facts API, and what its paths and queries hold."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from palimpsest.api.bodies import StrictBody
from palimpsest.api.fact_bodies import (
    FactBody,
    Id,
    Instant,
    PositiveInteger,
    SupersedeFactBody,
    VerifyFactBody,
    whole,
)
from palimpsest.api.idempotency import MAX_KEY_CHARACTERS
from palimpsest.api.retrieval_bodies import RetrieveFields
from palimpsest.domain.outer_ids import MAX_ID_CHARACTERS

# A tool's own: what a model reads at once is less than what a program pages through.
DEFAULT_LIST_LIMIT = 25
MAX_LIST_LIMIT = 100

IdempotencyKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_KEY_CHARACTERS,
        description="The same call sent again under the same key has the same answer, for 24 hours.",
    ),
]
# Any text will do: what is no id finds nothing.
FactId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_ID_CHARACTERS,
        description="The fact's whole `id`, as another tool gave it.",
    ),
]
ListLimit = Annotated[
    int,
    Field(ge=1, le=MAX_LIST_LIMIT, description="At most so many facts."),
    BeforeValidator(whole),
]


class PartBody(StrictBody):
    """A part of the scope that a token works in; what the token names itself cannot be widened."""

    project_id: Id | None = None
    thread_id: Id | None = None
    participant_id: Id | None = None

    def named(self) -> dict[str, str]:
        """Return what it names, by name on the wire."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Narrowed(StrictBody):
    """Arguments of a tool that works in a scope."""

    scope: PartBody | None = None


class Repeatable(StrictBody):
    """Arguments of a tool that changes something."""

    idempotency_key: IdempotencyKey | None = None


class WriteFactArguments(FactBody, Narrowed, Repeatable):
    """Of ``write_fact``."""


class SupersedeFactArguments(SupersedeFactBody, Repeatable):
    """Of ``supersede_fact``."""

    fact_id: FactId


class VerifyFactArguments(VerifyFactBody, Repeatable):
    """Of ``verify_fact``."""

    fact_id: FactId


class DeleteFactArguments(Repeatable):
    """Of ``delete_fact``."""

    fact_id: FactId
    expect_version: PositiveInteger | None = None


class GetFactArguments(StrictBody):
    """Of ``get_fact``."""

    fact_id: FactId
    version: Annotated[
        PositiveInteger | None, Field(description="This revision; wins over `asOf`.")
    ] = None
    as_of: Annotated[Instant | None, Field(description="Memory as it stood then.")] = None


class ListFactsArguments(Narrowed):
    """Of ``list_facts``."""

    limit: ListLimit = DEFAULT_LIST_LIMIT
    cursor: Annotated[str | None, Field(description="The `nextCursor` of the page before.")] = None
    type: Annotated[Id | None, Field(description="Exactly this type.")] = None
    as_of: Annotated[Instant | None, Field(description="Memory as it stood then.")] = None


class RetrieveFactsArguments(RetrieveFields, Narrowed):
    """Of ``retrieve_facts``."""
