"""What a tool answers: one value in two forms, bounded in size, and never broken JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import write_json

JsonObject = dict[str, Any]

# A result stands in a model's context: clients cut, or refuse, what is far beyond 25,000 tokens of some four bytes.
MAX_RESULT_BYTES = 100_000

# What is added to an answer once it was measured: counts, and that it was cut.
_LATER_BYTES = 200

# Of a fact's content: alone in an answer, and as one of many.
MAX_CONTENT_BYTES = 60_000
MAX_LISTED_CONTENT_BYTES = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What a tool found or did.

    Attributes:
        value: In its verbose form, as the tool's output schema says.
        revisions: Those in it; asked about before it is given a second time.
    """

    value: JsonObject
    revisions: tuple[Revision, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a call is answered.

    Attributes:
        text: JSON text on one line, for the model.
        value: The verbose form, for programs; None beside an error.
    """

    text: str
    value: JsonObject | None = None

    @property
    def is_error(self) -> bool:
        """Whether it says what went wrong."""
        return self.value is None


def json_bytes(value: object) -> int:
    """Return how many bytes a value takes as JSON."""
    return len(write_json(value).encode())


def with_cut_content(fact: JsonObject, max_bytes: int) -> JsonObject:
    """Return a fact whose content is at most so long: a longer one is the beginning of its JSON text, with a mark.

    Args:
        fact: As it is shown.
        max_bytes: Of its content as JSON; the mark comes on top.
    """
    text = write_json(fact["content"])
    raw = text.encode()
    if len(raw) <= max_bytes:
        return fact
    # A character that the cut went through is left out. In its own quotes again, escapes take more: halving is enough.
    kept = raw[: max_bytes // 2].decode(errors="ignore")
    mark = f"… [cut: {len(raw)} bytes of JSON in all; GET /v1/memory/facts/{fact['id']} gives it whole]"
    return {**fact, "content": kept + mark}


def cut_to_fit(value: JsonObject, lists: Sequence[list[Any]]) -> JsonObject:
    """Return an answer that is small enough: of its lists, the ends are left out, and ``truncated`` says so.

    Args:
        value: An answer.
        lists: Those that stand in it, the one that is cut first before the others; they are changed.
    """
    excess = json_bytes(value) - (MAX_RESULT_BYTES - _LATER_BYTES)
    if excess <= 0:
        return value
    for each in lists:
        while each and excess > 0:
            excess -= json_bytes(each.pop()) + 1
    return {**value, "truncated": True}


def without_empty(fields: Mapping[str, object]) -> JsonObject:
    """Return the fields that say something: not None, and no empty list."""
    return {name: value for name, value in fields.items() if value is not None and value != []}
