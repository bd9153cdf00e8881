"""The text of a fact: what is indexed, what is embedded, and how it is known that it has changed.

A model reads sentences, so a fact is put like one: "Melanie, on 8 May 2023: She has painted a lake."
Measured (docs/retrieval.md): whom it is about and when it was observed help both kinds of search; the type in front costs
meaning, and a filter asks for it better.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from palimpsest.domain.atoms import ATOM_TYPE, atom_of
from palimpsest.domain.content_texts import said_in
from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import parse_json
from palimpsest.domain.observations import observation_of
from palimpsest.domain.relations import relation_of

# Goes up with any change of what `text_of` returns: it stands in the hash, so that a re-index knows what is stale.
TEXT_VERSION = 4

# Titan text v2 takes 50,000 characters, and no search engine gains from the rest of a longer text.
MAX_TEXT_CHARACTERS = 32_000


def text_of(revision: Revision) -> str:
    """Return what a revision says, in words: whom it is about, when, then every text in its content.

    An atom says its own text and no more: the words that its writer chose. An observation is about its entity: "Jeff: prefers
    dark roast"; a relation is a sentence: "Jeff works at Acme Corp".

    Returns:
        At most ``MAX_TEXT_CHARACTERS`` characters; never only blanks. The type's words stand in for a content without texts.
    """
    words = _words_of(revision)
    about = "" if revision.type == ATOM_TYPE else _about_of(revision)
    return f"{about}{words}"[:MAX_TEXT_CHARACTERS]


def text_hash(text: str) -> str:
    """Return the hash that stands beside a vector: hex SHA-256 over the text's version and the text."""
    return hashlib.sha256(f"{TEXT_VERSION}\n{text}".encode()).hexdigest()


def _words_of(revision: Revision) -> str:
    said = _said_by(revision)
    return said if said.strip() else revision.type.replace(".", " ").replace("_", " ")


def _said_by(revision: Revision) -> str:
    if revision.type == ATOM_TYPE:
        return atom_of(revision).text
    if (observation := observation_of(revision)) is not None:
        return observation.text
    if (relation := relation_of(revision)) is not None:
        return relation.sentence
    return said_in(parse_json(revision.content))


def _about_of(revision: Revision) -> str:
    observation = observation_of(revision)
    entity = [] if observation is None else [observation.entity.name]
    names = [*entity, *(subject.id for subject in revision.subjects)]
    return _about(names, revision.observed_at or revision.valid_from)


def _about(names: Sequence[str], instant: datetime | None) -> str:
    name = " and ".join(names)
    if instant is None:
        return f"{name}: " if name else ""
    # As people say it: both engines find the day's words, and a model reads them better than digits.
    day = f"{instant.day} {instant:%B %Y}"
    return f"{name}, on {day}: " if name else f"On {day}: "
