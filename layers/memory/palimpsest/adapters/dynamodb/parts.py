"""The parts of a revision, and back: those that nest as JSON values, a closing as attributes of the item itself.

A field that is absent is left out, never null.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from palimpsest.adapters.dynamodb.attributes import (
    Item,
    Value,
    find_instant,
    find_text,
    instant,
    instant_from,
    read_text,
    text,
)
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.facts import (
    Author,
    Closing,
    Freshness,
    InvalidationReason,
    Refresh,
    RefreshStrategy,
    Retention,
    RunStep,
    Source,
    SourceKind,
)
from palimpsest.domain.instants import to_text
from palimpsest.domain.people import Person, PersonKind

JsonObject = Mapping[str, Any]


def author_to(author: Author) -> JsonObject:
    """Return who asserted a revision."""
    return _present(kind=author.kind, id=author.id, agentVersion=author.agent_version)


def author_from(value: JsonObject) -> Author:
    """See ``author_to``."""
    return Author(
        kind=CallerKind(value["kind"]), id=value["id"], agent_version=value.get("agentVersion")
    )


def closing_to_attributes(closing: Closing) -> dict[str, Value]:
    """Return how a revision ended, as it is added to its item."""
    return {
        "invalidatedAt": instant(closing.at),
        "invalidatedBy": text(closing.by),
        "invalidationReason": text(closing.reason),
        "closedByOperation": text(closing.operation_id),
        **({"supersededBy": text(closing.superseded_by)} if closing.superseded_by else {}),
    }


def closing_from(item: Item) -> Closing | None:
    """See ``closing_to_attributes``; None for a revision that stands."""
    at = find_instant(item, "invalidatedAt")
    if at is None:
        return None
    return Closing(
        at=at,
        by=read_text(item, "invalidatedBy"),
        reason=InvalidationReason(read_text(item, "invalidationReason")),
        operation_id=read_text(item, "closedByOperation"),
        superseded_by=find_text(item, "supersededBy"),
    )


def run_step_to(step: RunStep | None) -> JsonObject | None:
    """Return the step of an agent's run, or None."""
    if step is None:
        return None
    return _present(runId=step.run_id, stepId=step.step_id, toolCallId=step.tool_call_id)


def run_step_from(value: JsonObject | None) -> RunStep | None:
    """See ``run_step_to``."""
    if value is None:
        return None
    return RunStep(
        run_id=value["runId"], step_id=value.get("stepId"), tool_call_id=value.get("toolCallId")
    )


def people_to(people: tuple[Person, ...]) -> list[JsonObject] | None:
    """Return subjects in their order, or None when there are none."""
    return [{"kind": person.kind, "id": person.id} for person in people] or None


def people_from(value: list[JsonObject] | None) -> tuple[Person, ...]:
    """See ``people_to``."""
    return tuple(Person(PersonKind(person["kind"]), person["id"]) for person in value or ())


def retention_to(retention: Retention | None) -> JsonObject | None:
    """Return how long a revision is kept, or None."""
    if retention is None:
        return None
    return _present(
        keepUntil=_text(retention.keep_until),
        keepDays=retention.keep_days,
        legalHold=retention.legal_hold,
    )


def retention_from(value: JsonObject | None) -> Retention | None:
    """See ``retention_to``."""
    if value is None:
        return None
    return Retention(
        keep_until=_instant(value.get("keepUntil")),
        keep_days=value.get("keepDays"),
        legal_hold=value.get("legalHold"),
    )


def source_to(source: Source | None) -> JsonObject | None:
    """Return what a revision mirrors, or None."""
    if source is None:
        return None
    freshness, refresh = source.freshness, source.refresh
    return _present(
        kind=source.kind,
        uri=source.uri,
        freshness=_present(
            ttlSeconds=freshness.ttl_seconds,
            lastVerifiedAt=_text(freshness.last_verified_at),
            etag=freshness.etag,
            sourceVersion=freshness.source_version,
        ),
        refresh=_present(
            strategy=refresh.strategy, handler=refresh.handler, priority=refresh.priority
        ),
    )


def source_from(value: JsonObject | None) -> Source | None:
    """See ``source_to``."""
    if value is None:
        return None
    freshness, refresh = value["freshness"], value["refresh"]
    return Source(
        kind=SourceKind(value["kind"]),
        uri=value.get("uri"),
        freshness=Freshness(
            ttl_seconds=freshness.get("ttlSeconds"),
            last_verified_at=_instant(freshness.get("lastVerifiedAt")),
            etag=freshness.get("etag"),
            source_version=freshness.get("sourceVersion"),
        ),
        refresh=Refresh(
            strategy=RefreshStrategy(refresh["strategy"]),
            handler=refresh.get("handler"),
            priority=refresh.get("priority"),
        ),
    )


def _present(**fields: object) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


def _text(value: datetime | None) -> str | None:
    return None if value is None else to_text(value)


def _instant(value: str | None) -> datetime | None:
    return None if value is None else instant_from(value)
