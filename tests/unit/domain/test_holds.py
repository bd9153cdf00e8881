from datetime import timedelta

import pytest
from palimpsest.domain.facts import Retention
from palimpsest.domain.holds import only_lifts_hold
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import Change

from tests.builders import build_fact
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

DAY = timedelta(days=1)
MAY = NOON.replace(day=1)
ANA = Person(PersonKind.EXTERNAL, "ana")
HELD = Retention(keep_days=9, legal_hold=True)
LIFTED = Retention(keep_days=9, legal_hold=False)


@pytest.mark.parametrize(
    ("change", "only_lifts"),
    [
        (Change(content={"a": 1}, retention=LIFTED), True),
        (Change(content={"a": 1.0}, retention=LIFTED), True),
        (Change(content={"a": 1}, retention=LIFTED, subjects=(ANA,)), True),
        (Change(content={"a": 1}, retention=LIFTED, valid_from=MAY), True),
        # A retention that comes replaces the one that stands as a whole: without a hold, the hold ends.
        (Change(content={"a": 1}, retention=Retention(keep_days=9)), True),
        (Change(content={"a": 1}), False),
        (Change(content={"a": 1}, retention=HELD), False),
        (Change(content={"a": 2}, retention=LIFTED), False),
        (Change(content={"a": True}, retention=LIFTED), False),
        (Change(content={"a": 1}, retention=Retention(keep_days=8, legal_hold=False)), False),
        (Change(content={"a": 1}, retention=Retention(legal_hold=False)), False),
        (Change(content={"a": 1}, retention=LIFTED, subjects=()), False),
        (Change(content={"a": 1}, retention=LIFTED, valid_from=MAY - DAY), False),
        (Change(content={"a": 1}, retention=LIFTED, valid_until=MAY + DAY), False),
        (Change(content={"a": 1}, retention=LIFTED, observed_at=MAY), False),
    ],
)
def test_a_held_fact_takes_one_change_the_end_of_the_hold(change, only_lifts):
    fact = build_fact(
        ids=FakeIds(), content={"a": 1}, retention=HELD, subjects=(ANA,), valid_from=MAY
    )

    assert fact.revision.is_held
    assert only_lifts_hold(fact, change) is only_lifts
