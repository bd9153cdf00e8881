from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.keys import Index, ShardCounts, State
from palimpsest.domain.audiences import Audience, Root

from tests.builders import OTHER_TENANT, TENANT, build_scope
from tests.strategies import fact_ids, hostile_ids, scopes

MAX_PARTITION_KEY_BYTES = 2048
MAX_SORT_KEY_BYTES = 1024

audiences = st.builds(
    Audience,
    root=st.sampled_from([Root.ORG, Root.PROJECT, Root.THREAD]),
    root_id=hostile_ids,
    is_private=st.booleans(),
    user_id=st.none() | hostile_ids,
) | st.builds(
    Audience, root=st.sampled_from([Root.TENANT, Root.UNKNOWN]), user_id=st.none() | hostile_ids
)
# Every way to name one container of an index, as (index, what it is made from).
containers = st.one_of(
    st.tuples(st.just("audience"), audiences),
    st.tuples(st.just("thread"), audiences, hostile_ids),
    st.tuples(st.just("participant"), audiences, hostile_ids),
    st.tuples(st.just("project"), hostile_ids),
    st.tuples(st.just("org"), hostile_ids),
    st.tuples(st.just("user"), hostile_ids),
    st.just(("tenant",)),
)
tenants = st.sampled_from([TENANT, OTHER_TENANT])
places = st.tuples(containers, tenants, st.sampled_from(State), st.integers(0, 99))


def partition_of(place) -> tuple[Index, str]:
    (kind, *parts), tenant_id, state, shard = place
    makers: dict[str, Callable[..., keys.Container]] = {
        "audience": keys.in_audience,
        "thread": keys.in_thread,
        "participant": keys.in_participant,
        "project": keys.in_project,
        "org": keys.in_org,
        "user": keys.in_user,
        "tenant": lambda: keys.IN_TENANT,
    }
    made = makers[kind](*parts)
    return made.index, made.partition(tenant_id, state, shard)


@given(places, places)
def test_two_places_never_share_a_partition_of_an_index(one, other):
    if one != other:
        assert partition_of(one) != partition_of(other)


@given(st.tuples(tenants, hostile_ids), st.tuples(tenants, hostile_ids))
def test_two_facts_never_share_a_key(one, other):
    if one != other:
        assert keys.fact_key(*one) != keys.fact_key(*other)
        assert keys.pointer_key(*one) != keys.pointer_key(*other)


@given(hostile_ids, hostile_ids)
def test_keys_of_different_kinds_never_meet(fact_id, pseudonym):
    made = [
        keys.fact_key(TENANT, fact_id),
        keys.pointer_key(TENANT, pseudonym),
        keys.api_keys_key(TENANT),
        keys.erasures_key(TENANT),
    ]

    assert len(set(made)) == len(made)


@given(places)
def test_a_partition_key_is_short_enough_and_starts_with_its_tenant(place):
    _, key = partition_of(place)

    assert len(key.encode()) <= MAX_PARTITION_KEY_BYTES
    assert key.startswith(f"{place[1]}#")


@given(hostile_ids)
def test_a_sort_key_is_short_enough(identifier):
    assert len(keys.pointer_sort_key(identifier).encode()) <= MAX_SORT_KEY_BYTES
    assert len(keys.api_key_sort_key(identifier).encode()) <= MAX_SORT_KEY_BYTES


@pytest.mark.parametrize(
    "sent", ["#HEAD", "a#b", "../..", "\x00", "%23", "😀" * 128, "\ud800", "", "x" * 100_000]
)
def test_any_text_that_is_asked_for_as_an_id_makes_a_key(sent):
    key = keys.fact_key(TENANT, sent)

    assert key.count("#") == 2
    assert len(key.encode()) <= MAX_PARTITION_KEY_BYTES


def test_a_long_part_never_equals_the_text_of_its_own_hash():
    long = keys.fact_key(TENANT, "x" * 129)
    hashed = long.rpartition("#")[2]

    assert hashed.startswith("*")
    assert keys.fact_key(TENANT, hashed) != long


@pytest.mark.parametrize(("lower", "higher"), [(1, 2), (9, 10), (99, 100), (1, 9_999_999_999)])
def test_revisions_sort_by_their_versions(lower, higher):
    assert keys.revision_sort_key(lower) < keys.revision_sort_key(higher)


def test_the_docstring_shows_keys_as_they_are():
    audience = Audience(root=Root.PROJECT, root_id="apollo", is_private=True, user_id="ana")

    assert keys.in_audience(audience).partition("018f…57", State.CURRENT, 0) == (
        "018f%E2%80%A657#audience#project:apollo/private/user:ana#current#0"
    )
    assert keys.IN_TENANT.partition("t", State.CLOSED, 7) == "t#tenant#closed#7"
    assert keys.in_thread(Audience(root=Root.THREAD, root_id="t-1"), "t-1").partition(
        "t", State.CURRENT, 0
    ) == ("t#audience#thread:t-1#thread:t-1#current#0")


def test_a_key_attribute_is_named_after_its_index():
    assert [index.key_attribute for index in Index] == [
        "audienceKey",
        "threadKey",
        "participantKey",
        "projectKey",
        "orgKey",
        "userKey",
        "tenantKey",
    ]


@given(scopes(hostile_ids), fact_ids)
def test_a_fact_stands_in_an_index_only_for_what_its_scope_names(scope, fact_id):
    found = keys.index_keys(scope, fact_id, state=State.CURRENT, shards=ShardCounts())

    named = {
        "threadKey": scope.thread_id,
        "participantKey": scope.participant_id,
        "projectKey": scope.project_id,
        "orgKey": scope.org_id,
        "userKey": scope.user_id,
    }
    expected = {attribute for attribute, value in named.items() if value is not None}
    assert found.keys() == expected | {"audienceKey", "tenantKey"}


def test_facts_spread_over_all_shards_of_the_tenant():
    shards = ShardCounts(container=1, tenant=8)
    ids = [f"01890a5d-ac96-774b-bcce-{number:012x}" for number in range(400)]

    found = {
        keys.index_keys(build_scope(), fact_id, state=State.CURRENT, shards=shards)["tenantKey"]
        for fact_id in ids
    }

    assert found == {keys.IN_TENANT.partition(TENANT, State.CURRENT, shard) for shard in range(8)}


def test_closing_a_fact_changes_every_index_key():
    scope = build_scope(projectId="p", threadId="t", userId="ana", orgId="o", participantId="x")
    shards = ShardCounts()

    current, closed = (
        keys.index_keys(scope, "id", state=state, shards=shards)
        for state in (State.CURRENT, State.CLOSED)
    )

    assert current.keys() == closed.keys()
    assert not [pair for pair in product(current.values(), closed.values()) if len(set(pair)) == 1]
