from dataclasses import replace

import pytest
from palimpsest.domain.erasures import OpenErasure, check_not_being_erased, is_being_erased
from palimpsest.domain.errors import ErasureInProgressError

from tests.builders import build_fact
from tests.fakes.ids import FakeIds

OF_ANA = OpenErasure(erasure_id="e-1", pseudonyms=frozenset({"none.ana", "k1.ana"}))
OF_FACT = OpenErasure(erasure_id="e-2", fact_id="f-1")


@pytest.mark.parametrize(
    ("fact_id", "named", "is_covered"),
    [
        ("f-1", (), True),
        ("f-2", (), False),
        ("f-2", ("k1.ana",), True),
        ("f-2", ("k1.ben", "none.ana"), True),
        ("f-2", ("k1.ben",), False),
        ("f-2", ("k1.an",), False),
    ],
)
def test_an_erasure_covers_its_fact_and_everybody_whom_it_names(fact_id, named, is_covered):
    assert is_being_erased(fact_id, named, (OF_ANA, OF_FACT)) is is_covered


def test_nothing_is_covered_when_nothing_is_open():
    assert not is_being_erased("f-1", ["k1.ana"], ())


def test_an_erasure_that_names_nobody_covers_nothing():
    nobody = OpenErasure(erasure_id="e-3")

    assert not is_being_erased("f-1", [], (nobody,))
    assert not is_being_erased("f-1", ["k1.ana"], (nobody,))


@pytest.mark.parametrize(
    ("named_before", "named_now", "is_refused"),
    [
        (set(), (), False),
        ({"k1.ben"}, ("k1.ben",), False),
        ({"k1.ana"}, (), True),
        (set(), ("k1.ana",), True),
    ],
)
def test_nothing_changes_for_a_person_who_is_or_ever_was_named(named_before, named_now, is_refused):
    fact = replace(build_fact(ids=FakeIds()), named=frozenset(named_before))

    if is_refused:
        with pytest.raises(ErasureInProgressError):
            check_not_being_erased(fact, named_now, (OF_ANA,))
    else:
        check_not_being_erased(fact, named_now, (OF_ANA,))


def test_the_refusal_names_nobody():
    fact = build_fact(ids=FakeIds())

    with pytest.raises(ErasureInProgressError) as refused:
        check_not_being_erased(fact, ["k1.ana"], (OF_ANA,))

    assert "ana" not in str(refused.value)
    assert refused.value.details == {}
