"""Facts as the world sees them: one revision, as the text of a JSON object.

The content is put in as the text that is kept, so that it comes back equal to what came in, to the digit.
"""

import json
from datetime import datetime

from palimpsest.domain.facts import Retention, Revision, Source
from palimpsest.domain.instants import to_text
from palimpsest.domain.json_text import write_json


def fact_json(revision: Revision) -> str:
    """Return a revision as JSON text: camelCase, in the order of the seed page, empty fields left out."""
    before = write_json(_without_empty(_until_content(revision)))
    after = write_json(_without_empty(_after_content(revision)))
    return f'{before[:-1]},"content":{revision.content},{after[1:]}'


def facts_json(revisions: list[Revision]) -> str:
    """Return revisions as the text of a JSON array, in their order."""
    return "[" + ",".join(map(fact_json, revisions)) + "]"


def sent_bytes(revision: Revision) -> int:
    """Return how many bytes a revision takes of a Lambda response, where the body is a string inside JSON.

    This is the most it can be: every character beyond ASCII counts as the six or twelve bytes of its escapes.
    """
    return len(json.dumps(fact_json(revision)))


def _until_content(revision: Revision) -> dict[str, object]:
    return {
        "id": revision.fact_id,
        "revisionId": None if revision.version == 1 else revision.revision_id,
        "type": revision.type,
        "scope": dict(revision.scope.items()),
        "version": revision.version,
        "createdAt": _time(revision.created_at),
    }


def _after_content(revision: Revision) -> dict[str, object]:
    closing = revision.closing
    return {
        "contentRef": revision.content_ref,
        "contentHash": revision.content_hash,
        "size": revision.size,
        "embeddingModel": revision.embedding_model,
        "retention": _retention(revision.retention),
        "source": _source(revision.source),
        "causedByLogId": _listed(revision.caused_by_log_ids),
        "supersedes": revision.supersedes,
        "trust": revision.trust,
        "verifiedBy": revision.verified_by,
        "verifiedAt": _time(revision.verified_at),
        "attributedTo": _without_empty(
            {
                "kind": revision.attributed_to.kind,
                "id": revision.attributed_to.id,
                "agentVersion": revision.attributed_to.agent_version,
            }
        ),
        "generatedBy": _generated_by(revision),
        "subjects": [{"kind": s.kind, "id": s.id} for s in revision.subjects] or None,
        "validFrom": _time(revision.valid_from),
        "validUntil": _time(revision.valid_until),
        "observedAt": _time(revision.observed_at),
        "invalidatedAt": _time(closing.at) if closing else None,
        "invalidatedBy": closing.by if closing else None,
        "invalidationReason": closing.reason if closing else None,
        "review": revision.review,
        "expiresAt": _time(revision.expires_at),
    }


def _generated_by(revision: Revision) -> dict[str, object] | None:
    step = revision.generated_by
    if step is None:
        return None
    return _without_empty(
        {"runId": step.run_id, "stepId": step.step_id, "toolCallId": step.tool_call_id}
    )


def _retention(retention: Retention | None) -> dict[str, object] | None:
    if retention is None:
        return None
    return _without_empty(
        {
            "keepUntil": _time(retention.keep_until),
            "keepDays": retention.keep_days,
            "legalHold": retention.legal_hold,
        }
    )


def _source(source: Source | None) -> dict[str, object] | None:
    if source is None:
        return None
    freshness, refresh = source.freshness, source.refresh
    return _without_empty(
        {
            "kind": source.kind,
            "uri": source.uri,
            "freshness": _without_empty(
                {
                    "ttlSeconds": freshness.ttl_seconds,
                    "lastVerifiedAt": _time(freshness.last_verified_at),
                    "etag": freshness.etag,
                    "sourceVersion": freshness.source_version,
                }
            ),
            "refresh": _without_empty(
                {
                    "strategy": refresh.strategy,
                    "handler": refresh.handler,
                    "priority": refresh.priority,
                }
            ),
        }
    )


def _listed(texts: tuple[str, ...] | None) -> list[str] | None:
    return None if texts is None else list(texts)


def _time(instant: datetime | None) -> str | None:
    return None if instant is None else to_text(instant)


def _without_empty(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
