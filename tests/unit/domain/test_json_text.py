import json
import math

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.json_text import (
    MAX_DEPTH,
    canonical_json,
    content_hash,
    is_same_json,
    parse_json,
    write_json,
)

# The integers that every double reader takes exactly, and the only ones that RFC 8785 speaks of.
SAFE = 2**53 - 1

doubles = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=8) | st.sampled_from(
    ["\x00", "\u202e", "🦜", "\U0010ffff", "\ue000", "\x7f", '"\\/\b\f\n\r\t', "e\u0301", "\u2028"]
)


def json_values(integers):
    scalars = st.none() | st.booleans() | integers | doubles | texts
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
        max_leaves=12,
    )


any_values = json_values(st.integers(min_value=-(10**40), max_value=10**40))


def is_same(left, right):
    """Equal, and of the same type and sign all the way down: unlike Python's ==, 1 is not 1.0 or True."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(is_same(left[k], right[k]) for k in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    if isinstance(left, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right


@given(value=json_values(st.integers(min_value=-SAFE, max_value=SAFE)))
def test_the_canonical_text_is_that_of_rfc_8785(value):
    assert canonical_json(value).encode() == rfc8785.dumps(value)


@given(number=doubles)
def test_a_double_is_canonical_as_in_rfc_8785(number):
    assert canonical_json(number).encode() == rfc8785.dumps(number)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        # RFC 8785, appendix B.
        (0.0, "0"),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (-5e-324, "-5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740992.0, "9007199254740992"),
        (295147905179352830000.0, "295147905179352830000"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (1e23, "1e+23"),
        (999999999999999700000.0, "999999999999999700000"),
        (1e21, "1e+21"),
        (9.999999999999997e-7, "9.999999999999997e-7"),
        (0.000001, "0.000001"),
        (333333333.33333329, "333333333.3333333"),
        (-0.0000033333333333333333, "-0.0000033333333333333333"),
    ],
)
def test_doubles_at_the_turning_points(number, text):
    assert canonical_json(number) == text


@given(value=any_values)
def test_what_is_written_reads_back_the_same(value):
    assert is_same(parse_json(write_json(value)), value)


@given(value=any_values)
def test_the_canonical_text_reads_back_to_an_equal_value(value):
    def numbers_as_came(read, came):
        """Take a number for a double where one came: RFC 8785 writes 4.01342781620225e16 as 40134278162022500."""
        if isinstance(came, dict):
            return {key: numbers_as_came(read[key], came[key]) for key in read}
        if isinstance(came, list):
            return list(map(numbers_as_came, read, came))
        return float(read) if isinstance(came, float) else read

    read = parse_json(canonical_json(value))

    assert numbers_as_came(read, value) == value


@given(value=any_values)
def test_the_canonical_text_is_its_own_canonical_text(value):
    canonical = canonical_json(value)

    assert canonical_json(parse_json(canonical)) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "1" * 40,
        "-" + "9" * 40,
        '"\\u0000"',
        '"🦜\U0010ffff"',
        '{"":{"":[]}}',
        "-0.0",
        '"\u202e<|im_start|>"',
        "null",
        '"\x7f"',
    ],
)
def test_a_compact_text_comes_back_byte_for_byte(text):
    assert write_json(parse_json(text)) == text


def test_a_pair_of_surrogates_is_one_character():
    assert parse_json('"\\ud83e\\udd9c"') == "🦜"


@given(value=any_values)
def test_key_order_does_not_change_the_hash(value):
    def turned(value):
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(v) for v in value] if isinstance(value, list) else value

    assert canonical_json(turned(value)) == canonical_json(value)


@given(number=st.integers(min_value=-(2**53), max_value=2**53))
def test_a_double_and_an_integer_of_one_value_share_the_hash(number):
    assert canonical_json(float(number)) == canonical_json(number)


@given(
    left=st.integers(min_value=-(10**40), max_value=10**40),
    step=st.integers(min_value=1, max_value=1000),
)
def test_two_integers_never_share_a_hash(left, step):
    hashes = {content_hash(canonical_json(number)) for number in (left, left + step)}

    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("left", "right"), [(True, 1), (False, 0), (None, "null"), ("1", 1), ([], {}), ("é", "e\u0301")]
)
def test_different_values_have_different_hashes(left, right):
    assert content_hash(canonical_json(left)) != content_hash(canonical_json(right))


def test_keys_sort_by_their_utf_16_units():
    # RFC 8785 §3.2.3: an astral character's first unit, a surrogate, is below U+E000, though the character itself is not.
    assert canonical_json({"\ue000": 1, "🦜": 2}) == '{"🦜":2,"\ue000":1}'


def test_a_hash_names_its_function():
    # The digest of the two bytes `{}`, as any SHA-256 tool prints it.
    empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

    assert content_hash(canonical_json({})) == f"sha256:{empty}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not valid JSON"),
        (" ", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ('{"a":1,}', "is not valid JSON"),
        ("{'a':1}", "is not valid JSON"),
        ('"\x00"', "is not valid JSON"),
        ("01", "is not valid JSON"),
        ("1 2", "is not valid JSON"),
        ("\ufeff{}", "is not valid JSON"),
        ("nul", "is not valid JSON"),
        ("9" * 5000, "is not valid JSON"),
        ("NaN", "holds NaN or Infinity"),
        ("[Infinity]", "holds NaN or Infinity"),
        ("-Infinity", "holds NaN or Infinity"),
        ("1e400", "holds a number too large"),
        ('{"a":[-1e400]}', "holds a number too large"),
        ('{"a":1,"a":1}', "names a key twice"),
        ('{"a":1,"\\u0061":2}', "names a key twice"),
        ('{"b":{"a":1,"a":2}}', "names a key twice"),
        ('"\\ud800"', "holds a lone surrogate"),
        ('"\\udd9c\\ud83e"', "holds a lone surrogate"),
        ('{"\\udfff":1}', "holds a lone surrogate"),
        ("[" * 65 + "]" * 65, "nests deeper than 64"),
        ('{"a":' * 65 + "1" + "}" * 65, "nests deeper than 64"),
        ("[" * 1000 + "]" * 1000, "nests deeper than 64"),
        ("[" * 100_000 + "]" * 100_000, "nests deeper than 64"),
    ],
)
def test_a_text_that_readers_disagree_about_is_refused(text, reason):
    with pytest.raises(BadInputError) as refused:
        parse_json(text, field="content")

    assert str(refused.value).startswith(f"content {reason}")
    assert refused.value.details == {"field": "content"}


def test_a_refusal_never_repeats_what_came():
    with pytest.raises(BadInputError) as refused:
        parse_json('{"secret": 1e400, "secret": NaN}')

    assert "secret" not in str(refused.value)
    assert refused.value.details == {}


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_the_greatest_depth_is_taken(opening, closing):
    text = (
        opening * (MAX_DEPTH - 1) + ("[]" if opening == "[" else "{}") + closing * (MAX_DEPTH - 1)
    )

    assert write_json(parse_json(text)) == text


@given(text=st.text(max_size=30) | st.binary(max_size=30).map(lambda b: b.decode("latin-1")))
def test_any_text_is_read_or_refused_and_nothing_else(text):
    try:
        value = parse_json(text)
    except BadInputError:
        return

    assert is_same(json.loads(text), value)


@pytest.mark.parametrize(
    ("left", "right", "is_same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        ("1", 1, False),
        ([1, [True]], [1, [True]], True),
        ([1, [True]], [1, [1]], False),
        ([1, 2], [2, 1], False),
        ({"a": [True]}, {"a": [1]}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([], {}, False),
    ],
)
def test_values_are_the_same_if_json_says_so(left, right, is_same):
    assert is_same_json(left, right) == is_same
    assert is_same_json(right, left) == is_same
