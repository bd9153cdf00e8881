"""What every function that is fed from a queue knows of its records."""

from collections.abc import Mapping
from typing import Any

# The `eventSource` of a record that Lambda took from a queue.
QUEUE = "aws:sqs"


def message_id(record: Mapping[str, Any]) -> str:
    """Return the name by which Lambda knows a message in ``batchItemFailures``."""
    return str(record["messageId"])
