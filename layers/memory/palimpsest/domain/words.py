"""Words: how a text is cut for a search by words, where the engine's own tokenizer is not enough.

A query is words and never syntax, so whatever is not a letter, a digit or a mark parts words. Chinese, Japanese and Korean
run on without spaces and are cut into overlapping pairs. Irregular forms of English become their bases; regular ones are left
to the engine's stemmer. Example: ``query_words("Who bought 绿茶店 (old)?")`` is ``("buy", "绿茶", "茶店", "old")``.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterator

from palimpsest.domain.irregular_words import BASE_OF

_STOP_WORDS = """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
    with
    d ll m re s t ve
    can could did do does had has have how i me might my our should were what when where which who whom whose why would
    you your
"""
# Lucene's English stop words but for a man's name, what is left of a word after an apostrophe, and the words that make a
# sentence a question: those are rare in statements, so an engine would weigh them as if they said something.
STOP_WORDS = frozenset(_STOP_WORDS.split())

# Han with its extensions and iteration marks, kana, Hangul; after NFKC, so no half-width forms.
_UNSPACED = r"々〆〇぀-ヿㄱ-㆏ㇰ-ㇿ㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U0003ffff"
_RUNS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED} ]+")
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")
_ASCII_WORDS = re.compile("[a-z0-9]+")


def query_words(text: str) -> tuple[str, ...]:
    """Return the words that a query looks for.

    Returns:
        Without repeats, in the order of the text, lower case, without stop words; empty for a text that has no others.
    """
    words = (word for run in _runs(text) for word in _pairs(run))
    return tuple(dict.fromkeys(_base(word) for word in words if word not in STOP_WORDS))


def folded(text: str) -> str:
    """Return a text without what does not change its words: case, width, composition, and how its blanks are set."""
    # A fold may undo the normal form (Unicode 16, §3.13, D146).
    once = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", once).split())


def is_unspaced(text: str) -> bool:
    """Tell whether a text holds Chinese, Japanese or Korean, where no space says where a word ends."""
    return not text.isascii() and _UNSPACED_START.search(text) is not None


def text_words(text: str) -> Iterator[str]:
    """Yield the words that a stored text is found by, in their order, stop words too.

    A run of Chinese, Japanese or Korean gives its single characters beside its pairs, so that a query of one finds it.
    """
    for run in _runs(text):
        if _UNSPACED_START.match(run) and len(run) > 1:
            yield from run
        yield from map(_base, _pairs(run))


def _base(word: str) -> str:
    return BASE_OF.get(word, word)


def _pairs(run: str) -> Iterator[str]:
    if _UNSPACED_START.match(run) and len(run) > 1:
        yield from map("".join, itertools.pairwise(run))
    else:
        yield run


def _runs(text: str) -> Iterator[str]:
    if text.isascii():
        yield from _ASCII_WORDS.findall(text.lower())
        return
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Marks belong to their letters: without them, Hindi would fall apart at each vowel sign.
    spaced = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded)
    yield from _RUNS.findall(spaced)
