import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from moto import mock_aws
from palimpsest.adapters.sqs.messages import UnreadableMessageError
from palimpsest.adapters.sqs.rechecks import QueueRechecks, notices_from
from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.domain.projection import FactKey, Notice
from palimpsest.ports.rechecks import Rechecks

from local.dynoxide import FAKE_CREDENTIAL, REGION
from tests.builders import OTHER_TENANT, TENANT
from tests.fakes.rechecks import FakeRechecks

FIRST = FactKey(tenant_id=TENANT, fact_id="01890a5d-ac96-774b-bcce-000000000001")
OTHER = FactKey(tenant_id=OTHER_TENANT, fact_id="01890a5d-ac96-774b-bcce-000000000002")


@dataclass
class Queue:
    """Rechecks, and what waits in them."""

    rechecks: Rechecks
    take: Callable[[], list[FactKey]]


@pytest.fixture(params=["fake", "moto"])
def queue(request) -> Iterator[Queue]:
    if request.param == "fake":
        fake = FakeRechecks()
        yield Queue(fake, fake.take)
        return
    os.environ["AWS_DEFAULT_REGION"] = REGION
    os.environ["AWS_ACCESS_KEY_ID"] = os.environ["AWS_SECRET_ACCESS_KEY"] = FAKE_CREDENTIAL
    with mock_aws():
        client: Any = boto3.client("sqs")
        url = client.create_queue(QueueName="rechecks")["QueueUrl"]

        def take() -> list[FactKey]:
            answer = client.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
            records = [{"body": message["Body"]} for message in answer.get("Messages", [])]
            return [notice.key for record in records for notice in notices_from(record)]

        yield Queue(QueueRechecks(client, url), take)


def test_what_is_scheduled_waits_to_be_taken(queue):
    queue.rechecks.schedule([FIRST, OTHER])

    assert queue.take() == [FIRST, OTHER]


def test_nothing_is_nothing(queue):
    queue.rechecks.schedule([])

    assert queue.take() == []


def test_many_are_all_remembered(queue):
    keys = [FactKey(tenant_id=TENANT, fact_id=str(number)) for number in range(250)]

    queue.rechecks.schedule(keys)

    assert set(queue.take()) == set(keys)


@pytest.mark.parametrize("queue", ["moto"], indirect=True)
def test_a_queue_that_is_not_there_cannot_remember(queue):
    lost = QueueRechecks(queue.rechecks.client, queue.rechecks.queue_url + "-gone")

    with pytest.raises(StoreUnavailableError):
        lost.schedule([FIRST])


@pytest.mark.parametrize("body", ["", "{}", "{}}", "[[1]]", '["ab", "c"]', "7", "null"])
def test_a_message_of_somebody_else_s_is_told_to_be_so(body):
    with pytest.raises(UnreadableMessageError):
        notices_from({"body": body})


def test_a_message_asks_for_no_revision_to_be_retired():
    body = f'[["{FIRST.tenant_id}", "{FIRST.fact_id}"]]'

    assert notices_from({"body": body}) == [Notice(key=FIRST)]
