"""Bodies of the facts API, as their senders write them: every field, its type and its bounds."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from palimpsest.api.bodies import StrictBody
from palimpsest.domain import facts
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.instants import from_text
from palimpsest.domain.outer_ids import MAX_ID_BYTES, MAX_ID_CHARACTERS
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import Change, Draft
from palimpsest.domain.scopes import WIRE_NAMES, Scope, scope_from_wire

# spec/facts.md §7.
MAX_SUBJECTS = 20


def _at_most_512_bytes(text: str) -> str:
    if len(text.encode()) > MAX_ID_BYTES:
        raise PydanticCustomError("too_many_bytes", "must be at most 512 bytes of UTF-8")
    return text


def _instant(value: object) -> datetime:
    if isinstance(value, str):
        try:
            return from_text(value, field="")
        except BadInputError:
            pass  # said below, in the words of every other field error
    raise PydanticCustomError(
        "not_an_instant", "must be an ISO 8601 time with a zone, such as 2026-05-01T09:30:00Z"
    )


def whole(value: object) -> object:
    """Return an integer that is written as 3.0 as 3, and everything else as it is."""
    # JSON has one kind of number: 3.0 is the integer 3 (JSON Schema 2020-12 §6.1.1 reads it so too).
    return int(value) if isinstance(value, float) and value.is_integer() else value


Id = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_ID_CHARACTERS),
    AfterValidator(_at_most_512_bytes),
]
Instant = Annotated[
    datetime,
    PlainValidator(_instant),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
# The bound stands before the validator: behind it, the JSON Schema would not say it.
PositiveInteger = Annotated[int, Field(ge=1), BeforeValidator(whole)]
Integer = Annotated[int, BeforeValidator(whole)]
NaturalNumber = Annotated[int, Field(ge=0), BeforeValidator(whole)]
Content = Annotated[Any, WithJsonSchema({"description": "Any JSON value, null included."})]


class ScopeBody(StrictBody):
    """Which containers a fact names; keys beyond these are kept as they come."""

    model_config = ConfigDict(extra="allow")

    tenant_id: Id
    user_id: Id | None = None
    org_id: Id | None = None
    project_id: Id | None = None
    thread_id: Id | None = None
    session_id: Id | None = None
    participant_id: Id | None = None

    @model_validator(mode="before")
    @classmethod
    def _refuse_null(cls, data: object) -> object:
        if isinstance(data, dict):
            for name in WIRE_NAMES:
                if name in data and data[name] is None:
                    raise PydanticCustomError(
                        "null_field", "{name} must not be null: leave it out", {"name": name}
                    )
        return data

    @model_validator(mode="after")
    def _participant_in_project(self) -> "ScopeBody":
        if self.participant_id is not None and self.project_id is None:
            raise PydanticCustomError("no_project", "participantId needs projectId")
        return self

    def to_domain(self) -> Scope:
        """Return it in the domain's terms.

        Not from ``model_dump``: that takes a key of the sender's own that is called like an attribute here, such as
        ``user_id``, for the attribute, and gives an absent ``userId`` as None.
        """
        known = {name: getattr(self, attribute) for name, attribute in WIRE_NAMES.items()}
        given = {name: value for name, value in known.items() if value is not None}
        return scope_from_wire({**given, **(self.model_extra or {})})


class RetentionBody(StrictBody):
    """How long a fact is kept."""

    keep_until: Instant | None = None
    keep_days: PositiveInteger | None = None
    legal_hold: bool | None = None

    def to_domain(self) -> facts.Retention:
        """Return it in the domain's terms."""
        return facts.Retention(
            keep_until=self.keep_until, keep_days=self.keep_days, legal_hold=self.legal_hold
        )


class SubjectBody(StrictBody):
    """Somebody whom a fact is about."""

    kind: Annotated[str, Field(pattern="^(participant|user|external)$")]
    id: Id


class FreshnessBody(StrictBody):
    """How fresh a mirrored fact is."""

    ttl_seconds: NaturalNumber | None = None
    last_verified_at: Instant | None = None
    etag: str | None = None
    source_version: str | None = None


class RefreshBody(StrictBody):
    """How a mirrored fact is to be renewed."""

    strategy: Annotated[facts.RefreshStrategy, Field(strict=False)]
    handler: str | None = None
    priority: Integer | None = None


class SourceBody(StrictBody):
    """What a fact mirrors."""

    kind: Annotated[facts.SourceKind, Field(strict=False)]
    uri: str | None = None
    freshness: FreshnessBody
    refresh: RefreshBody

    def to_domain(self) -> facts.Source:
        """Return it in the domain's terms."""
        return facts.Source(
            kind=self.kind,
            uri=self.uri,
            freshness=facts.Freshness(**self.freshness.model_dump()),
            refresh=facts.Refresh(**self.refresh.model_dump()),
        )


Subjects = Annotated[list[SubjectBody], Field(max_length=MAX_SUBJECTS)]


class _Dated(StrictBody):
    """When a fact is true, and when it was seen."""

    valid_from: Instant | None = None
    valid_until: Instant | None = None
    observed_at: Instant | None = None


class FactBody(_Dated):
    """A new fact, all but its scope."""

    type: Id
    content: Content
    content_hash: str | None = None
    retention: RetentionBody | None = None
    subjects: Subjects | None = None
    source: SourceBody | None = None
    content_ref: str | None = None
    caused_by_log_id: list[str] | None = None

    def draft(self, scope: Scope) -> Draft:
        """Return it in the domain's terms. ``contentHash`` is a hint only: the server works out its own."""
        return Draft(
            type=self.type,
            scope=scope,
            content=self.content,
            subjects=_people(self.subjects or []),
            retention=self.retention.to_domain() if self.retention else None,
            source=self.source.to_domain() if self.source else None,
            content_ref=self.content_ref,
            caused_by_log_ids=(
                None if self.caused_by_log_id is None else tuple(self.caused_by_log_id)
            ),
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            observed_at=self.observed_at,
        )


class WriteFactBody(FactBody):
    """``POST /v1/memory/facts``."""

    scope: ScopeBody

    def to_domain(self) -> Draft:
        """Return it in the domain's terms."""
        return self.draft(self.scope.to_domain())


class SupersedeFactBody(_Dated):
    """``POST /v1/memory/facts/{factId}/supersede``."""

    content: Content
    expect_version: PositiveInteger | None = None
    retention: RetentionBody | None = None
    subjects: Subjects | None = None

    def to_domain(self) -> Change:
        """Return it in the domain's terms."""
        return Change(
            content=self.content,
            subjects=None if self.subjects is None else _people(self.subjects),
            retention=self.retention.to_domain() if self.retention else None,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            observed_at=self.observed_at,
        )


class VerifyFactBody(StrictBody):
    """``POST /v1/memory/facts/{factId}/verify``; may be absent."""

    expect_version: PositiveInteger | None = None


def _people(subjects: list[SubjectBody]) -> tuple[Person, ...]:
    return tuple(Person(PersonKind(subject.kind), subject.id) for subject in subjects)
