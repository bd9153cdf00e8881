"""Messages as Lambda takes them from a queue."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from palimpsest.domain.errors import BadInputError
from palimpsest.domain.json_text import parse_json


class UnreadableMessageError(ValueError):
    """A message that this service did not write; trying again does not help."""


def body_of(record: Mapping[str, Any]) -> list[Any]:
    """Return what a message holds, one thing or many; call it within ``reading``."""
    body = parse_json(record["body"])
    if not isinstance(body, list):
        # An empty object, gone through, would be a message that is done.
        raise TypeError("every message of this service is a list")
    return body


@contextmanager
def reading() -> Iterator[None]:
    """Surround whatever takes a message apart.

    Raises:
        UnreadableMessageError: If it is not what this service writes; its text does not quote it.
    """
    try:
        yield
    except (BadInputError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableMessageError("A message of the queue is not readable.") from error
