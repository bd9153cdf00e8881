from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.adapters.dynamodb.attributes import item_bytes
from palimpsest.adapters.dynamodb.items import (
    CLOSING_BYTES,
    MAX_ITEM_BYTES,
    check_size,
    fact_from_item,
    fact_to_item,
    open_erasures_from_item,
    open_erasures_to_item,
    pointer_to_item,
    revision_from_item,
    revision_to_item,
)
from palimpsest.adapters.dynamodb.keys import ShardCounts
from palimpsest.adapters.dynamodb.parts import closing_to_attributes
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import TooLargeError
from palimpsest.domain.facts import Closing, InvalidationReason, Retention
from palimpsest.domain.instants import to_epoch_milliseconds

from tests.builders import TENANT, build_fact, build_scope, build_step
from tests.fakes.ids import FakeIds
from tests.strategies import facts, revisions

SHARDS = ShardCounts()
DAY_SECONDS = 86_400


@given(facts())
def test_a_fact_comes_back_from_its_item_as_it_went_in(fact):
    assert fact_from_item(fact_to_item(fact, SHARDS)) == fact


@given(revisions())
def test_a_revision_comes_back_from_its_item_as_it_went_in(revision):
    assert revision_from_item(revision_to_item(revision, is_fact_held=False)) == revision


@given(facts())
def test_an_item_holds_no_null_and_no_empty_set(fact):
    for value in fact_to_item(fact, SHARDS).values():
        assert value.keys() <= {"S", "N", "SS"}
        assert value.get("SS") != []


@given(facts())
def test_equal_facts_make_equal_items(fact):
    assert repr(fact_to_item(fact, SHARDS)) == repr(fact_to_item(replace(fact), SHARDS))


def test_a_scope_keeps_keys_that_nobody_knows_as_they_came():
    unknown: Any = {"teamId": {"": [1, 2.5, None, "é"]}, "ß": 10**40}
    fact = build_fact(ids=FakeIds(), scope=build_scope(projectId="p", **unknown))

    found = fact_from_item(fact_to_item(fact, SHARDS))

    assert list(found.revision.scope.unknown.items()) == list(unknown.items())


def test_nobody_named_is_no_attribute():
    assert "named" not in fact_to_item(build_fact(ids=FakeIds()), SHARDS)


class TestTtl:
    end = datetime(2026, 6, 1, tzinfo=UTC)

    def ttl_of(self, **changes):
        fact = replace(build_fact(ids=FakeIds()), **changes)
        return fact_to_item(fact, SHARDS).get("ttl")

    def test_a_fact_without_an_end_is_never_swept(self):
        assert self.ttl_of() is None

    def test_a_fact_is_swept_a_day_after_no_revision_can_be_read(self):
        expected = to_epoch_milliseconds(self.end) // 1000 + DAY_SECONDS

        assert self.ttl_of(outlived_at=self.end) == {"N": str(expected)}

    def test_a_held_fact_is_never_swept(self):
        held = replace(build_fact(ids=FakeIds()).revision, retention=Retention(legal_hold=True))

        assert self.ttl_of(outlived_at=self.end, revision=held) is None

    def test_an_end_in_the_last_year_that_a_time_can_have_is_fine(self):
        last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)

        assert self.ttl_of(outlived_at=last) is not None

    @pytest.mark.parametrize(
        ("retention", "is_fact_held", "is_swept"),
        [
            (None, False, True),
            (None, True, False),
            (Retention(legal_hold=True), False, False),
            (Retention(legal_hold=False), False, True),
        ],
    )
    def test_an_earlier_revision_is_swept_unless_it_or_the_fact_is_held(
        self, retention, is_fact_held, is_swept
    ):
        first = build_fact(ids=FakeIds())
        revision = replace(first.revision, retention=retention, expires_at=self.end)

        item = revision_to_item(revision, is_fact_held=is_fact_held)

        assert ("ttl" in item) is is_swept

    def test_a_pointer_is_never_swept(self):
        assert pointer_to_item(TENANT, "k1.abc", "id").keys() == {"pk", "sk"}


class TestSize:
    def test_an_item_up_to_the_budget_passes_and_one_byte_more_does_not(self):
        fact = build_fact(ids=FakeIds(), content="")
        room = MAX_ITEM_BYTES - CLOSING_BYTES - item_bytes(fact_to_item(fact, SHARDS))
        full = replace(fact.revision, content=fact.revision.content + "x" * room)
        over = replace(full, content=full.content + "x")

        check_size(fact_to_item(replace(fact, revision=full), SHARDS))
        with pytest.raises(TooLargeError) as refused:
            check_size(fact_to_item(replace(fact, revision=over), SHARDS))

        assert refused.value.max_bytes == 256 * 1024

    def test_the_room_that_is_kept_takes_every_closing(self):
        longest = Closing(
            at=datetime(2026, 1, 1, tzinfo=UTC),
            by="service:" + "😀" * 128,
            reason=InvalidationReason.SUPERSEDED,
            operation_id="x" * 36,
            superseded_by="x" * 36,
        )

        assert item_bytes(closing_to_attributes(longest)) < CLOSING_BYTES

    def test_text_is_weighed_in_bytes(self):
        assert item_bytes({"é": {"S": "😀"}}) == 6
        assert item_bytes({"s": {"SS": ["ab", "c"]}}) == 4
        assert item_bytes({"m": {"M": {"a": {"S": "b"}}}}) == 1 + 3 + 1 + 1 + 1

    def test_a_supersede_that_names_ever_more_people_is_refused_in_the_end(self):
        fact = build_fact(ids=FakeIds())
        crowd = frozenset(f"k1.{number:064x}" for number in range(4000))

        with pytest.raises(TooLargeError):
            check_size(fact_to_item(replace(fact, named=crowd), SHARDS))


def test_open_erasures_come_back_by_their_ids():
    erasures = (
        OpenErasure(erasure_id="e-1", fact_id="01890a5d-ac96-774b-bcce-b302099a8057"),
        OpenErasure(erasure_id="e-2", pseudonyms=frozenset({"k1.a", "none.b"})),
    )

    assert open_erasures_from_item(open_erasures_to_item(TENANT, erasures)) == erasures
    assert open_erasures_from_item(open_erasures_to_item(TENANT, ())) == ()
    assert open_erasures_from_item(None) == ()


def test_a_tenant_with_32_open_erasures_costs_two_read_units_at_most():
    digest = "f" * 64
    people = frozenset({f"k1.{digest}", f"none.{digest}"})
    erasures = tuple(
        OpenErasure(erasure_id=f"01890a5d-ac96-774b-bcce-{n:012x}", pseudonyms=people)
        for n in range(32)
    )

    # A unit is 4 KB; a second key that is listed during a rotation makes it three.
    assert item_bytes(open_erasures_to_item(TENANT, erasures)) < 8 * 1024


def test_an_item_shows_its_times_as_the_service_writes_them():
    ids = FakeIds()
    fact = build_fact(ids=ids)
    step = build_step(fact, ids=ids, now=fact.revision.created_at + timedelta(milliseconds=1))

    item = revision_to_item(step.closed, is_fact_held=False)

    assert item["createdAt"] == {"S": "2026-05-01T12:00:00.000Z"}
    assert item["invalidatedAt"] == {"S": "2026-05-01T12:00:00.001Z"}
    assert item["sk"] == {"S": "R#0000000001"}


@given(st.integers(1, 10**9))
def test_a_version_is_kept_exactly(version):
    revision = replace(build_fact(ids=FakeIds()).revision, version=version)

    assert revision_from_item(revision_to_item(revision, is_fact_held=False)).version == version
