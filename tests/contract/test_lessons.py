import pytest
from palimpsest.domain.associations import STOOD_IN_ONE_ATOM, Lesson

from tests.builders import build_scope
from tests.fakes.clock import NOON
from tests.fakes.lessons import FakeLessons


@pytest.fixture(params=["fake"])
def lessons(request):
    return FakeLessons()


def lesson(number):
    return Lesson(
        event_id=f"e{number}",
        scope=build_scope(),
        concepts=("tea", "rain"),
        amount=STOOD_IN_ONE_ATOM,
        at=NOON,
    )


def test_what_is_taught_arrives(lessons):
    taught = [lesson(number) for number in range(3)]

    lessons.teach(taught)

    assert lessons.take() == taught


def test_nothing_is_nothing(lessons):
    lessons.teach([])

    assert lessons.take() == []
