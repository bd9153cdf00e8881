"""Lessons as messages of a queue, each of several lessons. They hold concepts of people's memories: the queue is encrypted."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from palimpsest.adapters.sqs.messages import body_of, reading
from palimpsest.domain.associations import Lesson
from palimpsest.domain.instants import from_text, to_text
from palimpsest.domain.json_text import write_json
from palimpsest.domain.scopes import scope_from_wire

# SQS takes ten messages a call (developer guide, "Message quotas").
MAX_MESSAGES = 10
# And 256 KiB, of which a tenth each: ten full messages are one call. A lesson is far below, but a scope may hold
# keys of any length.
MAX_MESSAGE_BYTES = 25_000
# A message comes again as a whole when one of its lessons fails, and each of the others then costs a read.
MAX_LESSONS = 10

# SQS answers in some 10 ms, and somebody is waiting for their answer: a lesson is not worth a second attempt.
CONNECT_SECONDS = 0.5
READ_SECONDS = 1.5

# Characters that JSON allows in a text and SQS in no message (XML 1.0, §2.2), but for those that JSON escapes by itself.
_NO_CHARACTERS = re.compile("[\ufffe\uffff]")


def queue_client() -> Any:
    """Return a client for SQS that gives up quickly; untyped, since boto3's stubs for it are installed for nothing else."""
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": 1, "mode": "standard"},
        tcp_keepalive=True,
    )
    return boto3.client("sqs", config=config)


@dataclass(frozen=True, slots=True)
class QueueLessons:
    """See ``palimpsest.ports.lessons.Lessons``. One call for each ten messages, a message for each ten lessons.

    Attributes:
        client: See ``queue_client``.
        queue_url: Of the queue.
        report: Told how many lessons were lost, where some were.
    """

    client: Any
    queue_url: str
    report: Callable[[int], None]

    def teach(self, lessons: Sequence[Lesson]) -> None:
        """See ``Lessons.teach``. After a call that fails there is no other: whoever waits has waited enough."""
        messages = list(_messages(lessons))
        sent = 0
        for start in range(0, len(messages), MAX_MESSAGES):
            batch = messages[start : start + MAX_MESSAGES]
            entries = [{"Id": str(n), "MessageBody": body} for n, (body, _) in enumerate(batch)]
            try:
                answer = self.client.send_message_batch(QueueUrl=self.queue_url, Entries=entries)
            except (ClientError, BotoCoreError):
                break
            taken = {entry["Id"] for entry in answer.get("Successful", ())}
            sent += sum(held for n, (_, held) in enumerate(batch) if str(n) in taken)
        if sent < len(lessons):
            self.report(len(lessons) - sent)


def lessons_from(record: Mapping[str, Any]) -> list[Lesson]:
    """Return what a message teaches.

    Args:
        record: As Lambda gets it from the queue.

    Raises:
        UnreadableMessageError: If it is no message of ``QueueLessons``.
    """
    with reading():
        return [_lesson_from(said) for said in body_of(record)]


def _messages(lessons: Iterable[Lesson]) -> Iterator[tuple[str, int]]:
    """Yield the bodies of messages with how many lessons each holds; a lesson that fits none is left out."""
    texts: list[str] = []
    size = 0
    for lesson in lessons:
        text = _NO_CHARACTERS.sub(_escaped, write_json(_said(lesson)))
        needed = len(text.encode()) + 1
        if needed >= MAX_MESSAGE_BYTES:
            continue
        if texts and (size + needed >= MAX_MESSAGE_BYTES or len(texts) == MAX_LESSONS):
            yield f"[{','.join(texts)}]", len(texts)
            texts, size = [], 0
        texts.append(text)
        size += needed
    if texts:
        yield f"[{','.join(texts)}]", len(texts)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _said(lesson: Lesson) -> Mapping[str, object]:
    return {
        "eventId": lesson.event_id,
        "scope": dict(lesson.scope.items()),
        "concepts": lesson.concepts,
        "amount": lesson.amount,
        "outcome": lesson.outcome,
        "at": to_text(lesson.at),
    }


def _lesson_from(said: Mapping[str, Any]) -> Lesson:
    outcome = said["outcome"]
    return Lesson(
        event_id=str(said["eventId"]),
        scope=scope_from_wire(said["scope"]),
        concepts=tuple(map(str, said["concepts"])),
        amount=float(said["amount"]),
        outcome=None if outcome is None else float(outcome),
        at=from_text(said["at"], field="at"),
    )
