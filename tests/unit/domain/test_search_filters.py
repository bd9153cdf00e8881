from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.audiences import audience_of
from palimpsest.domain.filters import FactFilter, matches
from palimpsest.domain.labels import Label, LabelKind, home_label, labels_of
from palimpsest.domain.search_filters import named_values, search_filter
from palimpsest.domain.sight import may_see

from tests.builders import TENANT, build_admin, build_caller, build_fact
from tests.fakes.ids import FakeIds
from tests.unit.domain.worlds import ALL_SCOPES, ORGS, PROJECTS, callers

REVISION = build_fact(ids=FakeIds()).revision
ATOM = build_fact(
    ids=FakeIds(), type="memory.atom", content={"text": "x", "concepts": ["chess"]}
).revision

# A group that every fact meets, one that is met by its concept, one that none meets, and one without labels.
label_groups = st.sampled_from(
    [
        frozenset(home_label(scope) for scope in ALL_SCOPES),
        frozenset({home_label(ALL_SCOPES[0]), Label(LabelKind.CONCEPT, "chess")}),
        frozenset({Label(LabelKind.CONCEPT, "go")}),
        frozenset(),
    ]
)
filters = st.builds(
    FactFilter,
    type=st.none() | st.just("note"),
    scope=st.dictionaries(
        st.sampled_from(["projectId", "userId", "threadId", "teamId"]),
        st.sampled_from(["acme", "ana", "t-1", "red"]),
        max_size=2,
    ),
    project_id=st.none() | st.sampled_from(PROJECTS),
    org_id=st.none() | st.sampled_from(ORGS),
    labels=st.lists(label_groups, max_size=2).map(tuple),
)


def lets_through(compiled, scope, fact_type, labels=frozenset()):
    """What an index does with a compiled filter, in the plainest way."""
    named = dict(named_values(scope.items()))
    return (
        named["tenantId"] == compiled.tenant_id
        and (compiled.audiences is None or audience_of(scope) in compiled.audiences)
        and compiled.type in (None, fact_type)
        and all(named.get(key) == value for key, value in compiled.named)
        and (
            compiled.org_id is None
            or scope.org_id == compiled.org_id
            or scope.project_id in compiled.org_projects
        )
        and all(group & labels for group in compiled.labels)
    )


@given(caller=callers(), wanted=filters)
def test_a_compiled_filter_loses_nothing_that_a_caller_may_see_and_wants(caller, wanted):
    compiled = search_filter(caller, wanted)

    for scope in ALL_SCOPES[::3]:
        for revision in (replace(REVISION, scope=scope), replace(ATOM, scope=scope)):
            if may_see(caller, scope) and matches(wanted, revision, caller):
                assert lets_through(compiled, scope, revision.type, labels_of(revision))


@given(caller=callers(limits=PROJECTS), wanted=filters)
def test_a_compiled_filter_keeps_a_limited_key_inside_its_project(caller, wanted):
    compiled = search_filter(caller, wanted)

    through = [s for s in ALL_SCOPES[::3] if lets_through(compiled, s, "note")]

    assert {scope.project_id for scope in through} <= {caller.project_limit}


def test_an_admin_with_a_limited_key_searches_that_project_only():
    compiled = search_filter(build_admin(project_limit="acme"), FactFilter())

    assert compiled.audiences is None
    assert compiled.named == (("projectId", "acme"),)


def test_somebody_without_grants_searches_what_the_whole_tenant_sees_and_no_more():
    compiled = search_filter(build_caller("ana"), FactFilter())

    assert compiled.tenant_id == TENANT
    assert compiled.audiences is not None
    assert {a.root.value for a in compiled.audiences} == {"tenant"}
    assert search_filter(build_admin(), FactFilter()).audiences is None


def test_two_projects_at_once_match_nothing():
    wanted = FactFilter(project_id="acme", scope={"projectId": "acme-corp"})
    compiled = search_filter(build_admin(), wanted)

    assert not any(lets_through(compiled, scope, "note") for scope in ALL_SCOPES)
