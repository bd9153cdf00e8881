import json
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import pytest
from aws_lambda_powertools import Logger
from palimpsest.api.custom_resources import CustomResourceApplication


class Context:
    """Ten minutes are left."""

    def get_remaining_time_in_millis(self) -> int:
        return 600_000


URL = "https://answers.example/path?signature=x"


@dataclass
class Bench:
    """A custom resource whose making a test decides.

    Attributes:
        error: Raised by the making.
        seconds: What each making was given.
        sent: Every answer, with its address.
    """

    error: Exception | None = None
    seconds: list[float] = field(default_factory=list)
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    log: StringIO = field(default_factory=StringIO)

    def handle(self, request: str, **more: Any) -> dict[str, Any]:
        application = CustomResourceApplication(
            set_up=self._set_up,
            send=lambda url, body: self.sent.append((url, json.loads(body))),
            logger=Logger(service=f"test-{id(self)}", stream=self.log),
        )
        event = {
            "RequestType": request,
            "ResponseURL": URL,
            "StackId": "stack",
            "RequestId": "request",
            "LogicalResourceId": "SearchIndex",
            **more,
        }
        application(event, Context())
        ((url, answer),) = self.sent
        assert url == URL
        return answer

    def _set_up(self, seconds: float) -> str:
        self.seconds.append(seconds)
        if self.error is not None:
            raise self.error
        return "facts-1f0c22ab"


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_what_was_made_is_told_by_its_name(bench, request_type):
    assert bench.handle(request_type) == {
        "Status": "SUCCESS",
        "PhysicalResourceId": "facts-1f0c22ab",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "SearchIndex",
    }


def test_time_is_left_to_say_that_it_did_not_work(bench):
    bench.handle("Create")

    assert bench.seconds == [540]


def test_a_failure_is_told_and_not_raised(bench):
    bench.error = ValueError("no")

    answer = bench.handle("Create")

    assert (answer["Status"], answer["Reason"]) == ("FAILED", "ValueError: no")


def test_a_deletion_makes_and_deletes_nothing(bench):
    answer = bench.handle("Delete", PhysicalResourceId="facts-1f0c22ab")

    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", "facts-1f0c22ab")
    assert bench.seconds == []


def test_a_failed_update_keeps_the_resource_that_stands(bench):
    bench.error = ValueError("no")

    answer = bench.handle("Update", PhysicalResourceId="facts-00000000")

    assert answer["PhysicalResourceId"] == "facts-00000000"
