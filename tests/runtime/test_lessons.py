from typing import TYPE_CHECKING, Any

import pytest

from tests.runtime.emulator import BuiltFunction

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.runtime


def test_a_lesson_is_learnt_once_and_a_stranger_s_message_comes_again(
    lesson_answers: list[Any], database: "DynamoDBClient"
) -> None:
    done: dict[str, Any] = {"batchItemFailures": []}

    assert lesson_answers == [done, done, {"batchItemFailures": [{"itemIdentifier": "m2"}]}]
    items = database.scan(TableName="ConceptsTable")["Items"]
    assert [item["lessons"]["N"] for item in items if "strength" in item] == ["1", "1"]


def test_the_function_logs_no_concept(
    lesson_answers: list[Any], functions: dict[str, BuiltFunction]
) -> None:
    logged = functions["GrowAssociationsFunction"].log.read_text(encoding="utf-8")

    assert logged.count("lessons_learnt") == len(lesson_answers)
    assert "honeycomb" not in logged
