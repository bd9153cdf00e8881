"""Bodies of the memory door's reads, as their senders write them: every field, its type and its bounds."""

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ValidationInfo

from palimpsest.api.bodies import ReadSideBody, WriteSideBody, unprocessable
from palimpsest.api.memory_bodies import (
    Author,
    Concept,
    Domain,
    Moment,
    Whole,
    not_before_since,
)
from palimpsest.domain.atoms import MAX_FINGERPRINT_CHARACTERS
from palimpsest.domain.client_envs import ClientEnv
from palimpsest.domain.metadata_filters import MetadataFilter, MetadataOperator
from palimpsest.domain.read_filters import ReadFilter
from palimpsest.domain.recall import OrderBy
from palimpsest.domain.strategies import Said, Strategy
from palimpsest.use_cases.read_requests import DEFAULT_TOP_K, ReadRequest

# spec/read-memory.md §1 and §3.
MAX_QUERY_CHARACTERS = 5_000
MAX_TOP_K = 500
MAX_HINTS = 50
MAX_READS = 50
# The spec leaves these open. An index asks for any of so many domains at once without a thought, and a filter looks at no
# more atoms than a read finds.
MAX_DOMAINS = 50
MAX_METADATA_FILTERS = 20
MAX_METADATA_KEY_CHARACTERS = 256


def _strategy(value: object) -> Strategy:
    try:
        return Strategy(str(value))
    except ValueError as error:
        raise unprocessable(f"must be one of {', '.join(Strategy)}") from error


Share = Annotated[float, Field(ge=0, le=1)]
NamedStrategy = Annotated[
    Strategy,
    PlainValidator(_strategy),
    WithJsonSchema({"type": "string", "enum": [str(strategy) for strategy in Strategy]}),
]


class _ReadFields(ReadSideBody):
    """What every read may ask for, whatever it reads."""

    query: Annotated[str, StringConstraints(min_length=1, max_length=MAX_QUERY_CHARACTERS)]
    top_k: Annotated[int, Field(ge=1, le=MAX_TOP_K), Whole] = DEFAULT_TOP_K
    min_relevance: Share | None = None
    fingerprint: (
        Annotated[str, StringConstraints(min_length=1, max_length=MAX_FINGERPRINT_CHARACTERS)]
        | None
    ) = None
    include_associations: bool | None = None
    concepts: Annotated[list[Concept], Field(max_length=MAX_HINTS, default_factory=list)]
    two_pass: bool | None = None
    strategy: NamedStrategy | None = None
    include_timings: bool = False
    order_by: Annotated[OrderBy | None, Field(strict=False)] = None
    since: Moment | None = None
    until: Moment | None = None
    exclude_author: Author | None = None
    author_principal: Author | None = None
    author_agent: Author | None = None
    author_client_env: Annotated[ClientEnv | None, Field(strict=False)] = None
    author_is_external: bool | None = None
    include_history: bool = False
    diversity: Share = 0.0

    _until = field_validator("until")(not_before_since)

    def _request(
        self, domains: tuple[str, ...] | None, metadata: tuple[MetadataFilter, ...] = ()
    ) -> ReadRequest:
        return ReadRequest(
            query=self.query,
            top_k=self.top_k,
            domains=domains,
            fingerprint=self.fingerprint,
            concepts=tuple(self.concepts),
            strategy=self.strategy,
            said=self._said(),
            narrowed=self._narrowed(),
            metadata=metadata,
            include_history=self.include_history,
            diversity=self.diversity,
        )

    def _said(self) -> Said:
        return Said(
            min_relevance=self.min_relevance,
            include_associations=self.include_associations,
            two_pass=self.two_pass,
            order_by=self.order_by,
        )

    def _narrowed(self) -> ReadFilter:
        return ReadFilter(
            exclude_author=self.exclude_author,
            author_principal=self.author_principal,
            author_agent=self.author_agent,
            author_client_env=self.author_client_env,
            author_is_external=self.author_is_external,
            since=self.since,
            until=self.until,
        )


class ReadBody(_ReadFields):
    """``POST /memory/read``, and each item of ``POST /memory/read-batch``."""

    domain: Domain | None = None

    def to_domain(self) -> ReadRequest:
        """Return it in the use case's terms; what a strategy has a default for stays open."""
        return self._request(None if self.domain is None else (self.domain,))


class ReadBatchBody(WriteSideBody):
    """``POST /memory/read-batch``. Each item is read on its own: one that does not fit is that item's error."""

    items: Annotated[
        list[Any],
        Field(min_length=1, max_length=MAX_READS),
        WithJsonSchema(
            {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_READS,
                # What does not fit is that item's own error.
                "items": {"anyOf": [{"$ref": "#/components/schemas/ReadBody"}, {}]},
            }
        ),
    ]


class MetadataFilterBody(BaseModel):
    """One condition on metadata. Unlike elsewhere null is a value here: metadata may hold one."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, defer_build=True)

    key: Annotated[str, StringConstraints(max_length=MAX_METADATA_KEY_CHARACTERS)]
    op: Annotated[MetadataOperator, Field(strict=False)]
    value: Any

    @field_validator("value")
    @classmethod
    def _is_a_list_of(cls, value: Any, info: ValidationInfo) -> Any:
        if info.data.get("op") is MetadataOperator.IN and not isinstance(value, list):
            raise PydanticCustomError("not_a_list", "must be a list for the operator in")
        return value

    def to_domain(self) -> MetadataFilter:
        """Return it in the domain's terms."""
        return MetadataFilter(key=self.key, operator=self.op, value=self.value)


class QueryBody(_ReadFields):
    """``POST /memory/query``: a read over several domains, narrowed by metadata."""

    domains: Annotated[list[Domain], Field(min_length=1, max_length=MAX_DOMAINS)] | None = None
    metadata_filter: Annotated[
        list[MetadataFilterBody], Field(max_length=MAX_METADATA_FILTERS, default_factory=list)
    ]

    def to_domain(self) -> ReadRequest:
        """Return it in the use case's terms."""
        domains = None if self.domains is None else tuple(dict.fromkeys(self.domains))
        return self._request(domains, tuple(body.to_domain() for body in self.metadata_filter))
