"""What is sent to DynamoDB to write a fact. Pure: the same facts make the same requests, to the letter."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import (
    Item,
    find_text,
    number,
    present,
    read_number,
    read_text,
    text,
)
from palimpsest.adapters.dynamodb.items import (
    Place,
    check_size,
    fact_to_item,
    place_of,
    pointer_to_item,
    revision_to_item,
    valence_to,
)
from palimpsest.adapters.dynamodb.parts import closing_to_attributes
from palimpsest.domain.facts import Closing, Fact, Revision

Request = Mapping[str, Any]

# The attribute of HEAD that names the request which moved its valence last.
_MOVED_BY = "movedByOperation"
# All that a move of a valence changes in HEAD.
MOVED = frozenset({"valence", _MOVED_BY})

# DynamoDB's own bound on a client request token.
_TOKEN_CHARACTERS = 36

# Nothing lies there yet. An item that expired and was not swept yet counts as there: its id is never given out again.
_IS_NEW = "attribute_not_exists(pk)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a write leaves behind, by which it is known after its answer was lost.

    Attributes:
        place: Of the fact.
        version: Of the revision that the write made, closed or moved.
        operation_id: Of the request.
        mark: The attribute of HEAD that names the request, where it made no revision.
    """

    place: Place
    version: int
    operation_id: str
    mark: str | None = None

    @property
    def keys(self) -> list[Item]:
        """Where to look: HEAD, and a revision that was made where it lies once another has come on top."""
        made = [self.place.revision(self.version)] if self.mark is None else []
        return [self.place.head, *made]

    def is_shown_by(self, item: Item) -> bool | None:
        """Tell whether an item proves that the write landed (True) or that it did not (False); None if it tells neither."""
        version = read_number(item, "version")
        if self.mark is not None:
            return find_text(item, self.mark) == self.operation_id
        if version == self.version:
            return read_text(item, "operationId") == self.operation_id
        return False if version < self.version else None


def trace_of(revision: Revision) -> Trace:
    """Return what the making of a revision leaves behind."""
    return Trace(
        place=place_of(revision), version=revision.version, operation_id=revision.operation_id
    )


def trace_of_closing(revision: Revision) -> Trace:
    """Return what a delete leaves behind that closed a revision."""
    return Trace(
        place=place_of(revision),
        version=revision.version,
        operation_id=closing_of(revision).operation_id,
        mark="closedByOperation",
    )


def trace_of_moving(fact: Fact, operation_id: str) -> Trace:
    """Return what a move of a fact's valence leaves behind."""
    return Trace(
        place=place_of(fact.revision),
        version=fact.version,
        operation_id=operation_id,
        mark=_MOVED_BY,
    )


def first_puts(fact: Fact, *, table: str, shards: keys.ShardCounts) -> list[Request]:
    """Return the puts of a new fact: HEAD first, then a pointer for everybody whom it names.

    Raises:
        TooLargeError: If it is over the budget.
    """
    head = fact_to_item(fact, shards)
    check_size(head)
    return [
        {**_put(table, head), "ConditionExpression": _IS_NEW, **OLD_ITEM},
        *_pointer_puts(table, fact, fact.named),
    ]


def next_puts(
    before: Fact, closed: Revision, after: Fact, *, table: str, shards: keys.ShardCounts
) -> list[Request]:
    """Return the puts of a fact's next revision: HEAD first, the closed revision, a pointer for each newly named person.

    Raises:
        TooLargeError: If either item is over the budget.
    """
    head = fact_to_item(after, shards)
    check_size(head)
    earlier = revision_to_item(closed, is_fact_held=after.revision.is_held)
    return [
        {**_put(table, head), **_still_stands(before), **OLD_ITEM},
        {**_put(table, earlier), "ConditionExpression": _IS_NEW, **OLD_ITEM},
        *_pointer_puts(table, after, after.named - before.named),
    ]


def closing_of(revision: Revision) -> Closing:
    """Return how a closed revision ended."""
    if revision.closing is None:
        raise ValueError("a revision that is to be stored as closed is open")
    return revision.closing


