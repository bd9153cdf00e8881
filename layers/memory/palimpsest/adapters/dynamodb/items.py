"""Facts and open erasures as DynamoDB items, and back. Pure: no client here.

HEAD holds the newest revision with what is the fact's own (first write, names, end); an ``R#`` item holds an earlier one as
it was, closed. Attributes have the names that the fields have on the wire.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import (
    Item,
    Value,
    decimal,
    find_decimal,
    find_instant,
    find_json,
    find_text,
    find_texts,
    instant,
    item_bytes,
    json_value,
    number,
    present,
    read_instant,
    read_number,
    read_text,
    text,
    text_set,
    ttl_after,
)
from palimpsest.adapters.dynamodb.parts import (
    author_from,
    author_to,
    closing_from,
    closing_to_attributes,
    people_from,
    people_to,
    retention_from,
    retention_to,
    run_step_from,
    run_step_to,
    source_from,
    source_to,
)
from palimpsest.domain.atoms import decimal_of
from palimpsest.domain.erasures import OpenErasure, OpenErasures
from palimpsest.domain.errors import TooLargeError
from palimpsest.domain.facts import Fact, Review, Revision, Trust
from palimpsest.domain.scopes import scope_from_wire

# spec/facts.md §7. DynamoDB itself takes items of 400 KB.
MAX_ITEM_BYTES = 256 * 1024
# Kept free on every write, so that a delete always fits: a signature of at most 520 bytes, three ids, a reason and a time.
CLOSING_BYTES = 4 * 1024
# DynamoDB sweeps an item this long after nobody can read it any more, for clocks that disagree.
GRACE_DAYS = 1

_OPTIONAL_TEXTS = {
    "supersedes": "supersedes",
    "contentRef": "content_ref",
    "verifiedBy": "verified_by",
    "embeddingModel": "embedding_model",
}
_OPTIONAL_INSTANTS = {
    "validFrom": "valid_from",
    "validUntil": "valid_until",
    "observedAt": "observed_at",
    "verifiedAt": "verified_at",
    "expiresAt": "expires_at",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a fact lies."""

    tenant_id: str
    fact_id: str

    @property
    def head(self) -> Item:
        """The key of HEAD."""
        return self._key(keys.HEAD)

    def revision(self, version: int) -> Item:
        """Return the key of an earlier revision."""
        return self._key(keys.revision_sort_key(version))

    def _key(self, sort_key: str) -> Item:
        return {"pk": text(keys.fact_key(self.tenant_id, self.fact_id)), "sk": text(sort_key)}


def place_of(revision: Revision) -> Place:
    """Return where the fact of a revision lies."""
    return Place(tenant_id=revision.scope.tenant_id, fact_id=revision.fact_id)


def fact_to_item(fact: Fact, shards: keys.ShardCounts) -> dict[str, Value]:
    """Return the HEAD item of a fact.

    Args:
        fact: As it stands now.
        shards: For its index keys.
    """
    revision = fact.revision
    state = keys.State.CLOSED if fact.is_closed else keys.State.CURRENT
    partitions = keys.index_keys(revision.scope, fact.id, state=state, shards=shards)
    is_swept = fact.outlived_at is not None and not revision.is_held
    own = {
        "firstWrittenAt": instant(fact.first_written_at),
        "named": text_set(fact.named) if fact.named else None,
        "outlivedAt": instant(fact.outlived_at) if fact.outlived_at else None,
        "ttl": ttl_after(fact.outlived_at, grace_days=GRACE_DAYS)
        if is_swept and fact.outlived_at
        else None,
        "valence": valence_to(fact.valence),
    }
    indexed = {attribute: text(key) for attribute, key in partitions.items()}
    return {**place_of(revision).head, **_attributes(revision), **indexed, **present(own)}


def fact_from_item(item: Item) -> Fact:
    """Return the fact of a HEAD item."""
    valence = find_decimal(item, "valence")
    return Fact(
        revision=revision_from_item(item),
        first_written_at=read_instant(item, "firstWrittenAt"),
        named=find_texts(item, "named"),
        outlived_at=find_instant(item, "outlivedAt"),
        valence=None if valence is None else float(valence),
    )


def valence_to(valence: float | None) -> Value | None:
    """Return a fact's valence as its HEAD holds it; None where nobody has said."""
    return None if valence is None else decimal(decimal_of(valence))


def revision_to_item(revision: Revision, *, is_fact_held: bool) -> dict[str, Value]:
    """Return the ``R#`` item of an earlier revision.

    Args:
        revision: Closed.
        is_fact_held: Whether a legal hold stands on the revision after it: then its history is kept too.
    """
    key = place_of(revision).revision(revision.version)
    is_swept = revision.expires_at is not None and not revision.is_held and not is_fact_held
    swept = (
        {"ttl": ttl_after(revision.expires_at, grace_days=GRACE_DAYS)}
        if is_swept and revision.expires_at
        else {}
    )
    return {**key, **_attributes(revision), **swept}


