"""Legal holds: what a held fact still takes."""

from dataclasses import replace

from palimpsest.domain.facts import Fact
from palimpsest.domain.json_text import canonical_json, content_hash
from palimpsest.domain.revisions import Change


def only_lifts_hold(fact: Fact, change: Change) -> bool:
    """Tell whether a change of a held fact does nothing but end the hold: the one change that a held fact takes."""
    current = fact.revision
    if change.retention is None or change.retention.is_held or current.retention is None:
        return False
    is_same_content = content_hash(canonical_json(change.content)) == current.content_hash
    kept = replace(current.retention, legal_hold=change.retention.legal_hold)
    return (
        is_same_content
        and change.retention == kept
        and change.subjects in (None, current.subjects)
        and change.valid_from in (None, current.valid_from)
        and change.valid_until in (None, current.valid_until)
        and change.observed_at in (None, current.observed_at)
    )
