import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws
from palimpsest.adapters.memory.lessons import MAX_WAITING, BackgroundLessons
from palimpsest.adapters.sqs.lessons import (
    MAX_MESSAGE_BYTES,
    QueueLessons,
    lessons_from,
    queue_client,
)
from palimpsest.adapters.sqs.messages import UnreadableMessageError
from palimpsest.domain.associations import STOOD_IN_ONE_ATOM, Lesson
from palimpsest.ports.lessons import Lessons

from local.dynoxide import FAKE_CREDENTIAL, REGION
from tests.builders import OTHER_TENANT, build_scope
from tests.fakes.clock import NOON
from tests.fakes.lessons import FakeLessons


@dataclass
class School:
    """Lessons, what arrives of them, and how many were told to be lost."""

    lessons: Lessons
    take: Callable[[], list[Lesson]]
    lost: list[int] = field(default_factory=list)


@pytest.fixture(params=["fake", "moto", "background"])
def school(request) -> Iterator[School]:
    if request.param == "fake":
        fake = FakeLessons()
        yield School(fake, fake.take)
    elif request.param == "background":
        yield in_background()
    else:
        os.environ["AWS_DEFAULT_REGION"] = REGION
        os.environ["AWS_ACCESS_KEY_ID"] = os.environ["AWS_SECRET_ACCESS_KEY"] = FAKE_CREDENTIAL
        with mock_aws():
            yield over_queue(queue_client())


def in_background() -> School:
    learnt: list[Lesson] = []
    lost: list[int] = []

    def learn(lessons: Any) -> list[Lesson]:
        learnt.extend(lessons)
        return []

    def take() -> list[Lesson]:
        background.close()
        return learnt

    background = BackgroundLessons(learn=learn, report=lost.append)
    return School(background, take, lost)


def over_queue(client: Any) -> School:
    url = client.create_queue(QueueName="lessons")["QueueUrl"]
    lost: list[int] = []

    def take() -> list[Lesson]:
        found: list[Lesson] = []
        while messages := client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get(
            "Messages"
        ):
            for message in messages:
                found += lessons_from({"body": message["Body"]})
        return found

    return School(QueueLessons(client, url, lost.append), take, lost)


def lesson(number: int = 0, **changes: Any) -> Lesson:
    plain = Lesson(
        event_id=f"e{number}",
        scope=build_scope(userId="ana"),
        concepts=("tea", "rain"),
        amount=STOOD_IN_ONE_ATOM,
        at=NOON,
    )
    return replace(plain, **changes)


def test_what_is_taught_arrives(school):
    taught = [lesson(number) for number in range(3)]

    school.lessons.teach(taught)

    assert school.take() == taught
    assert school.lost == []


def test_nothing_is_nothing(school):
    school.lessons.teach([])

    assert school.take() == []
    assert school.lost == []


def test_a_lesson_arrives_with_all_that_it_says(school):
    whole = lesson(
        scope=build_scope(OTHER_TENANT, projectId="p", sessionId="s", region={"a": [1, None]}),
        concepts=("茶", "tea\x00\x1f", "\ufffe\uffff", '"\\', "🍵"),
        outcome=-0.25,
        amount=0.1,
    )

    school.lessons.teach([whole])

    assert school.take() == [whole]


def test_those_of_the_largest_batch_of_writes_all_arrive(school):
    concepts = tuple(f"{number}" + "茶" * 199 for number in range(10))
    taught = [lesson(number, concepts=concepts) for number in range(500)]

    school.lessons.teach(taught)

    arrived = school.take()
    assert sorted(each.event_id for each in arrived) == sorted(each.event_id for each in taught)
    assert school.lost == []


over_moto = pytest.mark.parametrize("school", ["moto"], indirect=True)


class TestQueue:
    @over_moto
    def test_a_queue_that_is_not_there_costs_nobody_an_error(self, school):
        lost: list[int] = []
        gone = QueueLessons(school.lessons.client, school.lessons.queue_url + "-gone", lost.append)

        gone.teach([lesson(number) for number in range(250)])

        assert lost == [250]

    def test_after_a_call_that_fails_there_is_no_other(self):
        silent = SilentClient()
        lost: list[int] = []

        QueueLessons(silent, "queue", lost.append).teach([lesson(n) for n in range(250)])

        assert (silent.calls, lost) == (1, [250])

    def test_messages_that_the_queue_refuses_are_told(self):
        lost: list[int] = []
        picky = PickyClient(refused={"1"})

        QueueLessons(picky, "queue", lost.append).teach([lesson(n) for n in range(25)])

        assert lost == [10]

    def test_no_call_is_larger_than_the_queue_takes(self):
        picky = PickyClient(refused=set())
        concepts = tuple(f"{number}" + "茶" * 199 for number in range(10))

        QueueLessons(picky, "queue", print).teach(
            [lesson(number, concepts=concepts) for number in range(120)]
        )

        assert all(len(call) <= 10 for call in picky.taken)
        assert all(sum(len(body.encode()) for body in call) <= 256 * 1024 for call in picky.taken)

    @over_moto
    def test_a_lesson_that_no_message_holds_is_lost_and_holds_up_no_other(self, school):
        huge = lesson(1, scope=build_scope(note="x" * MAX_MESSAGE_BYTES))

        school.lessons.teach([lesson(0), huge, lesson(2)])

        assert school.take() == [lesson(0), lesson(2)]
        assert school.lost == [1]