def revision_from_item(item: Item) -> Revision:
    """Return the revision that a HEAD or an ``R#`` item holds."""
    review = find_text(item, "review")
    causes = find_json(item, "causedByLogIds")
    texts: dict[str, Any] = {a: find_text(item, name) for name, a in _OPTIONAL_TEXTS.items()}
    instants: dict[str, Any] = {
        a: find_instant(item, name) for name, a in _OPTIONAL_INSTANTS.items()
    }
    return Revision(
        fact_id=read_text(item, "factId"),
        revision_id=read_text(item, "revisionId"),
        version=read_number(item, "version"),
        operation_id=read_text(item, "operationId"),
        type=read_text(item, "type"),
        scope=scope_from_wire(find_json(item, "scope")),
        content=read_text(item, "content"),
        content_hash=read_text(item, "contentHash"),
        size=read_number(item, "size"),
        created_at=read_instant(item, "createdAt"),
        attributed_to=author_from(find_json(item, "attributedTo")),
        trust=Trust(read_text(item, "trust")),
        generated_by=run_step_from(find_json(item, "generatedBy")),
        subjects=people_from(find_json(item, "subjects")),
        retention=retention_from(find_json(item, "retention")),
        source=source_from(find_json(item, "source")),
        caused_by_log_ids=None if causes is None else tuple(causes),
        replaces=tuple(find_json(item, "replaces") or ()),
        review=None if review is None else Review(review),
        closing=closing_from(item),
        **texts,
        **instants,
    )


def pointer_to_item(tenant_id: str, pseudonym: str, fact_id: str) -> dict[str, Value]:
    """Return the item by which erasure and access requests find a fact from a person or a conversation."""
    return {
        "pk": text(keys.pointer_key(tenant_id, pseudonym)),
        "sk": text(keys.pointer_sort_key(fact_id)),
    }


def check_size(item: Item) -> None:
    """Refuse an item that leaves no room for its closing.

    Raises:
        TooLargeError: If it does.
    """
    if item_bytes(item) + CLOSING_BYTES > MAX_ITEM_BYTES:
        raise TooLargeError(MAX_ITEM_BYTES)


def open_erasures_key(tenant_id: str) -> Item:
    """Return the key of a tenant's open-erasures item."""
    return {"pk": text(keys.erasures_key(tenant_id)), "sk": text(keys.OPEN_ERASURES)}


def open_erasures_to_item(tenant_id: str, erasures: OpenErasures) -> dict[str, Value]:
    """Return the item of a tenant's open erasures.

    ``entries`` is a map by erasure id, so that one is begun or ended by one conditional update and ``size(entries)`` bounds
    how many are open.
    """
    entries = {erasure.erasure_id: {"M": _erasure_to_map(erasure)} for erasure in erasures}
    return {**open_erasures_key(tenant_id), "entries": {"M": entries}}


def open_erasures_from_item(item: Item | None) -> OpenErasures:
    """Return a tenant's open erasures, by id; none when there is no item."""
    entries = item["entries"]["M"] if item else {}
    return tuple(
        OpenErasure(
            erasure_id=erasure_id,
            fact_id=find_text(entry["M"], "factId"),
            pseudonyms=find_texts(entry["M"], "pseudonyms"),
        )
        for erasure_id, entry in sorted(entries.items())
    )


def _erasure_to_map(erasure: OpenErasure) -> Mapping[str, Value]:
    return present(
        {
            "factId": text(erasure.fact_id) if erasure.fact_id is not None else None,
            "pseudonyms": text_set(erasure.pseudonyms) if erasure.pseudonyms else None,
        }
    )


def _attributes(revision: Revision) -> dict[str, Value]:
    always = {
        "factId": text(revision.fact_id),
        "revisionId": text(revision.revision_id),
        "version": number(revision.version),
        "operationId": text(revision.operation_id),
        "type": text(revision.type),
        "scope": json_value(dict(revision.scope.items())),
        "content": text(revision.content),
        "contentHash": text(revision.content_hash),
        "size": number(revision.size),
        "createdAt": instant(revision.created_at),
        "attributedTo": json_value(author_to(revision.attributed_to)),
        "trust": text(revision.trust),
    }
    return {
        **always,
        **present(_optional_attributes(revision)),
        **(closing_to_attributes(revision.closing) if revision.closing else {}),
    }


def _optional_attributes(revision: Revision) -> Mapping[str, Value | None]:
    nested = {
        "generatedBy": run_step_to(revision.generated_by),
        "subjects": people_to(revision.subjects),
        "retention": retention_to(revision.retention),
        "source": source_to(revision.source),
        "causedByLogIds": revision.caused_by_log_ids,
        "replaces": revision.replaces or None,
    }
    texts = {name: getattr(revision, attribute) for name, attribute in _OPTIONAL_TEXTS.items()}
    instants = {name: getattr(revision, a) for name, a in _OPTIONAL_INSTANTS.items()}
    return {
        **{name: None if value is None else json_value(value) for name, value in nested.items()},
        **{name: None if value is None else text(value) for name, value in texts.items()},
        **{name: None if value is None else instant(value) for name, value in instants.items()},
        "review": None if revision.review is None else text(revision.review),
    }
