"""The wire between an adapter and its store: counts what goes over it, and cuts it where a test asks.

It works through botocore's own events, so that the adapter, its client and its retries are the real ones.
"""

import json
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ReadTimeoutError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

READS = frozenset({"GetItem", "BatchGetItem", "Query"})
COUNTED = READS | {"PutItem", "UpdateItem", "TransactWriteItems"}

Fault = Callable[[AWSPreparedRequest], AWSResponse]


class _Raw(BytesIO):
    def stream(self, **_: object) -> Any:
        yield self.read()


@dataclass
class Wire:
    """Watches one client from now on.

    Attributes:
        calls: How many requests of each operation were sent, faults included.
        read_units: Read capacity that the answers told, over all calls.
        write_units: Write capacity likewise.
        items_read: How many items the answers held.
    """

    client: "DynamoDBClient"
    calls: Counter[str] = field(default_factory=Counter)
    read_units: float = 0
    write_units: float = 0
    items_read: int = 0
    _faults: dict[str, deque[Fault]] = field(default_factory=lambda: defaultdict(deque))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        events: Any = self.client.meta.events
        for operation in COUNTED:
            events.register(f"provide-client-params.dynamodb.{operation}", self._ask_for_capacity)
        events.register("before-send.dynamodb", self._send)
        events.register("after-call.dynamodb", self._count)

    def reset(self) -> None:
        """Forget what was counted."""
        self.calls.clear()
        self.read_units = self.write_units = 0
        self.items_read = 0

    def refuse(self, operation: str, code: str, *, times: int = 1, status: int = 400) -> None:
        """Let the store answer an error to the next requests of an operation, and do nothing."""
        body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "injected"}
        self._faults[operation].extend([_answer(status, body)] * times)

    def cancel(self, *reasons: str, times: int = 1) -> None:
        """Let the next transactions be cancelled for these reasons, in the order of their items."""
        body = {
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "message": "injected",
            "CancellationReasons": [{"Code": reason} for reason in reasons],
        }
        self._faults["TransactWriteItems"].extend([_answer(400, body)] * times)

    def answer(self, operation: str, body: Mapping[str, Any]) -> None:
        """Let the next request of an operation be answered with this, and the store be left alone."""
        self._faults[operation].append(_answer(200, body))

    def lose_answer(self, operation: str, *, times: int = 1) -> None:
        """Let the next requests of an operation be done, and their answers never arrive."""

        def lost(request: AWSPreparedRequest) -> AWSResponse:
            self.client._endpoint.http_session.send(request)  # type: ignore[attr-defined] # what botocore itself does next
            raise ReadTimeoutError(endpoint_url=request.url)

        self._faults[operation].extend([lost] * times)

    def lose_request(self, operation: str, *, times: int = 1) -> None:
        """Let the next requests of an operation never reach the store."""

        def lost(request: AWSPreparedRequest) -> AWSResponse:
            raise ReadTimeoutError(endpoint_url=request.url)

        self._faults[operation].extend([lost] * times)

    def _ask_for_capacity(self, params: dict[str, Any], **_: object) -> dict[str, Any]:
        return {**params, "ReturnConsumedCapacity": "TOTAL"}

    def _send(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        target: Any = request.headers["X-Amz-Target"]
        operation = target.decode().rpartition(".")[2]
        with self._lock:
            self.calls[operation] += 1
            fault = self._faults[operation].popleft() if self._faults[operation] else None
        return fault(request) if fault is not None else None

    def _count(self, parsed: dict[str, Any], model: Any, **_: object) -> None:
        if model.name not in COUNTED:
            return
        told = parsed.get("ConsumedCapacity", [])
        units = sum(c["CapacityUnits"] for c in (told if isinstance(told, list) else [told]))
        tables = parsed.get("Responses", {}).values()
        items = len(parsed.get("Items", [])) + ("Item" in parsed) + sum(map(len, tables))
        with self._lock:
            if model.name in READS:
                self.read_units += units
                self.items_read += items
            else:
                self.write_units += units


def _answer(status: int, body: Mapping[str, Any]) -> Fault:
    def answer(request: AWSPreparedRequest) -> AWSResponse:
        return AWSResponse(request.url, status, HTTPHeaders(), _Raw(json.dumps(body).encode()))

    return answer
