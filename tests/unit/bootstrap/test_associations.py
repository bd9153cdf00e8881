import json
from io import StringIO

import pytest
from aws_lambda_powertools import Logger
from palimpsest.adapters.memory.lessons import BackgroundLessons
from palimpsest.adapters.sqs.lessons import QueueLessons
from palimpsest.bootstrap.associations import build_lessons
from palimpsest.bootstrap.settings import LessonSettings, SettingsError, read_settings


@pytest.fixture(autouse=True)
def account(monkeypatch):
    """Nobody's; without one, botocore would look for a machine's role over the network."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")


def settings(uri):
    return read_settings(
        LessonSettings, {"CONCEPTS_TABLE_NAME": "ConceptsTable", "LESSONS_URI": uri}
    )


def test_lessons_are_learnt_here_or_through_a_queue():
    assert isinstance(build_lessons(settings("inline"), Logger()), BackgroundLessons)
    queue = build_lessons(settings("sqs:https://sqs.example/1/lessons"), Logger())

    assert isinstance(queue, QueueLessons)
    assert queue.queue_url == "https://sqs.example/1/lessons"


@pytest.mark.parametrize("uri", ["none", "sqs:", "sns:x"])
def test_what_names_no_place_is_refused(uri):
    with pytest.raises(SettingsError):
        build_lessons(settings(uri), Logger())


def test_lost_lessons_are_one_line_with_their_count_and_nothing_else():
    log = StringIO()
    lessons = build_lessons(settings("inline"), Logger(service="test-lost", stream=log))

    assert isinstance(lessons, BackgroundLessons)
    lessons.report(3)

    line = json.loads(log.getvalue())
    assert (line["message"], line["level"], line["lessons"]) == ("lessons_lost", "WARNING", 3)
