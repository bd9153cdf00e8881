from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.scopes import WIRE_NAMES, Scope, scope_from_wire

from tests.builders import TENANT

known = st.fixed_dictionaries(
    {"tenantId": st.just(TENANT)},
    optional={name: st.text(min_size=1, max_size=3) for name in WIRE_NAMES if name != "tenantId"},
)
unknown = st.dictionaries(
    st.text(max_size=4).filter(lambda key: key not in WIRE_NAMES),
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.integers()),
    max_size=3,
)


@given(known=known, unknown=unknown)
def test_a_scope_survives_the_wire(known, unknown):
    named = {**known, **unknown}

    assert dict(scope_from_wire(named).items()) == named


@given(known=known, unknown=unknown)
def test_every_key_that_the_service_does_not_know_is_kept_as_it_came(known, unknown):
    assert scope_from_wire({**known, **unknown}).unknown == unknown


def test_a_key_is_known_by_its_name_on_the_wire_only():
    scope = scope_from_wire({"tenantId": TENANT, "user_id": "ana", "UserId": "ana", "": 1})

    assert scope.user_id is None
    assert scope.unknown == {"user_id": "ana", "UserId": "ana", "": 1}


def test_every_field_of_a_scope_has_a_name_on_the_wire():
    assert {*WIRE_NAMES.values(), "unknown"} == set(Scope.__slots__)
