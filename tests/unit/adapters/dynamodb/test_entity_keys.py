from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from palimpsest.adapters.dynamodb import entity_keys
from palimpsest.domain.entities import EntityKey, EntityName, EntityType
from palimpsest.domain.instants import to_milliseconds
from palimpsest.domain.ties import Side

from tests.builders import OTHER_TENANT, build_scope
from tests.fakes.clock import NOON
from tests.strategies import hostile_ids, texts

SCOPE = build_scope(userId="ana")
PERSON = EntityType.PERSON
# DynamoDB developer guide, "Quotas": bytes of a partition key and of a sort key. dynoxide does not check those of an index.
MAX_PARTITION_KEY, MAX_SORT_KEY = 2048, 1024

# To the millisecond, as every instant here; before them no clock of ours has stood.
since_1970 = st.datetimes(datetime(1970, 1, 1), timezones=st.just(UTC)).map(to_milliseconds)  # noqa: DTZ001


@given(since_1970, since_1970, st.uuids(version=4), st.uuids(version=4))
def test_the_latest_update_sorts_first_and_those_of_one_instant_by_id(one, other, left, right):
    keys = {
        entity_keys.updated_key(at, str(i)): (at, str(i)) for at, i in ((one, left), (other, right))
    }

    by_id = sorted(keys.values(), key=lambda pair: pair[1])

    assert [keys[key] for key in sorted(keys)] == sorted(by_id, key=lambda p: p[0], reverse=True)


def test_an_instant_of_the_same_id_sorts_a_millisecond_apart():
    later = entity_keys.updated_key(NOON + timedelta(milliseconds=1), "b")

    assert later < entity_keys.updated_key(NOON, "a")


@given(hostile_ids | texts, st.sampled_from(EntityType), hostile_ids)
def test_no_name_makes_a_key_that_dynamodb_refuses(name, kind, fact_id):
    scope = build_scope(projectId="😀" * 128, threadId="#" * 256)
    canonical = EntityName(name, kind).key.name

    partitions = [entity_keys.entity_key(scope, canonical), entity_keys.list_key(scope, kind)]
    sorts = [
        entity_keys.tie_sort_key(kind, Side.OBSERVATION, fact_id),
        entity_keys.mark_sort_key(kind, f"observation.{'0' * 64}"),
        entity_keys.total_sort_key(EntityKey(kind, canonical)),
    ]

    assert all(0 < len(key.encode()) <= MAX_PARTITION_KEY for key in partitions)
    assert all(0 < len(key.encode()) <= MAX_SORT_KEY for key in sorts)


def test_scopes_names_and_tenants_each_have_partitions_of_their_own():
    keys = {
        entity_keys.entity_key(scope, name)
        for scope in (SCOPE, build_scope(userId="ben"), build_scope(OTHER_TENANT, userId="ana"))
        for name in ("jeff", "jeff#E", "jeff%23E")
    }

    assert len(keys) == 9


def test_bounds_hold_the_ties_of_one_side_and_of_no_other():
    first, last = entity_keys.tie_sort_keys(PERSON, Side.OUT, None)
    ids = ["01890a5d-ac96-774b-bcce-b302099a8057", "ffffffff-ffff-7fff-bfff-ffffffffffff"]

    assert all(first < entity_keys.tie_sort_key(PERSON, Side.OUT, i) < last for i in ids)
    others = [
        entity_keys.tie_sort_key(kind, side, ids[0])
        for kind in EntityType
        for side in Side
        if (kind, side) != (PERSON, Side.OUT)
    ]
    others += [entity_keys.entity_sort_key(PERSON), entity_keys.mark_sort_key(PERSON, "out.1")]
    assert not any(first <= other <= last for other in others)


def test_bounds_end_with_the_tie_that_was_read_last():
    before = "01890a5d-ac96-774b-bcce-b302099a8057"

    _, last = entity_keys.tie_sort_keys(PERSON, Side.OUT, before)

    assert last == entity_keys.tie_sort_key(PERSON, Side.OUT, before)


def test_counters_are_spread_and_one_entity_always_counts_in_the_same():
    names = [f"jeff {number}" for number in range(200)]

    shards = [entity_keys.total_sort_key(EntityKey(PERSON, name)) for name in names]

    assert len(set(shards)) == entity_keys.TOTAL_SHARDS
    assert shards == [entity_keys.total_sort_key(EntityKey(PERSON, name)) for name in names]
