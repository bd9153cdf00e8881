from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.facts import Review
from palimpsest.domain.projection import Shelf, shelf_of
from palimpsest.domain.revisions import delete, replaced_by

from tests.builders import build_act, build_fact
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

SECOND = timedelta(seconds=1)
ERASURE = OpenErasure(erasure_id="e", pseudonyms=frozenset({"none.ana"}))


@pytest.mark.parametrize(
    ("ending", "is_over", "is_pending", "is_erased"),
    list(product([None, "deleted", "replaced"], *[[False, True]] * 3)),
)
def test_an_index_holds_what_a_search_may_find_and_nothing_else(
    ending, is_over, is_pending, is_erased
):
    fact = replace(build_fact(ids=FakeIds()), named=frozenset({"none.ana"}))
    revision = replace(
        fact.revision,
        expires_at=NOON if is_over else NOON + SECOND,
        review=Review.PENDING if is_pending else None,
    )
    fact = replace(fact, revision=revision)
    act = build_act(ids=FakeIds())
    if ending is not None:
        fact = delete(fact, act) if ending == "deleted" else replaced_by(fact, "another", act)

    shelf = shelf_of(fact, now=NOON, open_erasures=(ERASURE,) if is_erased else ())

    if is_over or is_pending or is_erased:
        assert shelf is None
    else:
        assert shelf is {None: Shelf.CURRENT, "replaced": Shelf.HISTORY, "deleted": None}[ending]


def test_nothing_of_a_fact_that_is_gone_stays():
    assert shelf_of(None, now=NOON, open_erasures=()) is None
