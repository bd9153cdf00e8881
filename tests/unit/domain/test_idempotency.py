from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.idempotency import HELD_FOR, KEPT_FOR, Minted, Record, identity_of

from tests.builders import OTHER_TENANT, build_caller
from tests.fakes.clock import NOON

OPERATION = ("POST", "/v1/memory/facts")
IDENTITY = identity_of(build_caller("ana"), OPERATION, [("a", "1"), ("b", "2")], "k")


def test_the_order_of_parameters_makes_no_other_request():
    again = identity_of(build_caller("ana"), OPERATION, [("b", "2"), ("a", "1")], "k")

    assert again == IDENTITY
    assert len(IDENTITY) == 64


@pytest.mark.parametrize(
    ("caller", "operation", "query", "key"),
    [
        (build_caller("ben"), OPERATION, [("a", "1"), ("b", "2")], "k"),
        (build_caller("ana", kind=CallerKind.AGENT), OPERATION, [("a", "1"), ("b", "2")], "k"),
        (build_caller("ana", tenant_id=OTHER_TENANT), OPERATION, [("a", "1"), ("b", "2")], "k"),
        (build_caller("ana", project_limit="p"), OPERATION, [("a", "1"), ("b", "2")], "k"),
        (build_caller("ana"), ("DELETE", OPERATION[1]), [("a", "1"), ("b", "2")], "k"),
        (build_caller("ana"), ("POST", "/v1/memory"), [("a", "1"), ("b", "2")], "k"),
        (build_caller("ana"), OPERATION, [("a", "1")], "k"),
        (build_caller("ana"), OPERATION, [("a", "1"), ("b", "2")], "K"),
    ],
)
def test_each_part_makes_another_request(caller, operation, query, key):
    assert identity_of(caller, operation, query, key) != IDENTITY


def test_a_record_is_over_after_its_day():
    record = Record(
        body_hash="b",
        minted=Minted(new_id="n", operation_id="o"),
        held_until=NOON + HELD_FOR,
        made_at=NOON,
    )

    assert not record.is_over(NOON + KEPT_FOR - timedelta(milliseconds=1))
    assert record.is_over(NOON + KEPT_FOR)
