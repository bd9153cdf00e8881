from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from palimpsest.adapters.dynamodb import concept_keys
from palimpsest.domain.audiences import audience_of
from palimpsest.domain.scopes import Scope

from tests.builders import TENANT
from tests.strategies import hostile_ids, scopes

MAX_PARTITION_KEY_BYTES = 2048
MAX_SORT_KEY_BYTES = 1024

some_scopes = scopes(hostile_ids)
MAKERS: dict[str, Callable[[Scope, str], str]] = {
    "edges": concept_keys.edges_key,
    "event": concept_keys.event_key,
    "text": lambda scope, text: concept_keys.atom_text_key(scope, text, "77ab"),
    "fingerprint": concept_keys.atom_fingerprint_key,
    "reference": concept_keys.atom_reference_key,
    "edge count": lambda scope, _: concept_keys.edge_count_key(scope),
    "counted out": lambda scope, name: concept_keys.counted_out_key(scope.tenant_id, name),
    "tallies": lambda scope, _: concept_keys.tallies_key(scope.tenant_id),
}
WITHOUT_A_NAME = {"edge count", "tallies"}
OF_THE_TENANT = {"counted out", "tallies"}
places = st.tuples(st.sampled_from(sorted(MAKERS)), some_scopes, hostile_ids)


def partition_of(place: tuple[str, Scope, str]) -> str:
    kind, scope, name = place
    return MAKERS[kind](scope, name)


@given(places, places)
def test_two_places_never_share_a_partition(one, other):
    def meant(place):
        kind, scope, name = place
        return (
            kind,
            None if kind in OF_THE_TENANT else scope,
            None if kind in WITHOUT_A_NAME else name,
        )

    assert (partition_of(one) == partition_of(other)) is (meant(one) == meant(other))


@given(places)
def test_a_partition_key_is_short_enough_and_starts_with_its_tenant(place):
    key = partition_of(place)

    assert key.startswith(f"{TENANT}#")
    assert len(key.encode()) <= MAX_PARTITION_KEY_BYTES


@given(some_scopes, hostile_ids)
def test_a_sort_key_is_short_enough(scope, name):
    keys = [
        concept_keys.tally_sort_key(scope, name),
        concept_keys.listed_sort_key(name),
        concept_keys.edge_sort_key(name),
    ]

    assert all(len(key.encode()) <= MAX_SORT_KEY_BYTES for key in keys)


@given(st.tuples(some_scopes, hostile_ids), st.tuples(some_scopes, hostile_ids))
def test_two_tallies_never_share_a_sort_key(one, other):
    keys = [concept_keys.tally_sort_key(scope, domain) for scope, domain in (one, other)]

    assert (keys[0] == keys[1]) is (one == other)


@given(some_scopes, some_scopes, hostile_ids)
def test_an_audiences_prefix_takes_its_own_tallies_and_no_others(one, other, domain):
    prefix = concept_keys.tallies_prefix(audience_of(one))
    key = concept_keys.tally_sort_key(other, domain)

    assert key.startswith(prefix) is (audience_of(one) == audience_of(other))