@dataclass
class SilentClient:
    """A queue that does not answer."""

    calls: int = 0

    def send_message_batch(self, **_: Any) -> None:
        self.calls += 1
        raise EndpointConnectionError(endpoint_url="https://queue")


@dataclass
class PickyClient:
    """A queue that takes all messages of a call but some.

    Attributes:
        refused: By their places in a call.
        taken: The bodies of each call.
    """

    refused: set[str]
    taken: list[list[str]] = field(default_factory=list)

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        self.taken.append([entry["MessageBody"] for entry in request["Entries"]])
        ids = [entry["Id"] for entry in request["Entries"]]
        return {
            "Successful": [{"Id": i} for i in ids if i not in self.refused],
            "Failed": [{"Id": i} for i in ids if i in self.refused],
        }


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "[1]",
        "{}",
        "[{}]",
        '[{"eventId":"e","scope":[],"concepts":[],"amount":1,"outcome":null,"at":"soon"}]',
        '[["01890a5d-ac96-774b-bcce-b302099a8057", "f"]]',
    ],
)
def test_a_message_of_somebody_else_s_is_told_to_be_so(body):
    with pytest.raises(UnreadableMessageError) as raised:
        lessons_from({"body": body})

    assert "soon" not in str(raised.value)


class TestBackground:
    def test_who_teaches_does_not_wait_for_it_to_be_learnt(self):
        release = threading.Event()
        learnt: list[Lesson] = []

        def learn(lessons: Any) -> list[Lesson]:
            release.wait(10)
            learnt.extend(lessons)
            return []

        background = BackgroundLessons(learn=learn, report=print)
        background.teach([lesson(0), lesson(1)])
        before = list(learnt)
        release.set()
        background.close()

        assert before == []
        assert learnt == [lesson(0), lesson(1)]

    def test_what_cannot_be_learnt_is_counted_and_holds_up_no_other(self):
        learnt: list[Lesson] = []
        lost: list[int] = []

        def learn(lessons: Any) -> list[Lesson]:
            (one,) = lessons
            if one.event_id == "e0":
                raise RuntimeError("whatever it is")
            learnt.append(one)
            return [one] if one.event_id == "e1" else []

        background = BackgroundLessons(learn=learn, report=lost.append)
        background.teach([lesson(number) for number in range(3)])
        background.close()

        assert (len(learnt), lost) == (2, [1, 1])

    def test_what_does_not_fit_is_lost_and_told(self):
        release = threading.Event()
        lost: list[int] = []

        def learn(_: Any) -> list[Lesson]:
            release.wait(10)
            return []

        background = BackgroundLessons(learn=learn, report=lost.append)
        # One is in the thread's hands, or will be.
        background.teach([lesson(number) for number in range(MAX_WAITING + 10)])
        release.set()
        background.close()

        assert sum(lost) in (9, 10)

    def test_what_is_not_learnt_when_the_process_ends_is_told(self):
        release = threading.Event()
        begun = threading.Event()
        lost: list[int] = []

        def learn(_: Any) -> list[Lesson]:
            begun.set()
            release.wait(10)
            return []

        background = BackgroundLessons(learn=learn, report=lost.append)
        background.teach([lesson(number) for number in range(4)])
        begun.wait(10)
        background.close(seconds=0)
        release.set()

        # One is in the thread's hands, and nobody waits for it any more.
        assert lost == [4]

    def test_no_thread_is_there_before_the_first_lesson_or_after_the_end(self):
        background = BackgroundLessons(learn=lambda _: [], report=print)
        # One of another test may be ending: only new ones count.
        before = set(threading.enumerate())
        background.teach([])
        assert set(threading.enumerate()) <= before

        background.teach([lesson()])
        background.close()

        assert set(threading.enumerate()) <= before
