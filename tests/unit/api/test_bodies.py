"""Bodies: what each side of the memory door does with a field that it does not know, and with null."""

from typing import Annotated

import pytest
from palimpsest.api.bodies import ReadSideBody, WriteSideBody, read_body, unprocessable
from palimpsest.domain.errors import BadInputError, UnprocessableError
from pydantic import AfterValidator, Field


def _known(name: str) -> str:
    if name != "auto":
        raise unprocessable("must be auto")
    return name


class Wanted(ReadSideBody):
    query: Annotated[str, Field(max_length=3)]
    top_k: int = 10
    strategy: Annotated[str, AfterValidator(_known)] = "auto"


class Named(WriteSideBody):
    name: str


class Kept(WriteSideBody):
    content: str
    author: Named | None = None
    domain: str = "general"


def test_a_body_that_asks_ignores_what_it_does_not_know():
    assert read_body(Wanted, {"query": "tea", "colour": "red"}) == Wanted(query="tea")


def test_a_body_that_keeps_something_refuses_what_it_does_not_know():
    with pytest.raises(BadInputError) as refused:
        read_body(Kept, {"content": "tea", "colour": "red"})

    assert str(refused.value) == "colour: is no field of this body."
    assert refused.value.field == "colour"


@pytest.mark.parametrize(
    ("model", "body", "read"),
    [
        (Wanted, {"query": "tea", "top_k": None}, Wanted(query="tea")),
        (Kept, {"content": "tea", "domain": None}, Kept(content="tea")),
    ],
)
def test_null_is_as_if_the_field_was_left_out(model, body, read):
    assert read_body(model, body) == read


@pytest.mark.parametrize("body", [{}, {"content": None}])
def test_a_field_that_is_needed_is_named(body):
    with pytest.raises(BadInputError, match=r"^content: is required\.$"):
        read_body(Kept, body)


@pytest.mark.parametrize("author", ["ana", 1, ["ana"]])
def test_what_must_be_an_object_is_told_without_a_name_of_our_code(author):
    with pytest.raises(BadInputError, match=r"^author: must be a JSON object\.$"):
        read_body(Kept, {"content": "tea", "author": author})


@pytest.mark.parametrize("top_k", ["10", 1.5, True, [10]])
def test_types_are_not_guessed(top_k):
    with pytest.raises(BadInputError) as refused:
        read_body(Wanted, {"query": "tea", "top_k": top_k})

    assert refused.value.field == "top_k"


def test_a_limit_is_told_with_its_field_and_never_the_value():
    with pytest.raises(BadInputError) as refused:
        read_body(Wanted, {"query": "secret"})

    assert str(refused.value) == "query: String should have at most 3 characters."


def test_a_value_that_cannot_be_meant_is_unprocessable():
    with pytest.raises(UnprocessableError) as refused:
        read_body(Wanted, {"query": "tea", "strategy": "best"})

    assert str(refused.value) == "strategy: must be auto."


@pytest.mark.parametrize("body", [[], "tea", None, 1])
def test_a_body_is_an_object(body):
    with pytest.raises(BadInputError, match=r"^The body must be a JSON object\.$"):
        read_body(Wanted, body)
