from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.facts import Review
from palimpsest.domain.projection import belongs_in_index
from palimpsest.domain.revisions import delete

from tests.builders import build_act, build_fact
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

SECOND = timedelta(seconds=1)
ERASURE = OpenErasure(erasure_id="e", pseudonyms=frozenset({"none.ana"}))


@pytest.mark.parametrize(
    ("is_deleted", "is_over", "is_pending", "is_erased"), list(product([False, True], repeat=4))
)
def test_an_index_holds_what_a_search_may_find_and_nothing_else(
    is_deleted, is_over, is_pending, is_erased
):
    fact = replace(build_fact(ids=FakeIds()), named=frozenset({"none.ana"}))
    revision = replace(
        fact.revision,
        expires_at=NOON if is_over else NOON + SECOND,
        review=Review.PENDING if is_pending else None,
    )
    fact = replace(fact, revision=revision)
    fact = delete(fact, build_act(ids=FakeIds())) if is_deleted else fact

    holds = belongs_in_index(fact, now=NOON, open_erasures=(ERASURE,) if is_erased else ())

    assert holds is not (is_deleted or is_over or is_pending or is_erased)


def test_nothing_of_a_fact_that_is_gone_stays():
    assert not belongs_in_index(None, now=NOON, open_erasures=())
