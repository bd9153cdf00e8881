from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import InvalidCursorError
from palimpsest.domain.facts import Fact, Review
from palimpsest.domain.feeds import LATEST_WRITE, Feed
from palimpsest.domain.revisions import delete
from palimpsest.use_cases.atom_walks import MAX_WALKS, AtomWalks
from palimpsest.use_cases.budgets import MAX_ANSWER_BYTES
from palimpsest.use_cases.list_atoms import AtomsRequest, ListAtoms

from tests.builders import (
    TENANT,
    build_act,
    build_admin,
    build_atom,
    build_caller,
    build_fact,
    build_scope,
    build_successor,
)
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.cursors import FakeCursors
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds

SECOND = timedelta(seconds=1)
ANA = build_caller("ana", writes=("apollo",))


class Bench:
    """A store, and what lists its atoms."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.ids = FakeIds(self.clock)
        self.facts = FakeFactRepository()
        self.bytes = 1_000
        self.list_atoms = ListAtoms(
            walk=AtomWalks(facts=self.facts, clock=self.clock),
            cursors=FakeCursors(),
            measure=lambda _: self.bytes,
        )

    def add(self, fact: Fact) -> Fact:
        self.facts.add(fact)
        return fact

    def atom(self, text: str = "Ana plays chess.", **fields) -> Fact:
        fields.setdefault("scope", build_scope(userId="ana"))
        return self.add(build_atom(text, ids=self.ids, **fields))

    def replaced(self, before: Fact) -> tuple[Fact, Fact]:
        after, closed = build_successor(before, ids=self.ids)
        self.facts.add(after)
        self.facts.close(before, closed)
        return after, closed

    def deleted(self, before: Fact) -> Fact:
        closed = delete(before, build_act(ids=self.ids))
        self.facts.close(before, closed)
        return closed

    def page(self, feed: Feed | None = None, *, limit=10, cursor=None, caller=ANA, name="recent"):
        request = AtomsRequest(feed=feed or Feed(), limit=limit, cursor=cursor, list_name=name)
        return self.list_atoms(caller, request)

    def everything(self, feed: Feed | None = None, *, limit=10, caller=ANA) -> list[Fact]:
        found: list[Fact] = []
        cursor, pages = None, 0
        while pages == 0 or cursor is not None:
            page = self.page(feed, limit=limit, cursor=cursor, caller=caller)
            found, cursor, pages = found + page.atoms, page.next_cursor, pages + 1
            assert pages < 100
        return found


@pytest.fixture
def bench():
    return Bench()


def test_atoms_come_newest_first_and_other_facts_do_not(bench):
    atoms = [bench.atom(str(number)) for number in range(3)]
    bench.add(build_fact(ids=bench.ids, scope=build_scope(userId="ana")))

    page = bench.page()

    assert (page.atoms, page.next_cursor) == (atoms[::-1], None)


def test_a_full_page_that_is_the_last_one_has_no_cursor(bench):
    """Or its reader would be told that there is more, and find nothing."""
    atoms = [bench.atom() for _ in range(4)]
    for _ in range(5):
        bench.add(build_fact(ids=bench.ids, scope=build_scope(userId="ben")))

    first = bench.page(limit=2)
    last = bench.page(limit=2, cursor=first.next_cursor)

    assert (first.atoms + last.atoms, last.next_cursor) == (atoms[::-1], None)


def test_the_limit_may_change_between_pages(bench):
    atoms = [bench.atom() for _ in range(7)]

    first = bench.page(limit=1)
    second = bench.page(limit=4, cursor=first.next_cursor)
    third = bench.page(limit=2, cursor=second.next_cursor)

    assert first.atoms + second.atoms + third.atoms == atoms[::-1]
    assert third.next_cursor is None


def test_writes_between_pages_neither_repeat_nor_hide_what_was_there(bench):
    atoms = [bench.atom() for _ in range(6)]

    first = bench.page(limit=2)
    bench.atom("new")
    bench.deleted(atoms[5])
    second = bench.page(limit=2, cursor=first.next_cursor)
    bench.atom("newer")
    third = bench.page(limit=2, cursor=second.next_cursor)

    assert first.atoms + second.atoms + third.atoms == atoms[::-1]


def test_one_old_atom_of_a_domain_is_found_among_many_facts_however_few_a_walk_reads(bench):
    wanted = bench.atom(domain="work")
    for _ in range(200):
        bench.atom(domain="home")
    bench.facts.walk_budget = 7
    pages, cursor = 0, None
    found: list[Fact] = []

    while pages == 0 or cursor is not None:
        page = bench.page(Feed(domain="work"), limit=10, cursor=cursor)
        found, cursor, pages = found + page.atoms, page.next_cursor, pages + 1

    assert found == [wanted]
    # Each page is bounded: it looks at so many facts and no more.
    assert pages == -(-201 // (7 * MAX_WALKS))


def test_a_walk_that_ends_below_since_leaves_no_cursor(bench):
    bench.atom("old", now=NOON)
    bench.clock.advance(LATEST_WRITE + 2 * SECOND)
    new = bench.atom("new")
    bench.facts.walk_budget = 1

    page = bench.page(Feed(since=NOON + SECOND), limit=5)

    assert (page.atoms, page.next_cursor) == ([new], None)


def test_times_are_bounds_at_both_ends(bench):
    atoms = []
    for _ in range(5):
        atoms.append(bench.atom())
        bench.clock.advance(SECOND)

    found = bench.everything(Feed(since=NOON + SECOND, until=NOON + 3 * SECOND), limit=1)

    assert found == atoms[3:0:-1]


def test_an_author_is_left_out(bench):
    scope = build_scope(projectId="apollo")
    bench.atom("ours", scope=scope)
    agent = build_caller("bot", kind=CallerKind.AGENT, writes=("apollo",))
    theirs = bench.add(build_atom("theirs", ids=bench.ids, scope=scope, caller=agent))

    assert bench.everything(Feed(exclude_author="user:root")) == [theirs]


def test_what_was_replaced_comes_only_with_the_history_and_what_was_deleted_never(bench):
    after, closed = bench.replaced(bench.atom("old"))
    bench.deleted(bench.atom("gone"))

    assert bench.everything() == [after]
    assert bench.everything(Feed(with_replaced=True)) == [after, closed]


def test_nothing_that_waits_for_a_review_is_listed_to_an_admin_either(bench):
    atom = build_atom(ids=bench.ids)
    bench.add(replace(atom, revision=replace(atom.revision, review=Review.PENDING)))

    assert bench.everything(caller=build_admin()) == []


def test_nothing_that_is_being_erased_is_listed(bench):
    atom = bench.atom()
    bench.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=atom.id),)

    assert bench.everything() == []


def test_another_users_atoms_are_neither_listed_nor_told_by_a_cursor(bench):
    for _ in range(30):
        bench.atom(scope=build_scope(userId="ana"))
    own = bench.atom(scope=build_scope(userId="ben"))

    page = bench.page(caller=build_caller("ben"), limit=1)

    assert (page.atoms, page.next_cursor) == ([own], None)


def test_a_page_ends_where_an_answer_is_full_and_goes_on_there(bench):
    atoms = [bench.atom() for _ in range(5)]
    bench.bytes = MAX_ANSWER_BYTES // 2

    page = bench.page(limit=5)

    assert page.atoms == atoms[:2:-1]
    assert bench.everything(limit=5) == atoms[::-1]


@pytest.mark.parametrize(
    ("caller", "name"),
    [(build_caller("ben"), "recent"), (ANA, "export"), (replace(ANA, project_limit="p"), "recent")],
)
def test_a_cursor_goes_on_in_its_own_list_for_its_own_caller_only(bench, caller, name):
    for _ in range(3):
        bench.atom()
    cursor = bench.page(limit=1).next_cursor

    with pytest.raises(InvalidCursorError):
        bench.page(cursor=cursor, caller=caller, name=name)


def test_an_empty_cursor_is_not_taken_for_the_beginning(bench):
    bench.atom()

    with pytest.raises(InvalidCursorError):
        bench.page(cursor="")
