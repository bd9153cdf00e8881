"""The function as it is built from its environment, over dynoxide: a queue's messages become edges."""

import pytest
from palimpsest.adapters.sqs.lessons import QueueLessons
from palimpsest.bootstrap.grow_associations import build
from palimpsest.domain.associations import STOOD_IN_ONE_ATOM, Lesson

from tests.builders import build_scope
from tests.dynamodb import FAKE_ACCOUNT, dynoxide_tables
from tests.fakes.clock import NOON

ANA = build_scope(userId="ana")


@pytest.fixture
def tables(dynoxide):
    with dynoxide_tables(dynoxide) as tables:
        yield tables


@pytest.fixture
def grow(tables, dynoxide, monkeypatch):
    for name, value in FAKE_ACCOUNT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynoxide.endpoint)
    return build({"CONCEPTS_TABLE_NAME": tables.concepts})


class Outbox:
    """A queue's client that keeps what it is given."""

    def __init__(self):
        self.bodies = []

    def send_message_batch(self, *, QueueUrl, Entries):  # noqa: N803 - SQS's own names
        self.bodies += [entry["MessageBody"] for entry in Entries]
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}


def event(*bodies):
    records = [
        {"messageId": f"m{number}", "eventSource": "aws:sqs", "body": body}
        for number, body in enumerate(bodies)
    ]
    return {"Records": records}


def messages(*lessons):
    outbox = Outbox()
    QueueLessons(outbox, "queue", print).teach(lessons)
    return outbox.bodies


def lesson(event_id, *concepts):
    return Lesson(
        event_id=event_id, scope=ANA, concepts=concepts, amount=STOOD_IN_ONE_ATOM, at=NOON
    )


def edges(tables, concept):
    (found,) = tables.associations().neighbours(ANA, [concept], limit=9, now=NOON).values()
    return [(edge.source, edge.target, edge.count) for edge in found]


def test_a_message_that_comes_twice_changes_nothing_twice(grow, tables, caplog):
    (body,) = messages(lesson("e1", "honeycomb", "rain"), lesson("e2", "rain", "sun"))

    answers = [grow(event(body), None), grow(event(body, body), None)]

    assert answers == [{"batchItemFailures": []}] * 2
    assert edges(tables, "rain") == [("honeycomb", "rain", 1), ("rain", "sun", 1)]
    lines = [vars(record) for record in caplog.records]
    counted = [(line["message"], line["records"], line["lessons"]) for line in lines]
    assert counted == [("lessons_learnt", 1, 2), ("lessons_learnt", 2, 2)]
    assert "honeycomb" not in str(lines)


def test_a_message_that_cannot_be_read_comes_again_and_holds_up_no_other(grow, tables):
    (body,) = messages(lesson("e1", "tea", "rain"))

    answer = grow(event("[]]", body, "[{}]"), None)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "m0"}, {"itemIdentifier": "m2"}]}
    assert edges(tables, "tea") == [("rain", "tea", 1)]


def test_a_message_whose_lessons_cannot_be_learnt_comes_again(grow, tables):
    (body,) = messages(lesson("e1", "tea", "rain"))
    tables.client.delete_table(TableName=tables.concepts)

    answer = grow(event(body), None)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "m0"}]}
    # The fixture drops it again.
    tables.client.create_table(
        TableName=tables.concepts,
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
