"""What answers look like, for the OpenAPI document.

Answers themselves are written by ``palimpsest.api.fact_answers``; tests hold every answer to these.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

Time = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
# For a field that is always there, where a client of the memory door tells null from absent.
TextOrNull = Annotated[str | None, WithJsonSchema({"type": ["string", "null"]})]
Positive = Annotated[int, Field(ge=1)]


class _Answer(BaseModel):
    """What all objects in an answer share: camelCase, empty fields left out, no others."""

    # Nothing is validated against these at run time, so they are built when the document first is.
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, defer_build=True)


class Scope(_Answer):
    """The containers that a fact names. It is readable by whoever has every one of them."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel, defer_build=True)

    tenant_id: str
    user_id: str | None = None
    org_id: str | None = None
    project_id: str | None = None
    thread_id: str | None = None
    session_id: str | None = None
    participant_id: str | None = None


class Retention(_Answer):
    """How long a fact is kept."""

    keep_until: Time | None = None
    keep_days: Positive | None = None
    legal_hold: bool | None = None


class Freshness(_Answer):
    """How fresh a mirrored fact is."""

    ttl_seconds: Annotated[int | None, Field(ge=0)] = None
    last_verified_at: Time | None = None
    etag: str | None = None
    source_version: str | None = None


class Refresh(_Answer):
    """How a mirrored fact is to be renewed."""

    strategy: Literal["on-read", "background", "manual"]
    handler: str | None = None
    priority: int | None = None


class Source(_Answer):
    """What a fact mirrors."""

    kind: Literal["http-api", "blob", "mcp-tool", "external-db", "user-input"]
    uri: str | None = None
    freshness: Freshness
    refresh: Refresh


class Author(_Answer):
    """Who asserted a fact; set by the server from the writer."""

    kind: Literal["user", "service", "agent"]
    id: str
    agent_version: str | None = None


class RunStep(_Answer):
    """The run step of the agent that wrote a fact."""

    run_id: str
    step_id: str | None = None
    tool_call_id: str | None = None


class Subject(_Answer):
    """Somebody whom a fact is about."""

    kind: Literal["participant", "user", "external"]
    id: str


class Fact(_Answer):
    """One fact at one revision."""

    id: Annotated[str, Field(description="The fact id, kept across revisions.")]
    revision_id: Annotated[
        str | None, Field(description="This revision's own id; absent where it equals `id`.")
    ] = None
    type: str
    scope: Scope
    version: Annotated[Positive, Field(description="1, then one more per supersede or verify.")]
    created_at: Time
    updated_at: Time | None = None
    content: Annotated[Any, Field(description="Any JSON value, equal to what was written.")]
    content_ref: str | None = None
    content_hash: Annotated[
        str, Field(description="`sha256:` and hex, over the canonical JSON (RFC 8785) of content.")
    ]
    size: Annotated[int, Field(ge=0, description="Bytes of the canonical JSON of content.")]
    embedding_model: str | None = None
    retention: Retention | None = None
    source: Source | None = None
    caused_by_log_id: list[str] | None = None
    supersedes: Annotated[str | None, Field(description="The revision that this one replaced.")] = (
        None
    )
    trust: Literal["verified", "asserted", "unverified"]
    verified_by: str | None = None
    verified_at: Time | None = None
    attributed_to: Author
    generated_by: RunStep | None = None
    subjects: list[Subject] | None = None
    valid_from: Time | None = None
    valid_until: Time | None = None
    observed_at: Time | None = None
    invalidated_at: Annotated[
        Time | None, Field(description="When this revision stopped being current.")
    ] = None
    invalidated_by: str | None = None
    invalidation_reason: Literal["superseded", "deleted", "erased", "expired"] | None = None
    review: Literal["pending"] | None = None
    expires_at: Annotated[Time | None, Field(description="From then on no read returns it.")] = None


class FactPage(_Answer):
    """A page of facts, newest first. It may be short, even empty, before the end."""

    data: list[Fact]
    has_more: bool
    next_cursor: Annotated[str | None, Field(description="Absent at the end of the list.")] = None


class FactRevisions(_Answer):
    """A fact's history, newest first."""

    data: list[Fact]
    truncated: Annotated[
        bool | None, Field(description="Older revisions were left out: the answer was full.")
    ] = None


class RetrievalHit(_Answer):
    """One fact that was found."""

    fact: Fact
    score: Annotated[
        float | None,
        Field(
            description="Higher is better. `keyword`: a positive rank; `semantic`: the cosine; `both`: Σ 1/(60 + rank)."
        ),
    ] = None


class RetrieveMemoryResult(_Answer):
    """What was found, best first; for `list`, newest first and without scores."""

    results: list[RetrievalHit]
    truncated: Annotated[
        bool | None, Field(description="More was found than one answer holds.")
    ] = None


class Whoami(_Answer):
    """Whom a token speaks for."""

    tenant_id: str
    scopes: list[str]
    user_id: str | None = None
    token_id: str | None = None
    role: Literal["admin", "member"]
    project_id: str | None = None
    tenant_admin: bool


class Health(_Answer):
    """The service answers."""

    status: Literal["ok"]
    version: str


class Problem(_Answer):
    """What went wrong."""

    code: Annotated[str, Field(description="Stable, for machines.")]
    message: Annotated[str, Field(description="A sentence, for people.")]
    details: dict[str, Any] | None = None
    request_id: Annotated[str, Field(description="Also in `X-Request-Id`.")]


class ProblemEnvelope(_Answer):
    """Every answer that is not a good one."""

    error: Problem


class FieldError(_Answer):
    """What is wrong with one field."""

    loc: Annotated[
        list[str], Field(description="Where it stands: `body`, `query` or `header`, then its path.")
    ]
    msg: Annotated[str, Field(description="What it takes.")]


class ProblemDetails(_Answer):
    """Machine-readable extras of a refusal, by its kind."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel, defer_build=True)

    errors: Annotated[
        list[FieldError] | None,
        Field(description="Of a 400 or 422: the first field that is wrong."),
    ] = None
    reason: Annotated[
        Literal["missing_key", "malformed_key", "invalid_key", "revoked_key", "expired_key"] | None,
        Field(description="Of a 401."),
    ] = None


class MemoryProblem(_Answer):
    """Every answer under `/api/v1` that is not a good one."""

    code: Annotated[str, Field(description="Stable, for machines.")]
    message: Annotated[str, Field(description="A sentence, for people.")]
    request_id: Annotated[str, Field(description="Also in `X-Request-Id`.")]
    retryable: Annotated[
        bool, Field(description="Whether the same request may succeed later: 429 and 503.")
    ]
    details: ProblemDetails | None = None
