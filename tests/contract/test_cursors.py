"""What every kind of cursor promises: the fake and the sealed one."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from palimpsest.adapters.sealing.cursors import SealedCursors
from palimpsest.domain.errors import InvalidCursorError
from palimpsest.ports.cursors import Cursors

from tests.fakes.clock import FakeClock
from tests.fakes.cursors import FakeCursors
from tests.fakes.key_lists import FakeKeyLists

POSITION = "01890a5d-ac96-774b-bcce-b302099a8057"
BINDING = "tenant|user:ana||/v1/memory/facts|type=note"


@dataclass
class World:
    """Cursors, and how a test makes them too old."""

    cursors: Cursors
    expire: Callable[[], object]


@pytest.fixture(params=["fake", "sealed"])
def world(request: pytest.FixtureRequest) -> World:
    if request.param == "fake":
        fake = FakeCursors()
        return World(fake, fake.expire_all)
    clock = FakeClock()
    return World(
        SealedCursors(FakeKeyLists(), clock),
        lambda: clock.advance(timedelta(hours=24, seconds=61)),
    )


def test_a_cursor_opens_for_the_same_binding(world: World):
    cursor = world.cursors.seal(POSITION, binding=BINDING)

    assert world.cursors.open(cursor, binding=BINDING) == POSITION


def test_a_cursor_is_short_plain_text_that_does_not_show_its_position(world: World):
    cursor = world.cursors.seal(POSITION, binding=BINDING)

    assert re.fullmatch(r"[A-Za-z0-9_=-]{1,512}", cursor)
    assert POSITION not in cursor


def test_another_binding_does_not_open_it(world: World):
    cursor = world.cursors.seal(POSITION, binding=BINDING)

    with pytest.raises(InvalidCursorError, match="is not from this list and caller"):
        world.cursors.open(cursor, binding=BINDING + "x")


def test_an_old_cursor_has_expired(world: World):
    cursor = world.cursors.seal(POSITION, binding=BINDING)

    world.expire()

    with pytest.raises(InvalidCursorError, match="has expired"):
        world.cursors.open(cursor, binding=BINDING)


@pytest.mark.parametrize(
    "text", ["", "x", "AAAA", "a.b.c", "💥", "\ud800", "A" * 10_000, "=", "\n"]
)
def test_any_other_text_is_no_cursor(world: World, text: str):
    with pytest.raises(InvalidCursorError):
        world.cursors.open(text, binding=BINDING)
