"""Concepts: the names by which atoms are associated with each other.

An atom keeps its concepts as they were written; they are compared, indexed and learned in their canonical form.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterator

from palimpsest.domain.words import STOP_WORDS, folded, is_unspaced, query_words

# A name, not a text. What is longer is cut, so that every form fits a key of the table.
MAX_CONCEPT_CHARACTERS = 200

# spec/read-memory.md §3: so many are taken from a query that names none itself. Each costs a look at its neighbours.
MAX_QUERY_CONCEPTS = 10

# What stands inside a name beside letters and digits ("error-handling", "node.js", "o'brien"), and what may end one ("c++").
_AT_THE_EDGE = "-_.'\u2019/&@"
_INSIDE = frozenset(_AT_THE_EDGE + "+#")
_ENDING = re.compile("(n['\u2019]t|['\u2019](s|d|m|ll|re|ve))$")

_OF_NOTHING = """
    about all am any been from he her him his its just me more she some than them tell us we were
"""
# Words that name nothing, though a search by words looks for some of them.
_NAMELESS = STOP_WORDS.union(_OF_NOTHING.split())


def canonical_concept(text: str) -> str:
    """Return the form in which concepts are compared.

    Returns:
        NFKC, case folded, trimmed, each run of blanks one space, at most ``MAX_CONCEPT_CHARACTERS``; empty for a text of
        blanks. The canonical form of a canonical form is itself.
    """
    return folded(text)[:MAX_CONCEPT_CHARACTERS].rstrip()


def concepts_in(query: str) -> tuple[str, ...]:
    """Return the concepts that a query may be about, canonical.

    Its words without stop words, as they are written; then, as far as there is room, each two that stand side by side
    ("green tea"). Chinese, Japanese and Korean give their pairs of characters.

    Returns:
        At most ``MAX_QUERY_CONCEPTS``, without repeats, words before pairs, both in the order of the query.
    """
    phrases = list(_phrases(query))
    words = (word for phrase in phrases for word in phrase)
    pairs = (
        canonical_concept(f"{left} {right}")
        for phrase in phrases
        for left, right in itertools.pairwise(phrase)
        if not (is_unspaced(left) or is_unspaced(right))
    )
    found = dict.fromkeys(itertools.chain(words, pairs))
    return tuple(itertools.islice(found, MAX_QUERY_CONCEPTS))


def _phrases(query: str) -> Iterator[list[str]]:
    """Yield runs of words between which stands nothing but a space: no stop word and no comma."""
    phrase: list[str] = []
    for part in "".join(map(_kept, query)).split("\n"):
        for name in part.split():
            words = _words(name)
            if not words:
                yield phrase
                phrase = []
            phrase += words
        yield phrase
        phrase = []


def _kept(character: str) -> str:
    # Marks belong to their letters: without them, Hindi would fall apart at each vowel sign.
    if character.isalnum() or character in _INSIDE or unicodedata.category(character)[0] == "M":
        return character
    return " " if character.isspace() else "\n"


def _words(name: str) -> list[str]:
    if is_unspaced(name):
        return list(query_words(name))
    bare = canonical_concept(name.strip(_AT_THE_EDGE).lstrip("+#"))
    word = _ENDING.sub("", bare).rstrip(_AT_THE_EDGE)
    return [] if word in _NAMELESS or not word else [word]
