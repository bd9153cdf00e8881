import json
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from local.dynoxide import FAKE_CREDENTIAL, dynamodb_client
from local.mapping import EventMapping
from local.pump import Pump, streams_client
from tests.polling import wait_until

HEAD_ONLY = {"dynamodb": {"Keys": {"sk": {"S": ["HEAD"]}}}}


@dataclass
class Function:
    """A function that keeps what it gets, and fails as it is told.

    Attributes:
        events: Every event, through JSON and back as on its way to Lambda.
        poison: Keys that it never bears.
        crashes: How many of the next calls raise.
    """

    events: list[Any] = field(default_factory=list)
    poison: frozenset[str] = frozenset()
    crashes: int = 0

    def __call__(self, event) -> Any:
        self.events.append(json.loads(json.dumps(event)))
        if self.crashes:
            self.crashes -= 1
            raise ValueError
        failed = [
            {"itemIdentifier": record["dynamodb"]["SequenceNumber"]}
            for record in event["Records"]
            if record["dynamodb"]["Keys"]["pk"]["S"] in self.poison
        ]
        return {"batchItemFailures": failed}

    @property
    def keys(self) -> list[str]:
        return [r["dynamodb"]["Keys"]["pk"]["S"] for e in self.events for r in e["Records"]]


@pytest.fixture
def function() -> Function:
    return Function()


@pytest.fixture
def client(dynoxide):
    return dynamodb_client(dynoxide.endpoint)


@pytest.fixture
def table(client):
    name = f"t{uuid.uuid4().hex}"
    client.create_table(
        TableName=name,
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    yield name
    client.delete_table(TableName=name)


@pytest.fixture
def pump(dynoxide, client, table, function, tmp_path) -> Pump:
    mapping = EventMapping(
        function="IndexFunction",
        table=table,
        batch_size=10,
        retries=1,
        is_bisected=True,
        reports_failures=True,
        patterns=(HEAD_ONLY,),
    )
    streams = streams_client(dynoxide.endpoint, FAKE_CREDENTIAL)
    return Pump(mapping, client, streams, function, tmp_path)


@pytest.fixture
def put(client, table):
    def put(key: str, sort_key: str = "HEAD", **values: Any) -> None:
        item = {"pk": {"S": key}, "sk": {"S": sort_key}, **values}
        client.put_item(TableName=table, Item=item)

    return put


def test_a_write_reaches_the_function_as_lambda_would_get_it(pump, put, function):
    put("a", vector={"B": b"\x00\x01"})

    pump.turn()

    ((record,),) = (event["Records"] for event in function.events)
    assert record["eventName"] == "INSERT"
    assert record["eventSource"] == "aws:dynamodb"
    assert record["eventSourceARN"].startswith("arn:aws:dynamodb:")
    assert record["dynamodb"]["NewImage"]["vector"] == {"B": "AAE="}
    assert isinstance(record["dynamodb"]["ApproximateCreationDateTime"], float)


def test_what_the_filter_does_not_want_is_passed_over_for_good(pump, put, function):
    put("a", "R#0000000001")

    assert pump.turn()
    assert not pump.turn()
    assert function.events == []


def test_another_pump_goes_on_where_the_first_one_stopped(pump, put, function):
    put("a")
    pump.turn()

    put("b")
    replace(pump).turn()

    assert function.keys == ["a", "b"]


def test_a_stream_that_starts_is_read_from_its_beginning(pump, put, function):
    for key in "abc":
        put(key)

    pump.turn()

    assert function.keys == ["a", "b", "c"]


def test_a_crash_is_tried_again(pump, put, function):
    put("a")
    function.crashes = 1

    pump.turn()

    assert function.keys == ["a", "a"]
    assert not pump.turn()


def test_a_poison_record_lands_in_the_folder_and_holds_nothing_up(pump, put, function, tmp_path):
    function.poison = frozenset("b")
    for key in "abc":
        put(key)

    pump.turn()

    (kept,) = read_failures(tmp_path)
    assert [r["dynamodb"]["Keys"]["pk"]["S"] for r in kept["payload"]["Records"]] == ["b"]
    assert kept["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert function.keys[-1] == "c"
    assert not pump.turn()


def test_a_pump_wakes_its_function_before_there_is_anything_to_do(pump, function):
    function.crashes = 1
    with pump.running():
        wait_until(lambda: function.events == [{"Records": []}], "the function is woken")


def test_a_running_pump_delivers_within_a_second(pump, put, function):
    with pump.running():
        put("a")
        wait_until(lambda: function.keys == ["a"], "the record is delivered", seconds=1)


def test_a_turn_is_one_batch_so_that_a_stop_is_noticed_before_the_next(pump, put, function):
    keys = [f"{number:02}" for number in range(25)]
    for key in keys:
        put(key)

    pump.turn()
    after_one = function.keys
    while pump.turn():
        pass

    assert after_one == keys[:10]
    assert function.keys == keys


def read_failures(folder: Path) -> list[Any]:
    return [json.loads(path.read_text()) for path in (folder / "failed").iterdir()]
