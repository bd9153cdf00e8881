"""The texts inside a fact's content, whatever its shape."""

from collections.abc import Iterator, Mapping

from palimpsest.domain.json_text import JsonValue

# A key that says no more than that a text follows.
_EMPTY_NAMES = frozenset({"content", "text", "value"})


def said_in(value: JsonValue) -> str:
    """Return what a content says: its texts, each on a line of its own, without those that are blank."""
    return "\n".join(text for text in texts_in(value) if text.strip())


def texts_in(value: JsonValue) -> Iterator[str]:
    """Yield every text and number in a content, in its order, each with the key that it stands under if that says something."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            for text in texts_in(inner):
                is_named = isinstance(inner, str | int | float) and key not in _EMPTY_NAMES
                yield f"{key}: {text}" if is_named else text
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
