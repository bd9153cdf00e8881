from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.expiry import expires_at, is_over, last_of, may_be_read, unverified_until
from palimpsest.domain.facts import Retention, Review, Trust
from palimpsest.domain.instants import MILLISECOND

from tests.builders import build_admin, build_caller, build_fact
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

DAY = timedelta(days=1)
ends = st.none() | st.integers(min_value=-5, max_value=5).map(lambda days: NOON + days * DAY)


def build_revision(**fields):
    return replace(build_fact(ids=FakeIds()).revision, **fields)


@given(keep_until=ends, keep_days=st.none() | st.integers(min_value=1, max_value=9), window=ends)
def test_the_end_is_the_earliest_of_those_that_there_are(keep_until, keep_days, window):
    retention = Retention(keep_until=keep_until, keep_days=keep_days)

    end = expires_at(retention, first_written_at=NOON, unverified_until=window)

    days = None if keep_days is None else NOON + keep_days * DAY
    known = [e for e in (keep_until, days, window) if e is not None]
    assert end == (min(known) if known else None)


@pytest.mark.parametrize("trust", Trust)
@pytest.mark.parametrize("window", [None, DAY])
def test_only_the_unverified_have_a_window(trust, window):
    end = unverified_until(trust, created_at=NOON, window=window)

    assert end == (NOON + DAY if trust is Trust.UNVERIFIED and window else None)


@pytest.mark.parametrize(
    ("left", "over"),
    [(MILLISECOND, False), (timedelta(0), True), (-MILLISECOND, True), (None, False)],
)
def test_a_revision_is_over_from_its_end_on_whatever_a_sweep_has_done(left, over):
    revision = build_revision(expires_at=None if left is None else NOON + left)

    assert is_over(revision, now=NOON) is over
    assert may_be_read(build_admin(), revision, now=NOON) is not over


@pytest.mark.parametrize(
    ("caller", "is_read"), [(build_admin(), True), (build_caller(writes=("acme",)), False)]
)
def test_a_pending_fact_is_for_admins_only(caller, is_read):
    pending = build_revision(review=Review.PENDING)

    assert may_be_read(caller, pending, now=NOON) is is_read
    assert may_be_read(caller, build_revision(), now=NOON)


def test_an_admin_reads_no_pending_fact_after_its_end():
    pending = build_revision(review=Review.PENDING, expires_at=NOON)

    assert not may_be_read(build_admin(), pending, now=NOON)


@given(several=st.lists(ends, min_size=1))
def test_the_last_of_several_ends_never_comes_if_one_of_them_does_not(several):
    last = last_of(iter(several))

    assert last == (None if None in several else max(e for e in several if e is not None))
