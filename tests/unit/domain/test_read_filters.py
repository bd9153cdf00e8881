from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.facts import Author
from palimpsest.domain.read_filters import ReadFilter
from palimpsest.domain.recall import ReadItem

from tests.builders import build_scope
from tests.candidates import build_item
from tests.fakes.clock import NOON

DAY = timedelta(days=1)


def build_written(kind: CallerKind = CallerKind.USER, by: str = "ana", **item: Any) -> ReadItem:
    written = build_item(age=timedelta(0), **item)
    author = Author(kind=kind, id=by)
    return replace(written, revision=replace(written.revision, attributed_to=author))


@pytest.mark.parametrize(
    ("narrowed", "is_taken"),
    [
        ({}, True),
        ({"exclude_author": "user:ana"}, False),
        ({"exclude_author": "user:ben"}, True),
        ({"author_principal": "user:ana"}, True),
        ({"author_principal": "user:ben"}, False),
        ({"author_principal": "user:ana", "exclude_author": "user:ana"}, False),
        ({"author_agent": "bot"}, False),
        ({"author_client_env": "cursor"}, True),
        ({"author_client_env": "claude"}, False),
        ({"author_is_external": False}, True),
        ({"author_is_external": True}, False),
        ({"since": NOON}, True),
        ({"since": NOON + DAY}, False),
        ({"until": NOON}, True),
        ({"until": NOON - DAY}, False),
        ({"since": NOON - DAY, "until": NOON + DAY}, True),
    ],
)
def test_everything_that_is_given_must_hold(narrowed: dict[str, Any], is_taken: bool):
    item = build_written(client_env="cursor")

    assert ReadFilter(**narrowed).takes(item) is is_taken


def test_an_agent_is_known_by_its_id_and_an_end_users_memory_by_its_scope():
    item = build_written(CallerKind.AGENT, "bot")
    scope = build_scope(projectId="p", participantId="guest")
    external = replace(item, revision=replace(item.revision, scope=scope))

    assert ReadFilter(author_agent="bot").takes(item)
    assert not ReadFilter(author_agent="other").takes(item)
    assert ReadFilter(author_is_external=True).takes(external)
    assert not ReadFilter(author_is_external=False).takes(external)
