from datetime import UTC, datetime, timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.feeds import Feed
from palimpsest.domain.filters import matches
from palimpsest.domain.idempotency import KEPT_FOR
from palimpsest.domain.ids import made_at
from palimpsest.domain.revisions import Draft, first_revision

from tests.builders import build_act, build_admin, build_atom, build_caller, build_fact, build_scope
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.ids import FakeIds

MILLISECOND = timedelta(milliseconds=1)


@pytest.fixture
def ids():
    return FakeIds(FakeClock())


@pytest.mark.parametrize(
    ("since", "until", "is_taken"),
    [
        (None, None, True),
        (NOON, NOON, True),
        (NOON, None, True),
        (None, NOON, True),
        (NOON + MILLISECOND, None, False),
        (None, NOON - MILLISECOND, False),
    ],
)
def test_both_ends_of_a_time_are_in_it(ids, since, until, is_taken):
    atom = build_atom(ids=ids, now=NOON)

    assert Feed(since=since, until=until).takes(atom) == is_taken


def test_an_author_is_left_out_by_kind_and_id(ids):
    service = build_caller("ana", kind=CallerKind.SERVICE, is_tenant_admin=True)
    draft = Draft(type="memory.atom", scope=build_scope(), content="Ana plays chess.")
    atom = first_revision(draft, build_act(ids=ids, caller=service))

    assert not Feed(exclude_author="service:ana").takes(atom)
    assert Feed(exclude_author="user:ana").takes(atom)
    assert Feed(exclude_author="ana").takes(atom)


def test_a_feed_wants_atoms_of_its_domain_and_nothing_else(ids):
    work, home = build_atom(ids=ids, domain="work"), build_atom(ids=ids, domain="home")
    note = build_fact(ids=ids, content={"text": "Ana", "domain": "work"})
    admin = build_admin()

    def wanted(feed: Feed) -> list[bool]:
        return [matches(feed.wanted, fact.revision, admin) for fact in (work, home, note)]

    assert wanted(Feed()) == [True, True, False]
    assert wanted(Feed(domain="work")) == [True, False, False]
    assert wanted(Feed(domain="wo")) == [False, False, False]


def test_what_is_taken_lies_between_floor_and_ceiling(ids):
    atom = build_atom(ids=ids, now=NOON)
    feed = Feed(since=NOON, until=NOON)

    assert feed.floor is not None
    assert feed.ceiling is not None
    assert feed.floor < atom.id < feed.ceiling


def test_a_request_that_was_taken_over_a_day_later_is_not_below_the_floor(ids):
    late = NOON + KEPT_FOR
    taken_over = build_atom(ids=ids, now=late)
    feed = Feed(since=late)

    assert made_at(taken_over.id) == NOON
    assert feed.takes(taken_over)
    assert feed.floor is not None
    assert feed.floor <= taken_over.id


@pytest.mark.parametrize(
    "end", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
def test_the_ends_of_the_calendar_bound_a_feed_like_any_other_time(ids, end):
    atom = build_atom(ids=ids)

    assert Feed(since=end).takes(atom) == (end < NOON)
    assert Feed(until=end).takes(atom) == (end > NOON)
    assert (Feed(since=end).floor is None) == (end < NOON)
    assert Feed(until=end).ceiling is not None


def test_a_feed_without_times_has_no_bounds():
    assert (Feed().floor, Feed().ceiling) == (None, None)
