"""The text of a fact: what is indexed, what is embedded, and how it is known that it has changed.

A model reads sentences, so a fact is put like one: "Melanie, on 8 May 2023: She has painted a lake."
Measured (docs/retrieval.md): whom it is about and when it was observed help both kinds of search; the type in front costs
meaning, and a filter asks for it better.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import JsonValue, parse_json

# Goes up with any change of what `text_of` returns: it stands in the hash, so that a re-index knows what is stale.
TEXT_VERSION = 2

# Titan text v2 takes 50,000 characters, and no search engine gains from the rest of a longer text.
MAX_TEXT_CHARACTERS = 32_000

# A key that says no more than that a text follows.
_EMPTY_NAMES = frozenset({"content", "text", "value"})


def text_of(revision: Revision) -> str:
    """Return what a revision says, in words: whom it is about, when, then every text in its content.

    Returns:
        At most ``MAX_TEXT_CHARACTERS`` characters; never only blanks. The type's words stand in for a content without texts.
    """
    said = [text for text in _texts(parse_json(revision.content)) if text.strip()]
    words = "\n".join(said) or revision.type.replace(".", " ").replace("_", " ")
    about = _about(
        [subject.id for subject in revision.subjects], revision.observed_at or revision.valid_from
    )
    return f"{about}{words}"[:MAX_TEXT_CHARACTERS]


def text_hash(text: str) -> str:
    """Return the hash that stands beside a vector: hex SHA-256 over the text's version and the text."""
    return hashlib.sha256(f"{TEXT_VERSION}\n{text}".encode()).hexdigest()


def _about(names: Sequence[str], instant: datetime | None) -> str:
    name = " and ".join(names)
    if instant is None:
        return f"{name}: " if name else ""
    # As people say it: both engines find the day's words, and a model reads them better than digits.
    day = f"{instant.day} {instant:%B %Y}"
    return f"{name}, on {day}: " if name else f"On {day}: "


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            for text in _texts(inner):
                is_named = isinstance(inner, str | int | float) and key not in _EMPTY_NAMES
                yield f"{key}: {text}" if is_named else text
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
