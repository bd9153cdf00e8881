import inspect
import re

import pytest
from palimpsest.domain import errors
from palimpsest.domain.errors import (
    BadInputError,
    DuplicateFactError,
    FactChangedError,
    FactNotFoundError,
    PalimpsestError,
    TooLargeError,
)


def all_errors(root=PalimpsestError):
    return [root, *(e for child in root.__subclasses__() for e in all_errors(child))]


def test_the_drawn_tree_is_the_tree():
    rows = re.findall(r"^    ([\u2500-\u257f ]*)(\w+Error)\b", errors.__doc__ or "", re.MULTILINE)
    path: list[str] = []
    drawn = {}
    for branches, name in rows:
        depth = len(branches) // 4
        drawn[name] = path[depth - 1] if depth else "Exception"
        path[depth:] = [name]

    real = {error.__name__: error.__base__.__name__ for error in all_errors()}

    assert drawn == real


def test_every_error_of_the_module_is_in_the_tree():
    defined = {
        name
        for name, thing in inspect.getmembers(errors, inspect.isclass)
        if thing.__module__ == errors.__name__ and issubclass(thing, Exception)
    }

    assert defined == {error.__name__ for error in all_errors()}


@pytest.mark.parametrize(
    ("error", "details"),
    [
        (PalimpsestError("no"), {}),
        (BadInputError("no"), {}),
        (BadInputError("no", field="scope.userId"), {"field": "scope.userId"}),
        (TooLargeError(262_144), {"maxBytes": 262_144}),
        (FactNotFoundError("f-1"), {"factId": "f-1"}),
        (DuplicateFactError("f-1"), {"factId": "f-1"}),
        (FactChangedError(3), {"currentVersion": 3}),
    ],
)
def test_details_are_for_machines(error, details):
    assert error.details == details


def test_a_missing_fact_is_told_in_the_same_words_whatever_its_id():
    assert str(FactNotFoundError("a")) == str(FactNotFoundError("b"))
