"""The stream pump: what stands on the laptop where AWS has an event source mapping.

It reads a table's stream from where it stopped, and delivers it to a function (`local.delivery`). Its checkpoint is on disk, so
that it goes on there after a `kill -9`; what was delivered and not yet written down then comes again, as in AWS.
"""

import base64
import json
import logging
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.data_folder import write_json
from local.delivery import Delivery, Invoke, number_of
from local.dynoxide import REGION
from local.mapping import EventMapping, Record

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

POLL_SECONDS = 0.1
# Lambda's own pauses are not documented; these are short enough to see something happen on a laptop.
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 10.0
# GetRecords gives at most 1,000. No more than a batch is read at once: who stops the pump waits for one, not for ten.
READ_AT_ONCE = 1000
TRIMMED = "TrimmedDataAccessException"
STOP_PATIENCE_SECONDS = 30

# boto3's client has no types of its own, and one call of each of its operations is no reason for another package of stubs.
StreamsClient = Any

logger = logging.getLogger(__name__)


def streams_client(endpoint: str, credential: str) -> StreamsClient:
    """Return a client for the streams of an engine.

    Its answers are not validated: dynoxide's shard ids are shorter than botocore's minimum.
    """
    return boto3.client(
        "dynamodbstreams",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id=credential,
        aws_secret_access_key=credential,
        config=Config(parameter_validation=False),
    )


@dataclass(frozen=True)
class Checkpoints:
    """How far each shard is done, in one JSON file.

    Args:
        path: Of the file; need not be there.
    """

    path: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, shard: str) -> int | None:
        """Return the number up to which a shard is done, or None."""
        number = self._read().get(shard)
        return None if number is None else int(number)

    def write(self, shard: str, number: int) -> None:
        """Write down that a shard is done up to a number."""
        with self._lock:
            write_json(self.path, {**self._read(), shard: str(number)})

    def _read(self) -> dict[str, str]:
        try:
            read = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return {str(shard): str(number) for shard, number in read.items()}


@dataclass(frozen=True)
class FailureFolder:
    """The failure destination: one JSON file for each batch that was given up, with its records.

    Args:
        path: Of the folder; made when it is first needed.
        stream: ARN of the stream.
        shard: Id of the shard.
    """

    path: Path
    stream: str
    shard: str

    def keep(self, records: Sequence[Record], *, condition: str, attempts: int) -> None:
        """See `Failures.keep`; the document has the shape of what Lambda puts into S3."""
        self.path.mkdir(mode=0o700, exist_ok=True)
        first, last = (records[i]["dynamodb"] for i in (0, -1))
        now = datetime.now(UTC)
        document = {
            "version": "1.0",
            "timestamp": now.isoformat(timespec="milliseconds"),
            "requestContext": {"condition": condition, "approximateInvokeCount": attempts},
            "DDBStreamBatchInfo": {
                "streamArn": self.stream,
                "shardId": self.shard,
                "startSequenceNumber": first["SequenceNumber"],
                "endSequenceNumber": last["SequenceNumber"],
                "batchSize": len(records),
            },
            "payload": {"Records": list(records)},
        }
        write_json(self.path / f"{now:%Y%m%dT%H%M%S}-{uuid.uuid4()}.json", document)
        logger.warning("Records were given up", extra={"condition": condition, "folder": self.path})


@dataclass(frozen=True)
class Pump:
    """Feeds one function from one table's stream, shard after shard.

    Args:
        mapping: The rules.
        tables: Says which stream the table has.
        streams: Reads it.
        invoke: Calls the function.
        folder: Holds `pump.json` and `failed/`.
    """

    mapping: EventMapping
    tables: "DynamoDBClient"
    streams: StreamsClient
    invoke: Invoke
    folder: Path
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Pump in a thread while the block runs; the batch under way is ended first."""
        thread = threading.Thread(target=self.run, name=f"pump-{self.mapping.function}")
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join(STOP_PATIENCE_SECONDS)

    def run(self) -> None:
        """Pump until it is stopped. An engine that does not answer is asked again."""
        self._wake()
        while not self._stop.is_set():
            try:
                if not self.turn():
                    self._stop.wait(POLL_SECONDS)
            except (BotoCoreError, ClientError) as error:
                logger.warning("The stream does not answer: %s", type(error).__name__)
                self._stop.wait(LONGEST_PAUSE_SECONDS)

    def _wake(self) -> None:
        """Let the function load its model now, so that the first fact need not wait for it."""
        try:
            self.invoke({"Records": []})
        # What is wrong with the function shows again, and is dealt with, at the first record.
        except Exception:
            logger.exception("A function did not wake", extra={"function": self.mapping.function})

    def turn(self) -> bool:
        """Deliver what stands in the stream now; return whether that was anything."""
        table = self.tables.describe_table(TableName=self.mapping.table)["Table"]
        stream = table.get("LatestStreamArn")
        if stream is None:
            return False
        described = self.streams.describe_stream(StreamArn=stream)["StreamDescription"]
        shards = [shard["ShardId"] for shard in described.get("Shards", [])]
        return any([self._pump(stream, shard) for shard in shards])  # noqa: C419 - every shard, not the first

    def _pump(self, stream: str, shard: str) -> bool:
        checkpoints = Checkpoints(self.folder / "pump.json")
        name = f"{stream}/{shard}/{self.mapping.function}"
        records = self._read(stream, shard, checkpoints.find(name))
        if not records:
            return False
        wanted = [record for record in records if self.mapping.passes(record)]
        delivery = Delivery(
            mapping=self.mapping,
            invoke=self.invoke,
            failures=FailureFolder(self.folder / "failed", stream, shard),
            checkpoint=lambda number: checkpoints.write(name, number),
            pause=self._pause,
            now=time.time,
        )
        if delivery.deliver(wanted):
            # Behind the last record that was filtered out, too.
            checkpoints.write(name, number_of(records[-1]))
        return True

    def _pause(self, failed: int) -> bool:
        seconds = min(FIRST_PAUSE_SECONDS * 2 ** (failed - 1), LONGEST_PAUSE_SECONDS)
        return not self._stop.wait(seconds)

    def _read(self, stream: str, shard: str, after: int | None) -> list[Record]:
        position: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if after is not None:
            position = {
                "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                "SequenceNumber": str(after),
            }
        try:
            iterator = self._iterator(stream, shard, position)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") != TRIMMED:
                raise
            iterator = self._iterator(stream, shard, {"ShardIteratorType": "TRIM_HORIZON"})
        limit = min(self.mapping.batch_size, READ_AT_ONCE)
        read = self.streams.get_records(ShardIterator=iterator, Limit=limit)
        return [_as_lambda_gets_it(record, stream) for record in read["Records"]]

    def _iterator(self, stream: str, shard: str, position: Mapping[str, Any]) -> str:
        answer = self.streams.get_shard_iterator(StreamArn=stream, ShardId=shard, **position)
        return str(answer["ShardIterator"])


def _as_lambda_gets_it(record: Mapping[str, Any], stream: str) -> Record:
    """Return a record as it stands in Lambda's event: JSON, with times as numbers and bytes as base64."""
    change = _without_bytes(record["dynamodb"])
    moment = change["ApproximateCreationDateTime"]
    change["ApproximateCreationDateTime"] = moment.timestamp()
    return {**record, "dynamodb": change, "eventSourceARN": stream}


def _without_bytes(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {key: _without_bytes(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_bytes(inner) for inner in value]
    return value
