"""How a fact comes to be, moves on, and ends: pure steps from one state to the next.

Nothing here asks who may do it (``palimpsest.domain.sight``) or stores it (``palimpsest.ports.facts``).
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.expiry import check_not_over, expires_at, last_of, unverified_until
from palimpsest.domain.facts import (
    Author,
    Closing,
    Fact,
    InvalidationReason,
    Retention,
    Revision,
    RunStep,
    Source,
    Trust,
)
from palimpsest.domain.instants import MILLISECOND
from palimpsest.domain.json_text import JsonValue, canonical_json, content_hash, write_json
from palimpsest.domain.people import Person
from palimpsest.domain.scopes import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One request that changes a fact: who, when, and under which ids.

    Attributes:
        caller: Who asks.
        now: The clock, aware UTC, to the millisecond.
        operation_id: New for each request, the same on each of its attempts.
        new_id: The id of the revision that it makes, if it makes one.
        step: The agent's run step, where the request names one.
        unverified_window: How long unverified revisions stay readable here; None for ever.
        is_taken_over: An earlier attempt may have done the work and died before it could say so.
    """

    caller: Caller
    now: datetime
    operation_id: str
    new_id: str
    is_taken_over: bool = False
    step: RunStep | None = None
    unverified_window: timedelta | None = None
    embedding_model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a writer says of a new fact. See ``Revision`` for the fields.

    The facts in ``replaces`` are closed by ``replaced_by``, in the same transaction.

    Raises:
        BadInputError: If it starts being true after it stops: said before anybody asks who may write.
    """

    type: str
    scope: Scope
    content: JsonValue
    subjects: tuple[Person, ...] = ()
    retention: Retention | None = None
    source: Source | None = None
    content_ref: str | None = None
    caused_by_log_ids: tuple[str, ...] | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    observed_at: datetime | None = None
    embedding_model: str | None = None
    replaces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_interval(self.valid_from, self.valid_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a writer says when replacing a revision; None keeps what stands.

    Raises:
        BadInputError: If it starts being true after it stops by its own words.
    """

    content: JsonValue
    subjects: tuple[Person, ...] | None = None
    retention: Retention | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    observed_at: datetime | None = None

    def __post_init__(self) -> None:
        _check_interval(self.valid_from, self.valid_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A fact's move to its next revision.

    Attributes:
        closed: The revision that was current, closed.
        fact: The fact with its new revision.
    """

    closed: Revision
    fact: Fact


def first_revision(draft: Draft, act: Act) -> Fact:
    """Return a new fact, its id ``act.new_id``; its ``named`` is left for the caller to fill in.

    Raises:
        BadInputError: If it would have expired already.
    """
    trust = _trust_of(act.caller)
    end = expires_at(
        draft.retention,
        first_written_at=act.now,
        unverified_until=unverified_until(trust, created_at=act.now, window=act.unverified_window),
    )
    check_not_over(end, now=act.now)
    text, hashed, size = _content(draft.content)
    revision = Revision(
        fact_id=act.new_id,
        revision_id=act.new_id,
        version=1,
        operation_id=act.operation_id,
        type=draft.type,
        scope=draft.scope,
        content=text,
        content_hash=hashed,
        size=size,
        created_at=act.now,
        attributed_to=_author(act.caller),
        trust=trust,
        generated_by=_step_of(act),
        supersedes=next(iter(draft.replaces), None),
        replaces=draft.replaces,
        subjects=draft.subjects,
        retention=draft.retention,
        source=draft.source,
        content_ref=draft.content_ref,
        caused_by_log_ids=draft.caused_by_log_ids,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        observed_at=draft.observed_at,
        embedding_model=act.embedding_model,
        expires_at=end,
    )
    return Fact(revision=revision, first_written_at=act.now, outlived_at=end)


def supersede(fact: Fact, change: Change, act: Act) -> Step:
    """Replace the current revision's content; type and scope stay, trust follows the writer, verification is dropped.

    Raises:
        BadInputError: If the new revision would have expired already, or starts being true after it stops.
    """
    text, hashed, size = _content(change.content)
    opened = replace(
        fact.revision,
        content=text,
        content_hash=hashed,
        size=size,
        trust=_trust_of(act.caller),
        attributed_to=_author(act.caller),
        generated_by=_step_of(act),
        verified_by=None,
        verified_at=None,
        subjects=fact.revision.subjects if change.subjects is None else change.subjects,
        retention=fact.revision.retention if change.retention is None else change.retention,
        valid_from=change.valid_from or fact.revision.valid_from,
        valid_until=change.valid_until or fact.revision.valid_until,
        observed_at=change.observed_at or fact.revision.observed_at,
    )
    _check_interval(opened.valid_from, opened.valid_until)
    return _next(fact, opened, act)


def verify(fact: Fact, act: Act) -> Step:
    """Confirm the current revision: same content, ``trust: verified``; a pending review is thereby approved."""
    moment = _moment_after(fact.revision, act.now)
    opened = replace(
        fact.revision,
        trust=Trust.VERIFIED,
        attributed_to=_author(act.caller),
        generated_by=_step_of(act),
        verified_by=act.caller.signature,
        verified_at=moment,
        review=None,
    )
    return _next(fact, opened, act)


def delete(fact: Fact, act: Act) -> Fact:
    """Close the current revision and open none."""
    return _closed(fact, act, InvalidationReason.DELETED)


def replaced_by(fact: Fact, successor_id: str, act: Act) -> Fact:
    """Close the current revision because another fact, ``successor_id``, says it better; open none."""
    return _closed(fact, act, InvalidationReason.SUPERSEDED, successor_id)


def was_current_at(revision: Revision, instant: datetime) -> bool:
    """Tell whether the revision was the current one then: from its making, up to but not at its closing."""
    if revision.created_at > instant:
        return False
    return revision.closing is None or instant < revision.closing.at


def says_what_it_said(fact: Fact, *, version: int) -> bool:
    """Tell whether the fact's content is surely that of an earlier version: it is that one, or the one that verified it.

    So a fact that was just verified can be found before the index has heard of it.
    """
    current = fact.revision
    is_verification = current.verified_at is not None and current.verified_at == current.created_at
    return version == current.version or (is_verification and version == current.version - 1)


def _next(fact: Fact, opened: Revision, act: Act) -> Step:
    moment = _moment_after(fact.revision, act.now)
    end = expires_at(
        opened.retention,
        first_written_at=fact.first_written_at,
        unverified_until=unverified_until(
            opened.trust, created_at=moment, window=act.unverified_window
        ),
    )
    check_not_over(end, now=moment)
    revision = replace(
        opened,
        revision_id=act.new_id,
        version=fact.version + 1,
        operation_id=act.operation_id,
        supersedes=fact.revision.revision_id,
        created_at=moment,
        expires_at=end,
        embedding_model=act.embedding_model,
    )
    return Step(
        closed=_closed(fact, act, InvalidationReason.SUPERSEDED).revision,
        fact=replace(fact, revision=revision, outlived_at=last_of([fact.outlived_at, end])),
    )


def _closed(
    fact: Fact, act: Act, reason: InvalidationReason, successor_id: str | None = None
) -> Fact:
    closing = Closing(
        at=_moment_after(fact.revision, act.now),
        by=act.caller.signature,
        reason=reason,
        operation_id=act.operation_id,
        superseded_by=successor_id,
    )
    return replace(fact, revision=replace(fact.revision, closing=closing))


def _check_interval(start: datetime | None, end: datetime | None) -> None:
    # An interval that is empty (start = end) is allowed: it overlaps nothing.
    if start is not None and end is not None and start > end:
        raise BadInputError("validFrom must not be after validUntil.", field="validFrom")


def _moment_after(previous: Revision, now: datetime) -> datetime:
    """Return the instant of a step: later than the revision before, whatever the clocks of two functions say."""
    return max(now, previous.created_at + MILLISECOND)


def _trust_of(caller: Caller) -> Trust:
    return Trust.UNVERIFIED if caller.kind is CallerKind.AGENT else Trust.ASSERTED


def _author(caller: Caller) -> Author:
    return Author(kind=caller.kind, id=caller.id, agent_version=caller.agent_version)


def _step_of(act: Act) -> RunStep | None:
    return act.step if act.caller.kind is CallerKind.AGENT else None


def _content(value: JsonValue) -> tuple[str, str, int]:
    canonical = canonical_json(value)
    return write_json(value), content_hash(canonical), len(canonical.encode())
