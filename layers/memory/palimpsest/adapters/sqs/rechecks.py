"""Rechecks as messages of a queue that holds each back for longer than the index's delay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from palimpsest.adapters.sqs.messages import body_of, reading
from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.domain.json_text import write_json
from palimpsest.domain.projection import FactKey, Notice

# 100 keys are about 10 KB; a message holds 256 KB.
MAX_KEYS = 100


@dataclass(frozen=True, slots=True)
class QueueRechecks:
    """See ``palimpsest.ports.rechecks.Rechecks``. The delay is the queue's own (``DelaySeconds``).

    Attributes:
        client: For SQS; untyped, since boto3's stubs for it are installed for nothing else.
        queue_url: Of the queue.
    """

    client: Any
    queue_url: str

    def schedule(self, keys: Sequence[FactKey]) -> None:
        """See ``Rechecks.schedule``. One message for each 100 facts."""
        for start in range(0, len(keys), MAX_KEYS):
            body = write_json(
                [[key.tenant_id, key.fact_id] for key in keys[start : start + MAX_KEYS]]
            )
            try:
                self.client.send_message(QueueUrl=self.queue_url, MessageBody=body)
            except (ClientError, BotoCoreError) as error:
                raise StoreUnavailableError("The queue does not take a message now.") from error


def notices_from(record: Mapping[str, Any]) -> list[Notice]:
    """Return what a message asks to be projected again.

    Args:
        record: As Lambda gets it from the queue.

    Raises:
        UnreadableMessageError: If it is no message of ``QueueRechecks``.
    """
    with reading():
        pairs = body_of(record)
        keys = [FactKey(tenant_id=tenant_id, fact_id=fact_id) for tenant_id, fact_id in pairs]
        return [Notice(key=key) for key in keys]
