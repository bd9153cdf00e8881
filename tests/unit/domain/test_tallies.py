from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.facts import Fact
from palimpsest.domain.revisions import delete, replaced_by
from palimpsest.domain.tallies import Counts, DomainTally, counted, tally_of

from tests.builders import build_act, build_atom, build_fact, build_scope
from tests.fakes.ids import FakeIds

IDS = FakeIds()
ATOM = build_atom(ids=IDS, domain="work", importance=0.3, fingerprint="f")

decimals = st.decimals(-1, 1, places=6)
counts = st.builds(
    Counts, atoms=st.integers(), fingerprints=st.integers(), importance=decimals, valence=decimals
)


def test_an_atom_that_stands_counts_in_its_domain():
    one = Counts(atoms=1, fingerprints=1, importance=Decimal("0.3"))

    assert counted(ATOM) == ("work", one)
    assert counted(replace(ATOM, valence=-0.1)) == ("work", replace(one, valence=Decimal("-0.1")))
    assert counted(build_atom(ids=IDS)) == ("general", Counts(atoms=1, importance=Decimal(1)))


@pytest.mark.parametrize(
    "fact",
    [
        delete(ATOM, build_act(ids=IDS)),
        replaced_by(ATOM, "id", build_act(ids=IDS)),
        build_fact(ids=IDS, content={"text": "a", "domain": "work"}),
    ],
)
def test_what_has_ended_and_what_is_no_atom_counts_nowhere(fact: Fact):
    assert counted(fact) is None


@given(st.lists(counts))
def test_what_is_added_and_taken_off_again_leaves_nothing(many):
    total = sum(many, Counts())

    assert sum((-each for each in many), total) == Counts()


def test_a_tally_is_told_in_plain_numbers():
    added = Counts(atoms=2, importance=Decimal("0.1")) + Counts(importance=Decimal("0.2"))

    assert tally_of(build_scope(), "work", added) == DomainTally(
        scope=build_scope(),
        domain="work",
        atoms=2,
        fingerprints=0,
        importance_sum=0.3,
        valence_sum=0.0,
    )
