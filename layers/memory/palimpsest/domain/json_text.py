"""JSON texts: read strictly, written exactly, canonical where they are hashed.

The one place where text becomes JSON values and JSON values become text again.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import NoReturn, TypeAlias

from palimpsest.domain.errors import BadInputError

JsonValue: TypeAlias = (
    "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)

# spec/facts.md §7. Deep enough for any document that people write, shallow enough for every parser's stack.
MAX_DEPTH = 64


def parse_json(text: str, *, field: str = "") -> JsonValue:
    """Read one JSON text, refusing what JSON readers disagree about.

    Args:
        text: The whole text.
        field: Named in errors; empty for a request's body.

    Returns:
        Dictionaries, lists, strings, exact integers, doubles, booleans and None.

    Raises:
        BadInputError: If the text is not JSON (RFC 8259), names a key twice, nests deeper than ``MAX_DEPTH``, or holds a
            number outside the doubles, ``NaN``, or a lone surrogate, which UTF-8 cannot carry.
    """
    where = field or "The body"
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except _RefusedError as refused:
        raise BadInputError(f"{where} {refused}.", field=field) from refused
    except RecursionError as error:
        raise _too_deep(where, field) from error
    except ValueError as error:
        # Also an integer beyond Python's conversion limit (4,300 digits by default, against quadratic time).
        raise BadInputError(f"{where} is not valid JSON.", field=field) from error
    if _is_deeper_than(value, MAX_DEPTH):
        raise _too_deep(where, field)
    try:
        write_json(value).encode()
    except UnicodeEncodeError as error:
        raise BadInputError(
            f"{where} holds a lone surrogate, which is no character.", field=field
        ) from error
    return value


def write_json(value: object) -> str:
    """Return compact JSON text that ``parse_json`` reads back to an equal value; keys keep their order."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def is_same_json(left: JsonValue, right: JsonValue) -> bool:
    """Tell whether two values are equal as JSON has it: unlike Python's, true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(is_same_json(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same_json, left, right))
    return left == right


def canonical_json(value: JsonValue) -> str:
    """Return the one text that all equal values share.

    Source:
        RFC 8785 (JSON Canonicalization Scheme), but that an integer beyond 2^53 keeps its own digits instead of those of
        the nearest double, so that two different integers never share a hash.
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _canonical_double(value)
    if isinstance(value, Mapping):
        # RFC 8785 §3.2.3: keys sort by their UTF-16 code units, not by code point.
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical_json(k)}:{canonical_json(value[k])}" for k in keys) + "}"
    return "[" + ",".join(map(canonical_json, value)) + "]"


def content_hash(canonical: str) -> str:
    """Return ``sha256:`` and 64 lower-case hex digits of a canonical text."""
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


class _RefusedError(ValueError):
    """Why a text is refused, as the end of a sentence."""


def _without_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _RefusedError("names a key twice in one object")
    return result


def _refuse_constant(_: str) -> NoReturn:
    raise _RefusedError("holds NaN or Infinity, which JSON does not know")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _RefusedError("holds a number too large for a double")
    return number


def _is_deeper_than(value: JsonValue, limit: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
    return bool(level)


def _too_deep(where: str, field: str) -> BadInputError:
    return BadInputError(f"{where} nests deeper than {MAX_DEPTH} levels.", field=field)


def _canonical_double(number: float) -> str:
    """Return a double as ECMAScript's Number::toString does (RFC 8785 §3.2.2.3)."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # `point` is where the decimal point stands, counted from the first digit that is not 0.
    leading_zeros = len(whole + fraction) - len(digits)
    point = len(whole) + int(exponent or 0) - leading_zeros
    digits = digits.rstrip("0")
    return sign + _place_point(digits, point)


def _place_point(digits: str, point: int) -> str:
    # The bounds 21 and -6 are ECMA-262's own.
    if len(digits) <= point <= 21:  # noqa: PLR2004 - named in the comment above
        return digits.ljust(point, "0")
    if 0 < point <= 21:  # noqa: PLR2004 - as above
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:  # noqa: PLR2004 - as above
        return "0." + "0" * -point + digits
    shown = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{shown}e{point - 1:+d}"
