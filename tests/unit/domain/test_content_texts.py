from palimpsest.domain.content_texts import said_in, texts_in
from palimpsest.domain.json_text import JsonValue


def test_every_text_and_number_comes_in_order_with_the_key_that_says_something():
    content: JsonValue = {"speaker": "Ana", "said": ["I", {"to": "Lyon"}], "age": 41, "old": True}

    assert list(texts_in(content)) == ["speaker: Ana", "I", "to: Lyon", "age: 41"]


def test_a_key_that_says_no_more_than_that_a_text_follows_is_left_out():
    assert list(texts_in({"text": "a", "content": "b", "value": 3})) == ["a", "b", "3"]


def test_what_is_said_has_no_blank_lines():
    assert said_in(["a", " ", {"b": ""}, None, "c"]) == "a\nb: \nc"
    assert said_in({"a": [True, None, "\n"]}) == ""
