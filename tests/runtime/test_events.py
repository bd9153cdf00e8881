import pytest

from tests.events import differences, event_files, event_name
from tests.runtime.answers import Answered

pytestmark = pytest.mark.runtime


@pytest.mark.parametrize("name", [event_name(path) for path in event_files()])
def test_a_built_function_answers_an_event_as_expected(
    name: str, answers: dict[str, Answered]
) -> None:
    answered = answers[name]
    expected = answered.expected

    assert answered.answer.get("statusCode") == expected.status, (
        answered.answer,
        answered.function.last_words(),
    )
    assert differences(expected.body, answered.body, answered.values) == []
    assert expected.headers.items() <= answered.answer["headers"].items()


def test_a_built_function_logs_neither_tokens_nor_the_text_of_facts(
    answers: dict[str, Answered],
) -> None:
    logs = {a.function.log for a in answers.values()}
    logged = "".join(log.read_text(encoding="utf-8") for log in logs)
    tokens = {v for a in answers.values() for n, v in a.values.items() if n.endswith("_TOKEN")}

    assert "request_answered" in logged
    assert "without sugar" not in logged
    assert "with honey" not in logged
    assert not [token for token in tokens if token in logged]
