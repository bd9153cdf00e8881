"""What every keeper of requests promises: ``palimpsest.ports.idempotency``."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.idempotency import (
    HELD_FOR,
    KEPT_FOR,
    KeptAnswer,
    Minted,
    Repeatable,
)

from tests.builders import OTHER_TENANT, TENANT
from tests.fakes.clock import NOON

REQUEST = Repeatable(identity="a" * 64, body_hash="b" * 64)
OTHER_BODY = replace(REQUEST, body_hash="c" * 64)
FIRST = Minted(new_id="n-1", operation_id="o-1")
SECOND = Minted(new_id="n-2", operation_id="o-2")
ANSWER = KeptAnswer(
    status=201,
    body='{"a":"\x00\U0001f600"}',
    fact_ids=("f-1", "f-2"),
    readable_until=NOON + timedelta(days=2),
    at=NOON,
)


@pytest.fixture
def records(stores):
    return stores().idempotency


def test_the_first_claim_is_given_and_the_second_is_told_who_holds_it(records):
    first = records.claim(TENANT, REQUEST, FIRST, now=NOON)
    second = records.claim(TENANT, OTHER_BODY, SECOND, now=NOON)

    assert (first.is_mine, second.is_mine) == (True, False)
    assert second.record == first.record
    assert first.record.minted == FIRST
    assert first.record.held_until == NOON + HELD_FOR


def test_of_many_claims_at_once_one_is_given(records):
    minted = [Minted(new_id=f"n-{n}", operation_id=f"o-{n}") for n in range(20)]

    with ThreadPoolExecutor(20) as pool:
        claims = list(pool.map(lambda m: records.claim(TENANT, REQUEST, m, now=NOON), minted))

    assert sum(claim.is_mine for claim in claims) == 1


@pytest.mark.parametrize(
    "answer",
    [ANSWER, replace(ANSWER, body=None), replace(ANSWER, fact_ids=(), readable_until=None)],
)
def test_a_kept_answer_is_found(records, answer):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)
    records.keep(TENANT, REQUEST, FIRST, answer)

    found = records.claim(TENANT, REQUEST, SECOND, now=NOON + KEPT_FOR - timedelta(seconds=1))

    assert (found.is_mine, found.record.answer) == (False, answer)


def test_after_a_day_an_identity_is_free(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)
    records.keep(TENANT, REQUEST, FIRST, ANSWER)

    claim = records.claim(TENANT, OTHER_BODY, SECOND, now=NOON + KEPT_FOR)

    assert claim.is_mine
    assert claim.record.minted == SECOND
    assert claim.record.answer is None


def test_a_dead_hold_is_taken_over_with_its_own_ids_by_the_same_body_only(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)
    later = NOON + HELD_FOR

    early = records.claim(TENANT, REQUEST, SECOND, now=later - timedelta(milliseconds=1))
    other = records.claim(TENANT, OTHER_BODY, SECOND, now=later)
    taken = records.claim(TENANT, REQUEST, SECOND, now=later)
    late = records.claim(TENANT, REQUEST, SECOND, now=later)

    assert [c.is_mine for c in (early, other, taken, late)] == [False, False, True, False]
    assert taken.record.minted == replace(FIRST, is_taken_over=True)
    assert taken.record.held_until == later + HELD_FOR


def test_of_many_who_take_over_one_does(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)
    later = NOON + HELD_FOR

    with ThreadPoolExecutor(10) as pool:
        claims = list(
            pool.map(lambda _: records.claim(TENANT, REQUEST, SECOND, now=later), range(10))
        )

    assert sum(claim.is_mine for claim in claims) == 1


def test_a_hold_that_is_let_go_undone_leaves_nothing(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)
    records.let_go(TENANT, REQUEST, FIRST, is_undone=True)

    claim = records.claim(TENANT, OTHER_BODY, SECOND, now=NOON)

    assert claim.is_mine
    assert claim.record.minted == SECOND


def test_a_hold_that_is_let_go_unsettled_can_be_taken_over_at_once(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)
    records.let_go(TENANT, REQUEST, FIRST, is_undone=False)

    claim = records.claim(TENANT, REQUEST, SECOND, now=NOON)

    assert claim.is_mine
    assert claim.record.minted == replace(FIRST, is_taken_over=True)


def test_somebody_elses_hold_is_neither_answered_nor_let_go(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)

    records.keep(TENANT, REQUEST, SECOND, ANSWER)
    records.let_go(TENANT, REQUEST, SECOND, is_undone=True)
    records.let_go(TENANT, REQUEST, SECOND, is_undone=False)

    found = records.claim(TENANT, REQUEST, SECOND, now=NOON)
    assert not found.is_mine
    assert found.record.minted == FIRST
    assert found.record.answer is None


def test_an_answer_is_neither_replaced_nor_let_go(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)
    records.keep(TENANT, REQUEST, FIRST, ANSWER)

    records.keep(TENANT, REQUEST, FIRST, replace(ANSWER, status=200))
    records.let_go(TENANT, REQUEST, FIRST, is_undone=True)

    assert records.claim(TENANT, REQUEST, SECOND, now=NOON).record.answer == ANSWER


def test_tenants_and_identities_are_apart(records):
    records.claim(TENANT, REQUEST, FIRST, now=NOON)

    assert records.claim(OTHER_TENANT, REQUEST, SECOND, now=NOON).is_mine
    assert records.claim(TENANT, replace(REQUEST, identity="d" * 64), SECOND, now=NOON).is_mine
