"""Records of the facts' stream as notices: that a fact was written, which revision that replaced, or that it is gone."""

from collections.abc import Mapping
from typing import Any

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import find_json, read_number, read_text
from palimpsest.adapters.dynamodb.items import fact_from_item, revision_from_item
from palimpsest.adapters.dynamodb.requests import MOVED
from palimpsest.domain.facts import Revision
from palimpsest.domain.projection import FactKey, Notice


class UnreadableRecordError(ValueError):
    """A record that holds no fact as this service writes it; trying again does not help."""


def notice_from(record: Mapping[str, Any]) -> Notice | None:
    """Return what a record tells, or None where it is not about a fact's current revision, or about its valence alone.

    Args:
        record: As Lambda gets it from a stream of new and old images.

    Raises:
        UnreadableRecordError: If it is about one, and cannot be read.
    """
    try:
        change = record["dynamodb"]
        if change["Keys"]["sk"]["S"] != keys.HEAD:
            return None
        new, old = change.get("NewImage"), change.get("OldImage")
        if new and old and _is_moved_only(new, old):
            return None
        image = new or old
        tenant_id = str(find_json(image, "scope")["tenantId"])
        return Notice(
            key=FactKey(tenant_id=tenant_id, fact_id=read_text(image, "factId")),
            replaced=_replaced(new, old),
            gone=fact_from_item(old) if old and not new else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableRecordError("A record of the stream holds no readable fact.") from error


def _is_moved_only(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    """Tell whether nothing but the fact's valence was moved, of which an index holds nothing."""
    said, was = (
        {name: value for name, value in image.items() if name not in MOVED} for image in (new, old)
    )
    return said == was and new != old


def _replaced(new: Mapping[str, Any] | None, old: Mapping[str, Any] | None) -> Revision | None:
    """Return the revision that stood before, if another took its place; a delete only closes it."""
    if not new or not old or read_number(new, "version") == read_number(old, "version"):
        return None
    return revision_from_item(old)
