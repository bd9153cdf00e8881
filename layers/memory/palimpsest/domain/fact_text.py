"""The text of a fact: what is indexed, what is embedded, and how it is known that it has changed.

Measured on LoCoMo (docs/retrieval.md): a fact's bare content finds less than the content with whom it is about and when it
was observed in front.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime

from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import JsonValue, parse_json

# Goes up with any change of what `text_of` returns: it stands in the hash, so that a re-index knows what is stale.
TEXT_VERSION = 1

# Titan text v2 takes 50,000 characters, and no search engine gains from the rest of a longer text.
MAX_TEXT_CHARACTERS = 32_000


def text_of(revision: Revision) -> str:
    """Return what a revision says, in words: subjects, time, type, then every text in its content.

    Returns:
        At most ``MAX_TEXT_CHARACTERS`` characters; may be empty only if the content holds no text and nothing else is named.
    """
    parts = [
        *(subject.id for subject in revision.subjects),
        *_date_words(revision.observed_at or revision.valid_from),
        revision.type.replace(".", " ").replace("_", " "),
        *_texts(parse_json(revision.content)),
    ]
    return "\n".join(part for part in parts if part.strip())[:MAX_TEXT_CHARACTERS]


def text_hash(text: str) -> str:
    """Return the hash that stands beside a vector: hex SHA-256 over the text's version and the text."""
    return hashlib.sha256(f"{TEXT_VERSION}\n{text}".encode()).hexdigest()


def _date_words(instant: datetime | None) -> list[str]:
    # As people say it: "8 May 2023". Both engines find the words; a model reads them better than digits.
    return [f"{instant.day} {instant:%B %Y}"] if instant is not None else []


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            for text in _texts(inner):
                yield f"{key}: {text}" if isinstance(inner, str | int | float) else text
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
