"""Facts and their revisions.

A *fact* is one remembered statement with an id that it keeps. Each write, supersede and verify makes a *revision* of it.
A revision is never changed but once, when it is closed: replaced by the next one or by another fact, or deleted.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from palimpsest.domain.callers import CallerKind
from palimpsest.domain.people import Person, people_named
from palimpsest.domain.scopes import Scope


class Trust(StrEnum):
    """How far a revision may be relied on."""

    VERIFIED = "verified"
    ASSERTED = "asserted"
    UNVERIFIED = "unverified"


class InvalidationReason(StrEnum):
    """Why a revision is closed."""

    SUPERSEDED = "superseded"
    DELETED = "deleted"
    ERASED = "erased"
    EXPIRED = "expired"


class Review(StrEnum):
    """Set while a person must approve the fact; such a fact is never retrieved."""

    PENDING = "pending"


class SourceKind(StrEnum):
    """Where a fact that mirrors something else comes from."""

    HTTP_API = "http-api"
    BLOB = "blob"
    MCP_TOOL = "mcp-tool"
    EXTERNAL_DB = "external-db"
    USER_INPUT = "user-input"


class RefreshStrategy(StrEnum):
    """When such a fact is to be read again from its source."""

    ON_READ = "on-read"
    BACKGROUND = "background"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long a fact is kept.

    Attributes:
        keep_until: Not readable from then on.
        keep_days: Not readable from so many days after the fact's *first* write; at least 1.
        legal_hold: Neither replaced nor deleted while True. None where nobody said.
    """

    keep_until: datetime | None = None
    keep_days: int | None = None
    legal_hold: bool | None = None

    @property
    def is_held(self) -> bool:
        """Whether the hold stands."""
        return self.legal_hold is True


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How fresh the copy is, in the source's own terms."""

    ttl_seconds: int | None = None
    last_verified_at: datetime | None = None
    etag: str | None = None
    source_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """How the copy is to be renewed."""

    strategy: RefreshStrategy
    handler: str | None = None
    priority: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a fact mirrors."""

    kind: SourceKind
    freshness: Freshness
    refresh: Refresh
    uri: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who asserted a revision; set by the server from the writer."""

    kind: CallerKind
    id: str
    agent_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """The step of an agent's run that wrote a revision."""

    run_id: str
    step_id: str | None = None
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """How a revision ended.

    Attributes:
        at: When.
        by: Who closed it, as they sign.
        reason: Why.
        operation_id: Of the request that closed it; tells a retry after a lost answer from a lost race. Never shown.
        superseded_by: Id of the fact that replaced this one; None where the next revision did, or nothing.
    """

    at: datetime
    by: str
    reason: InvalidationReason
    operation_id: str
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One fact as it stood from ``created_at`` until it was closed.

    All times are aware UTC, cut to the millisecond.

    Attributes:
        fact_id: Kept across revisions; a lower-case UUIDv7.
        revision_id: This revision's own; equals ``fact_id`` on version 1.
        version: 1, then one more per supersede or verify.
        operation_id: Of the request that made this revision; tells a retry after a lost answer from a lost race. Never shown.
        type: What sort of fact; never changes.
        scope: Which containers it names; never changes.
        content: JSON text, equal to what came.
        content_hash: ``sha256:`` and hex, over the canonical form of the content.
        size: Bytes of that form.
        created_at: When this revision was made; equals the closing time of the one before.
        attributed_to: Who asserted it.
        trust: How far to rely on it.
        generated_by: The agent's run step, for one that an agent wrote in a run.
        supersedes: ``revision_id`` of the revision before; on version 1 the first of ``replaces``, None when there is none.
        replaces: Ids of the facts that this fact replaced when it was written, the same on every revision.
        subjects: Whom it is about, in the order that came.
        retention: How long it is kept.
        source: What it mirrors.
        content_ref: Where the payload lies, when it is stored elsewhere.
        caused_by_log_ids: The caller's own references.
        valid_from: When it starts being true in the world; None is always.
        valid_until: When it stops being true in the world; None is still.
        observed_at: When it was said or seen.
        verified_by: Who verified it; set together with ``verified_at``.
        verified_at: When.
        embedding_model: The model that its vector stands for.
        review: ``pending`` while a person must approve it.
        expires_at: From then on no read returns it.
        closing: How it ended; None while it is current.
    """

    fact_id: str
    revision_id: str
    version: int
    operation_id: str
    type: str
    scope: Scope
    content: str
    content_hash: str
    size: int
    created_at: datetime
    attributed_to: Author
    trust: Trust
    generated_by: RunStep | None = None
    supersedes: str | None = None
    replaces: tuple[str, ...] = ()
    subjects: tuple[Person, ...] = ()
    retention: Retention | None = None
    source: Source | None = None
    content_ref: str | None = None
    caused_by_log_ids: tuple[str, ...] | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    observed_at: datetime | None = None
    verified_by: str | None = None
    verified_at: datetime | None = None
    embedding_model: str | None = None
    review: Review | None = None
    expires_at: datetime | None = None
    closing: Closing | None = None

    @property
    def people(self) -> frozenset[Person]:
        """Everybody whom this revision names."""
        return people_named(self.scope, self.subjects)

    @property
    def is_held(self) -> bool:
        """Whether a legal hold stands on it."""
        return self.retention is not None and self.retention.is_held


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact as it stands now.

    Attributes:
        revision: The newest revision: current, or closed by a delete or by the fact that replaced it.
        first_written_at: ``created_at`` of version 1: what ``keepDays`` counts from.
        named: Pseudonyms of everybody whom any revision named (see ``palimpsest.ports.pseudonyms``).
        outlived_at: From when on no revision of it can be read any more; None when one stays readable for ever.
        valence: How well it served those who read it, -1 to 1, to six places; None before anybody said. Feedback moves it,
            without a new revision.
    """

    revision: Revision
    first_written_at: datetime
    named: frozenset[str] = field(default_factory=frozenset)
    outlived_at: datetime | None = None
    valence: float | None = None

    @property
    def id(self) -> str:
        """The id that it keeps."""
        return self.revision.fact_id

    @property
    def version(self) -> int:
        """The version of its newest revision."""
        return self.revision.version

    @property
    def is_closed(self) -> bool:
        """Whether it ended: deleted, or replaced by another fact."""
        return self.revision.closing is not None

    @property
    def is_replaced(self) -> bool:
        """Whether another fact replaced it."""
        closing = self.revision.closing
        return closing is not None and closing.superseded_by is not None
