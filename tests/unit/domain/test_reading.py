from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest
from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.facts import Review
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.reading import (
    can_find,
    has_readable_past,
    holds_at,
    is_atom_shown,
    is_current,
    is_retrieved_from_past,
    is_retrieved_now,
    is_shown_now,
    may_be_shown,
)
from palimpsest.domain.revisions import delete, replaced_by

from tests.builders import (
    OTHER_TENANT,
    build_act,
    build_admin,
    build_atom,
    build_caller,
    build_fact,
    build_scope,
    build_successor,
)
from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds

SECOND = timedelta(seconds=1)
ERASURE = OpenErasure(erasure_id="e", pseudonyms=frozenset({"ana"}))


def build_known(**fields):
    """Return a fact of a project, and one revision of it with other fields."""
    fact = replace(
        build_fact(ids=FakeIds(), scope=build_scope(projectId="acme")), named=frozenset({"ana"})
    )
    return replace(fact, revision=replace(fact.revision, **fields))


@pytest.mark.parametrize(
    ("is_seen", "is_over", "is_pending", "is_admin", "is_erased"),
    list(product([True, False], repeat=5)),
)
def test_a_revision_is_shown_only_if_nothing_speaks_against_it(
    is_seen, is_over, is_pending, is_admin, is_erased
):
    fact = build_known(
        expires_at=NOON if is_over else NOON + SECOND, review=Review.PENDING if is_pending else None
    )
    limit = None if is_seen else "acme-corp"
    caller: Caller = (build_admin if is_admin else build_caller)(
        reads=("acme",), project_limit=limit
    )

    shown = may_be_shown(
        caller, fact, fact.revision, now=NOON, open_erasures=(ERASURE,) if is_erased else ()
    )

    assert shown is (is_seen and not is_over and (not is_pending or is_admin) and not is_erased)
    assert can_find(caller, fact) is (is_seen and (not is_pending or is_admin))


def test_an_earlier_revision_of_a_pending_fact_is_for_admins_only():
    fact = build_known(review=Review.PENDING)
    earlier = replace(fact.revision, review=None)

    def shown(caller):
        return may_be_shown(caller, fact, earlier, now=NOON, open_erasures=())

    assert not shown(build_caller(writes=("acme",)))
    assert shown(build_admin())


@pytest.mark.parametrize(("left", "is_it"), [(SECOND, True), (timedelta(0), False), (None, True)])
def test_a_fact_is_current_until_it_is_over(left, is_it):
    fact = build_known(expires_at=None if left is None else NOON + left)

    assert is_current(fact, now=NOON) is is_it


def test_a_deleted_fact_is_not_current():
    fact = build_known()

    assert not is_current(delete(fact, build_act(ids=FakeIds())), now=NOON)


@pytest.mark.parametrize(("type_wanted", "is_it"), [(None, True), ("note", True), ("plan", False)])
def test_what_a_list_shows_is_what_it_wants(type_wanted, is_it):
    fact, reader = build_known(), build_caller(reads=("acme",))
    wanted = FactFilter(type=type_wanted)

    for rule in (is_shown_now, is_retrieved_now):
        assert rule(reader, fact, wanted, now=NOON, open_erasures=()) is is_it
        assert not rule(reader, fact, wanted, now=NOON, open_erasures=(ERASURE,))
        assert not rule(build_caller(), fact, wanted, now=NOON, open_erasures=())


def test_a_deleted_fact_is_neither_listed_nor_retrieved():
    deleted = delete(build_known(), build_act(ids=FakeIds()))

    assert not is_shown_now(build_admin(), deleted, FactFilter(), now=NOON, open_erasures=())
    assert not is_retrieved_now(build_admin(), deleted, FactFilter(), now=NOON, open_erasures=())


@pytest.mark.parametrize(
    ("is_over", "is_pending", "ending"),
    list(product([False, True], [False, True], ["stands", "replaced", "deleted"])),
)
def test_the_past_of_a_fact_is_searched_while_it_or_what_replaced_it_stands(
    is_over, is_pending, ending
):
    fact = build_known(
        expires_at=NOON if is_over else NOON + SECOND, review=Review.PENDING if is_pending else None
    )
    earlier = replace(fact.revision, review=None, expires_at=None)
    act = build_act(ids=FakeIds())
    if ending == "replaced":
        fact = replaced_by(fact, "another", act)
    elif ending == "deleted":
        fact = delete(fact, act)
    is_searched = not is_over and not is_pending and ending != "deleted"

    assert has_readable_past(fact, now=NOON) is is_searched
    for revision in (fact.revision, earlier):
        retrieved = is_retrieved_from_past(
            build_admin(), fact, revision, now=NOON, open_erasures=()
        )
        assert retrieved is is_searched


def test_a_revision_of_the_past_is_checked_like_any_other():
    fact = build_known()
    reader = build_caller(reads=("acme",))

    def retrieved(caller, open_erasures=(), **fields):
        revision = replace(fact.revision, **fields)
        return is_retrieved_from_past(caller, fact, revision, now=NOON, open_erasures=open_erasures)

    assert retrieved(reader)
    assert not retrieved(build_caller())
    assert not retrieved(reader, (ERASURE,))
    assert not retrieved(reader, expires_at=NOON)
    assert not retrieved(build_admin(), review=Review.PENDING)


def test_an_admin_lists_a_pending_fact_but_never_retrieves_it():
    pending = build_known(review=Review.PENDING)

    assert is_shown_now(build_admin(), pending, FactFilter(), now=NOON, open_erasures=())
    assert not is_retrieved_now(build_admin(), pending, FactFilter(), now=NOON, open_erasures=())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"valid_from": NOON}, True),
        ({"valid_from": NOON + SECOND}, False),
        ({"valid_until": NOON + SECOND}, True),
        ({"valid_until": NOON}, False),
        ({"valid_from": NOON, "valid_until": NOON}, False),
    ],
)
def test_what_a_revision_says_holds_from_its_start_up_to_its_end(fields, expected):
    assert holds_at(build_known(**fields).revision, NOON) is expected


def test_the_memory_door_shows_atoms_that_stand_and_those_that_another_one_replaced():
    ids, admin = FakeIds(), build_admin()
    before = build_atom(ids=ids)
    after, replaced = build_successor(before, ids=ids)
    deleted = delete(build_atom(ids=ids), build_act(ids=ids))
    pending = replace(before, revision=replace(before.revision, review=Review.PENDING))
    note = build_fact(ids=ids)
    erased = replace(before, named=frozenset({"ana"}))

    def is_shown(fact, caller=admin, now=NOON):
        return is_atom_shown(caller, fact, now=now, open_erasures=(ERASURE,))

    assert [is_shown(fact) for fact in (before, after, replaced)] == [True, True, True]
    assert [is_shown(f) for f in (deleted, pending, note, erased)] == [False, False, False, False]
    assert not is_shown(before, build_caller("ben", tenant_id=OTHER_TENANT))
    over = replace(replaced, revision=replace(replaced.revision, expires_at=NOON))
    assert [is_shown(over, now=NOON - SECOND), is_shown(over)] == [True, False]
