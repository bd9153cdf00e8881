"""Records of requests in DynamoDB: see ``palimpsest.ports.idempotency`` for what is promised."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.attributes import (
    Item,
    Value,
    find_instant,
    find_text,
    find_texts,
    instant,
    number,
    present,
    read_instant,
    read_number,
    read_text,
    text,
    text_set,
    ttl_after,
)
from palimpsest.adapters.dynamodb.errors import failed_conditions, store_errors
from palimpsest.domain.errors import WriteConflictError
from palimpsest.domain.idempotency import (
    HELD_FOR,
    KEPT_FOR,
    KeptAnswer,
    Minted,
    Record,
    Repeatable,
)
from palimpsest.domain.instants import from_epoch_milliseconds
from palimpsest.ports.idempotency import Claim

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A hold until then is over, whatever any clock says.
LONG_AGO = from_epoch_milliseconds(0)

# Parts of conditions, each with what it means.
_IS_NEW = "attribute_not_exists(pk)"
_IS_OVER = "madeAt <= :a_day_ago"  # swept late: DynamoDB's TTL may take two days
_IS_UNANSWERED = "attribute_not_exists(answeredAt)"
_IS_HELD_AS_SEEN = "heldUntil = :seen"  # nobody else has taken it over since
_IS_MINE = "operationId = :mine"


@dataclass(frozen=True, slots=True)
class DynamoDBIdempotencyRecords:
    """See ``IdempotencyRecords``. A claim, and keeping an answer, are one call each; taking over a dead hold is one more.

    Attributes:
        client: For writes, which it sends once or more: each is conditional on whose hold it is.
        state_table: Name.
    """

    client: "DynamoDBClient"
    state_table: str = field(kw_only=True)

    def claim(self, tenant_id: str, request: Repeatable, minted: Minted, *, now: datetime) -> Claim:
        """See ``IdempotencyRecords``."""
        record = Record(
            body_hash=request.body_hash, minted=minted, held_until=now + HELD_FOR, made_at=now
        )
        put: dict[str, Any] = {
            "TableName": self.state_table,
            "Item": _to_item(tenant_id, request.identity, record),
            "ConditionExpression": f"{_IS_NEW} OR {_IS_OVER}",
            "ExpressionAttributeValues": {":a_day_ago": instant(now - KEPT_FOR)},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        try:
            with store_errors():
                self.client.put_item(**put)
        except WriteConflictError as conflict:
            found = _found(conflict)
            if found.minted.operation_id == minted.operation_id:
                return Claim(
                    record=found, is_mine=True
                )  # our own, of an attempt whose answer was lost
            return self._take_over(tenant_id, request, found, now)
        return Claim(record=record, is_mine=True)

    def keep(self, tenant_id: str, request: Repeatable, minted: Minted, answer: KeptAnswer) -> None:
        """See ``IdempotencyRecords``."""
        values = present(
            {
                "answeredAt": instant(answer.at),
                "answerStatus": number(answer.status),
                "answerBody": None if answer.body is None else text(answer.body),
                "factIds": text_set(answer.fact_ids) if answer.fact_ids else None,
                "readableUntil": instant(answer.readable_until) if answer.readable_until else None,
            }
        )
        self._update_mine(tenant_id, request, minted, values)

    def let_go(
        self, tenant_id: str, request: Repeatable, minted: Minted, *, is_undone: bool
    ) -> None:
        """See ``IdempotencyRecords``."""
        if not is_undone:
            self._update_mine(tenant_id, request, minted, {"heldUntil": instant(LONG_AGO)})
            return
        delete: dict[str, Any] = {
            "TableName": self.state_table,
            "Key": _key(tenant_id, request.identity),
            "ConditionExpression": f"{_IS_MINE} AND {_IS_UNANSWERED}",
            "ExpressionAttributeValues": {":mine": text(minted.operation_id)},
        }
        with suppress(WriteConflictError), store_errors():
            self.client.delete_item(**delete)

    def _take_over(
        self, tenant_id: str, request: Repeatable, found: Record, now: datetime
    ) -> Claim:
        """Take a dead hold with the ids that were minted for it, unless somebody else is faster."""
        is_dead = found.answer is None and found.held_until <= now
        if not is_dead or found.body_hash != request.body_hash:
            return Claim(record=found, is_mine=False)
        taken = replace(
            found,
            held_until=now + HELD_FOR,
            minted=replace(found.minted, is_taken_over=True),
        )
        update: dict[str, Any] = {
            "TableName": self.state_table,
            "Key": _key(tenant_id, request.identity),
            "UpdateExpression": "SET heldUntil = :until, isTakenOver = :yes",
            "ConditionExpression": f"{_IS_HELD_AS_SEEN} AND {_IS_UNANSWERED}",
            "ExpressionAttributeValues": {
                ":until": instant(taken.held_until),
                ":yes": {"BOOL": True},
                ":seen": instant(found.held_until),
            },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        try:
            with store_errors():
                self.client.update_item(**update)
        except WriteConflictError as conflict:
            return Claim(record=_found(conflict), is_mine=False)
        return Claim(record=taken, is_mine=True)

    def _update_mine(
        self, tenant_id: str, request: Repeatable, minted: Minted, values: dict[str, Value]
    ) -> None:
        sets = ", ".join(f"{name} = :{name}" for name in values)
        update: dict[str, Any] = {
            "TableName": self.state_table,
            "Key": _key(tenant_id, request.identity),
            "UpdateExpression": f"SET {sets}",
            "ConditionExpression": f"{_IS_MINE} AND {_IS_UNANSWERED}",
            "ExpressionAttributeValues": {
                ":mine": text(minted.operation_id),
                **{f":{name}": value for name, value in values.items()},
            },
        }
        with suppress(WriteConflictError), store_errors():
            self.client.update_item(**update)


def _found(conflict: WriteConflictError) -> Record:
    """Return the record that was in the way.

    Raises:
        WriteConflictError: If it was gone again by the time that the store looked: the claim can be tried again.
    """
    item = failed_conditions(conflict).get(0)
    if not item:
        raise conflict
    return _from_item(item)


def _key(tenant_id: str, identity: str) -> Item:
    return {"pk": text(keys.requests_key(tenant_id, identity)), "sk": text(identity)}


def _to_item(tenant_id: str, identity: str, record: Record) -> Item:
    return {
        **_key(tenant_id, identity),
        "bodyHash": text(record.body_hash),
        "newId": text(record.minted.new_id),
        "operationId": text(record.minted.operation_id),
        "heldUntil": instant(record.held_until),
        "madeAt": instant(record.made_at),
        "ttl": ttl_after(record.made_at + KEPT_FOR, grace_days=0),
    }


def _from_item(item: Item) -> Record:
    return Record(
        body_hash=read_text(item, "bodyHash"),
        minted=Minted(
            new_id=read_text(item, "newId"),
            operation_id=read_text(item, "operationId"),
            is_taken_over="isTakenOver" in item,
        ),
        held_until=read_instant(item, "heldUntil"),
        made_at=read_instant(item, "madeAt"),
        answer=_answer(item) if "answeredAt" in item else None,
    )


def _answer(item: Item) -> KeptAnswer:
    return KeptAnswer(
        status=read_number(item, "answerStatus"),
        body=find_text(item, "answerBody"),
        fact_ids=tuple(sorted(find_texts(item, "factIds"))),
        readable_until=find_instant(item, "readableUntil"),
        at=read_instant(item, "answeredAt"),
    )