def closing_update(before: Fact, after: Fact, *, table: str, shards: keys.ShardCounts) -> Request:
    """Return the update that closes HEAD and moves it to the closed partitions of its indexes."""
    moved = keys.index_keys(after.revision.scope, after.id, state=keys.State.CLOSED, shards=shards)
    changed = {
        **closing_to_attributes(closing_of(after.revision)),
        **{attribute: text(key) for attribute, key in moved.items()},
    }
    names = {f"#set{i}": name for i, name in enumerate(changed)}
    values = {f":set{i}": value for i, value in enumerate(changed.values())}
    sets = ", ".join(f"#set{i} = :set{i}" for i in range(len(changed)))
    # What is deleted is replaced no more.
    removes = " REMOVE supersededBy" if before.is_replaced else ""
    stands = _still_stands(before)
    return {
        "TableName": table,
        "Key": place_of(after.revision).head,
        "UpdateExpression": f"SET {sets}{removes}",
        "ConditionExpression": stands["ConditionExpression"],
        "ExpressionAttributeNames": {**stands["ExpressionAttributeNames"], **names},
        "ExpressionAttributeValues": {**stands["ExpressionAttributeValues"], **values},
        **OLD_ITEM,
    }


def valence_update(fact: Fact, valence: float, operation_id: str, *, table: str) -> Request:
    """Return the update that gives HEAD another valence, once for each operation as long as no other has moved it since."""
    stands = _still_stands(fact)
    is_new = f"(attribute_not_exists({_MOVED_BY}) OR {_MOVED_BY} <> :operation)"
    return {
        "TableName": table,
        "Key": place_of(fact.revision).head,
        "UpdateExpression": f"SET #valence = :new, {_MOVED_BY} = :operation",
        "ConditionExpression": f"{stands['ConditionExpression']} AND {is_new}",
        "ExpressionAttributeNames": stands["ExpressionAttributeNames"],
        "ExpressionAttributeValues": {
            **stands["ExpressionAttributeValues"],
            ":new": valence_to(valence),
            ":operation": text(operation_id),
        },
        **OLD_ITEM,
    }


def request_token(operation_id: str, puts: Sequence[Request]) -> str:
    """Return the token under which DynamoDB does a transaction once in ten minutes.

    It changes with what is sent: an attempt that was made again over a newer HEAD is another transaction, and the same token
    with other parameters would be refused.
    """
    sent = json.dumps([operation_id, *puts], sort_keys=True)
    return hashlib.sha256(sent.encode()).hexdigest()[:_TOKEN_CHARACTERS]


# So that a condition that fails shows what stood in the way: perhaps our own write, whose answer was lost.
OLD_ITEM: Request = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


def _still_stands(before: Fact) -> Request:
    """Return the condition that HEAD is as it was read."""
    is_at_version = "#version = :version"  # nobody has replaced it since, and it is there
    # Nobody has closed it since, which keeps the version: not at all, or not after it was replaced.
    ended = before.revision.closing
    is_as_ended = (
        "attribute_not_exists(invalidatedAt)" if ended is None else "closedByOperation = :ended"
    )
    # Nobody has moved it since: what is counted of it, is what was read.
    is_as_valued = (
        "attribute_not_exists(#valence)" if before.valence is None else "#valence = :valence"
    )
    return {
        "ConditionExpression": f"{is_at_version} AND {is_as_ended} AND {is_as_valued}",
        "ExpressionAttributeNames": {"#version": "version", "#valence": "valence"},
        "ExpressionAttributeValues": present(
            {
                ":version": number(before.version),
                ":ended": text(ended.operation_id) if ended else None,
                ":valence": valence_to(before.valence),
            }
        ),
    }


def _put(table: str, item: Item) -> Request:
    return {"TableName": table, "Item": item}


def _pointer_puts(table: str, fact: Fact, named: Iterable[str]) -> list[Request]:
    """Return unconditional puts: a pointer holds nothing but its key, so that writing it twice is writing it once."""
    tenant_id = fact.revision.scope.tenant_id
    return [
        _put(table, pointer_to_item(tenant_id, pseudonym, fact.id)) for pseudonym in sorted(named)
    ]
