from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.keys import Index, ShardCounts, State
from palimpsest.adapters.dynamodb.plans import AT_ANY_TIME, PRESENT, plan_reads
from palimpsest.domain.audiences import audiences_of
from palimpsest.domain.callers import (
    MAX_GRANTS,
    Caller,
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.filters import FactFilter, matches_kind
from palimpsest.domain.scopes import Scope
from palimpsest.domain.sight import may_see

from tests.builders import OTHER_TENANT, TENANT, build_admin, build_caller
from tests.strategies import callers, fact_ids, filters, scopes

SHARDS = ShardCounts(container=1, tenant=2)

MEMBER = build_caller("ana", reads=("r",), writes=("w",))
SERVICE = build_caller("app", kind=CallerKind.SERVICE, writes=("w",))
TALKER = build_caller("app", kind=CallerKind.SERVICE, conversations=frozenset({"t"}))
IN_ORG = build_caller(
    "app",
    kind=CallerKind.SERVICE,
    projects={"p": ProjectGrant(project_id="p", access=ProjectAccess.READ, org_id="o")},
)
FREE_PROJECT = build_caller("app", kind=CallerKind.SERVICE, reads=("p",))
ORG_MEMBER = build_caller(
    "app", kind=CallerKind.SERVICE, orgs=(OrgGrant(org_id="o", access=OrgAccess.READ),)
)
LIMITED = replace(MEMBER, project_limit="w")
ADMIN = build_admin()
PLACING_ADMIN = build_admin(
    projects={"p": ProjectGrant(project_id="p", access=ProjectAccess.READ, org_id="o")}
)
LIMITED_ADMIN = build_admin(project_limit="p")

EVERYTHING = FactFilter()


def scope_filter(**scope: str) -> FactFilter:
    return FactFilter(scope=scope)


# Caller, filter → the partitions, without tenant, state and shard.
TABLE = {
    "a service reads the tenant's and each part of its project": (
        SERVICE,
        EVERYTHING,
        ["audience#tenant", "audience#project:w", "audience#project:w/private"],
    ),
    "a user reads their own beside each": (
        MEMBER,
        EVERYTHING,
        [
            "audience#tenant",
            "audience#tenant/user:ana",
            "audience#project:r",
            "audience#project:r/user:ana",
            "audience#project:w",
            "audience#project:w/user:ana",
            "audience#project:w/private",
            "audience#project:w/private/user:ana",
        ],
    ),
    "a key's limit leaves its project": (
        LIMITED,
        EVERYTHING,
        [
            "audience#project:w",
            "audience#project:w/user:ana",
            "audience#project:w/private",
            "audience#project:w/private/user:ana",
        ],
    ),
    "a project filter leaves four": (
        MEMBER,
        FactFilter(project_id="w"),
        [
            "audience#project:w",
            "audience#project:w/user:ana",
            "audience#project:w/private",
            "audience#project:w/private/user:ana",
        ],
    ),
    "a project filter by scope is the same": (
        SERVICE,
        scope_filter(projectId="w"),
        ["audience#project:w", "audience#project:w/private"],
    ),
    "a project that the caller has no grant for": (MEMBER, FactFilter(project_id="x"), []),
    "two projects at once": (MEMBER, FactFilter(project_id="w", scope={"projectId": "r"}), []),
    "a project outside the key's limit": (LIMITED, FactFilter(project_id="r"), []),
    "their own user id": (
        MEMBER,
        scope_filter(userId="ana", projectId="r"),
        ["audience#project:r/user:ana"],
    ),
    "somebody else's user id": (MEMBER, scope_filter(userId="ben"), []),
    "a service has no user's own": (SERVICE, scope_filter(userId="app"), []),
    "a thread is looked up in private parts": (
        MEMBER,
        scope_filter(threadId="t"),
        [
            "audience#project:w/private#thread:t",
            "audience#project:w/private/user:ana#thread:t",
        ],
    ),
    "a conversation is an audience itself": (
        TALKER,
        scope_filter(threadId="t"),
        ["audience#thread:t"],
    ),
    "another conversation": (TALKER, scope_filter(threadId="t2"), []),
    "a participant is looked up in private parts": (
        SERVICE,
        scope_filter(participantId="x"),
        ["audience#project:w/private#participant:x"],
    ),
    "a participant of a conversation without a project": (
        TALKER,
        scope_filter(participantId="x", threadId="t"),
        [],
    ),
    "a session narrows nothing": (
        SERVICE,
        scope_filter(sessionId="s", projectId="w"),
        ["audience#project:w", "audience#project:w/private"],
    ),
    "an org by grant": (ORG_MEMBER, scope_filter(orgId="o"), ["audience#org:o"]),
    "an org of somebody else": (ORG_MEMBER, scope_filter(orgId="o2"), []),
    "an org that a project's grant names": (
        IN_ORG,
        scope_filter(orgId="o"),
        ["audience#org:o", "audience#project:p"],
    ),
    "the org of a placed project is the only one beside it": (IN_ORG, scope_filter(orgId="o2"), []),
    "any org may stand beside a project whose grant names none": (
        FREE_PROJECT,
        scope_filter(orgId="o"),
        ["audience#project:p"],
    ),
    "the kind org takes in the projects that grants place there": (
        IN_ORG,
        FactFilter(org_id="o"),
        ["audience#org:o", "audience#project:p"],
    ),
    "the kind org of another one": (IN_ORG, FactFilter(org_id="o2"), []),
    "a key that nobody knows is for admins": (MEMBER, scope_filter(teamId="red"), []),
    "another tenant": (MEMBER, scope_filter(tenantId=OTHER_TENANT), []),
    "their tenant narrows nothing": (
        build_caller("app", kind=CallerKind.SERVICE),
        scope_filter(tenantId=TENANT),
        ["audience#tenant"],
    ),
    "a known key with no text": (MEMBER, FactFilter(scope={"projectId": 5}), []),
    "an admin reads the tenant": (ADMIN, EVERYTHING, ["tenant", "tenant"]),
    "an admin and a project": (ADMIN, FactFilter(project_id="p"), ["project:p"]),
    "an admin's limit": (LIMITED_ADMIN, EVERYTHING, ["project:p"]),
    "an admin's limit goes before a user": (
        LIMITED_ADMIN,
        scope_filter(userId="ana"),
        ["project:p"],
    ),
    "an admin and what lies outside the limit": (LIMITED_ADMIN, FactFilter(project_id="q"), []),
    "an admin and a user": (ADMIN, scope_filter(userId="ana", projectId="p"), ["user:ana"]),
    "an admin and an org": (ADMIN, scope_filter(orgId="o"), ["org:o"]),
    "an admin and the kind org": (ADMIN, FactFilter(org_id="o"), ["org:o"]),
    "an admin whose grants place a project there": (
        PLACING_ADMIN,
        FactFilter(org_id="o"),
        ["org:o", "project:p"],
    ),
    "an admin and a key that nobody knows": (ADMIN, scope_filter(teamId="red"), ["tenant"] * 2),
    "an admin and a thread": (ADMIN, scope_filter(threadId="t"), ["tenant"] * 2),
}


def paths(reads) -> list[str]:
    return [read.key.removeprefix(f"{TENANT}#").rsplit("#", 2)[0] for read in reads]


@pytest.mark.parametrize(("caller", "wanted", "expected"), TABLE.values(), ids=TABLE.keys())
def test_the_plan(caller, wanted, expected):
    reads = plan_reads(caller, wanted, states=PRESENT, shards=SHARDS)

    assert paths(reads) == expected


@st.composite
def near_misses(draw: st.DrawFn) -> tuple[Scope, Caller, FactFilter]:
    """Return a scope, a caller with grants made for it, and a filter of what it names: most of them match."""
    scope = draw(scopes())
    project_org = draw(st.sampled_from([None, scope.org_id, "c"]))
    access = draw(st.sampled_from([*ProjectAccess, ProjectAccess.WRITE]))
    grants = {"b": ProjectGrant(project_id="b", access=access, org_id=project_org)}
    if scope.project_id is not None:
        grants[scope.project_id] = ProjectGrant(
            project_id=scope.project_id, access=access, org_id=project_org
        )
    orgs = draw(st.sampled_from([(), (scope.org_id,)])) if scope.org_id is not None else ()
    caller = Caller(
        tenant_id=TENANT,
        kind=CallerKind.USER,
        id=scope.user_id or "a",
        is_tenant_admin=draw(st.sampled_from([True, False, False, False, False])),
        projects=grants,
        orgs={org_id: OrgGrant(org_id=org_id, access=OrgAccess.READ) for org_id in orgs},
        conversations=frozenset(filter(None, [scope.thread_id])),
        project_limit=draw(st.sampled_from([None, None, scope.project_id])),
    )
    named = dict(scope.items())
    wanted = FactFilter(
        scope={key: named[key] for key in draw(st.sets(st.sampled_from(sorted(named))))},
        project_id=draw(st.sampled_from([None, scope.project_id])),
        org_id=draw(st.sampled_from([None, scope.org_id, project_org])),
    )
    return scope, caller, wanted


@settings(max_examples=500)
@given(near_misses() | st.tuples(scopes(), callers(), filters), fact_ids, st.sampled_from(State))
def test_every_fact_that_may_be_seen_and_is_wanted_lies_in_a_planned_partition(
    found, fact_id, state
):
    scope, caller, wanted = found
    if not (may_see(caller, scope) and matches_kind(wanted, caller, fact_type="note", scope=scope)):
        return

    reads = plan_reads(caller, wanted, states=AT_ANY_TIME, shards=SHARDS)

    stands_in = keys.index_keys(scope, fact_id, state=state, shards=SHARDS)
    assert [read for read in reads if stands_in.get(read.index.key_attribute) == read.key]


@given(callers().filter(lambda caller: not caller.is_tenant_admin), filters)
def test_only_partitions_of_audiences_that_the_caller_is_in_are_read(caller, wanted):
    own = {keys.in_audience(audience).path for audience in audiences_of(caller)}

    reads = plan_reads(caller, wanted, states=AT_ANY_TIME, shards=SHARDS)

    assert {"#".join(path.split("#")[:2]) for path in paths(reads)} <= own
    assert all(
        read.index in (Index.BY_AUDIENCE, Index.BY_THREAD, Index.BY_PARTICIPANT) for read in reads
    )


@given(callers(), filters)
def test_no_partition_is_read_twice(caller, wanted):
    reads = plan_reads(caller, wanted, states=AT_ANY_TIME, shards=SHARDS)

    assert len(set(reads)) == len(reads)


def test_a_list_of_an_earlier_time_reads_closed_facts_too_and_every_shard():
    shards = ShardCounts(container=3, tenant=8)

    reads = plan_reads(SERVICE, FactFilter(project_id="w"), states=AT_ANY_TIME, shards=shards)

    assert len(reads) == 2 * 2 * 3
    assert {read.key.rsplit("#", 2)[1] for read in reads} == {"current", "closed"}


def test_a_caller_with_every_grant_there_can_be_reads_a_bounded_number_of_partitions():
    crowded = build_caller("ana", writes=tuple(f"p{number}" for number in range(MAX_GRANTS)))

    reads = plan_reads(crowded, EVERYTHING, states=PRESENT, shards=SHARDS)

    assert len(reads) == 2 + 4 * MAX_GRANTS
