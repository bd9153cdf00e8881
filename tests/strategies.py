"""Random scopes, callers, filters and revisions, hostile where the spec lets them be."""

from datetime import UTC

from hypothesis import strategies as st
from palimpsest.domain.atoms import rounded
from palimpsest.domain.callers import (
    Caller,
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.facts import (
    Author,
    Closing,
    Fact,
    Freshness,
    InvalidationReason,
    Refresh,
    RefreshStrategy,
    Retention,
    Review,
    Revision,
    RunStep,
    Source,
    SourceKind,
    Trust,
)
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.scopes import Scope

from tests.builders import TENANT

# Few enough that scopes, grants and filters meet.
few_ids = st.sampled_from(["a", "b", "c"])

# No lone surrogates: they are no characters, and refused at the door.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
hostile_ids = st.one_of(
    st.sampled_from(["#", "a#b", "/", "..", "\x00", "%23", "%", "*", "user:ana", "😀" * 128, " "]),
    st.text(st.sampled_from("#/%*:\x00a😀é"), min_size=1, max_size=12),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=256),
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
instants = st.datetimes(timezones=st.just(UTC)).map(
    lambda d: d.replace(microsecond=d.microsecond // 1000 * 1000)
)


def scopes(ids: st.SearchStrategy[str] = few_ids) -> st.SearchStrategy[Scope]:
    """Return scopes over some ids; one in four with a key that nobody knows."""
    named = st.none() | ids
    unknown: st.SearchStrategy[dict[str, str]] = (
        st.just({}) | st.just({}) | st.just({}) | st.just({"teamId": "red"})
    )
    return st.builds(
        Scope,
        tenant_id=st.just(TENANT),
        user_id=named,
        org_id=named,
        project_id=named,
        thread_id=named,
        session_id=named,
        participant_id=named,
        unknown=unknown,
    )


@st.composite
def callers(draw: st.DrawFn) -> Caller:
    """Return callers with some grants; one in three an admin, some limited to a project."""
    projects = draw(
        st.dictionaries(
            few_ids, st.tuples(st.sampled_from(ProjectAccess), st.none() | few_ids), max_size=3
        )
    )
    orgs = draw(st.dictionaries(few_ids, st.sampled_from(OrgAccess), max_size=3))
    return Caller(
        tenant_id=TENANT,
        kind=draw(st.sampled_from(CallerKind)),
        id=draw(few_ids),
        is_tenant_admin=draw(st.sampled_from([True, False, False])),
        projects={
            project_id: ProjectGrant(project_id=project_id, access=access, org_id=org_id)
            for project_id, (access, org_id) in projects.items()
        },
        orgs={org_id: OrgGrant(org_id=org_id, access=access) for org_id, access in orgs.items()},
        conversations=draw(st.frozensets(few_ids, max_size=2)),
        project_limit=draw(st.none() | st.none() | few_ids),
    )


filters = st.builds(
    FactFilter,
    type=st.none() | st.sampled_from(["note", "rule"]),
    scope=st.dictionaries(
        st.sampled_from(["userId", "orgId", "projectId", "threadId", "sessionId", "participantId"]),
        few_ids,
        max_size=2,
    )
    | st.just({"teamId": "red"})
    | st.just({"tenantId": TENANT}),
    project_id=st.none() | st.none() | few_ids,
    org_id=st.none() | st.none() | few_ids,
)

people = st.builds(
    Person,
    st.sampled_from([PersonKind.PARTICIPANT, PersonKind.USER, PersonKind.EXTERNAL]),
    hostile_ids,
)
retentions = st.builds(
    Retention,
    keep_until=st.none() | instants,
    keep_days=st.none() | st.integers(min_value=1),
    legal_hold=st.none() | st.booleans(),
)
sources = st.builds(
    Source,
    kind=st.sampled_from(SourceKind),
    freshness=st.builds(
        Freshness,
        ttl_seconds=st.none() | st.integers(),
        last_verified_at=st.none() | instants,
        etag=st.none() | texts,
        source_version=st.none() | texts,
    ),
    refresh=st.builds(
        Refresh,
        strategy=st.sampled_from(RefreshStrategy),
        handler=st.none() | texts,
        priority=st.none() | st.integers(),
    ),
    uri=st.none() | texts,
)
fact_ids = st.uuids().map(str)
closings = st.builds(
    Closing,
    at=instants,
    by=texts,
    reason=st.sampled_from(InvalidationReason),
    operation_id=texts,
    superseded_by=st.none() | fact_ids,
)


def revisions() -> st.SearchStrategy[Revision]:
    """Return revisions with every field, fit to be stored if not always to be written."""
    return st.builds(
        Revision,
        fact_id=fact_ids,
        revision_id=fact_ids,
        version=st.integers(min_value=1, max_value=10**9),
        operation_id=texts,
        type=hostile_ids,
        scope=st.builds(
            Scope,
            tenant_id=st.just(TENANT),
            user_id=st.none() | hostile_ids,
            org_id=st.none() | hostile_ids,
            project_id=st.none() | hostile_ids,
            thread_id=st.none() | hostile_ids,
            session_id=st.none() | hostile_ids,
            participant_id=st.none() | hostile_ids,
            unknown=st.dictionaries(texts.map("x".__add__), json_values, max_size=2),
        ),
        content=texts,
        content_hash=texts,
        size=st.integers(min_value=0),
        created_at=instants,
        attributed_to=st.builds(
            Author,
            kind=st.sampled_from(CallerKind),
            id=hostile_ids,
            agent_version=st.none() | texts,
        ),
        trust=st.sampled_from(Trust),
        generated_by=st.none()
        | st.builds(
            RunStep, run_id=texts, step_id=st.none() | texts, tool_call_id=st.none() | texts
        ),
        supersedes=st.none() | fact_ids,
        replaces=st.lists(fact_ids, max_size=2).map(tuple),
        subjects=st.lists(people, max_size=3).map(tuple),
        retention=st.none() | retentions,
        source=st.none() | sources,
        content_ref=st.none() | texts,
        caused_by_log_ids=st.none() | st.lists(texts, max_size=2).map(tuple),
        valid_from=st.none() | instants,
        valid_until=st.none() | instants,
        observed_at=st.none() | instants,
        verified_by=st.none() | texts,
        verified_at=st.none() | instants,
        embedding_model=st.none() | texts,
        review=st.none() | st.sampled_from(Review),
        expires_at=st.none() | instants,
        closing=st.none() | closings,
    )


def facts() -> st.SearchStrategy[Fact]:
    """Return facts over such revisions."""
    return st.builds(
        Fact,
        revision=revisions(),
        first_written_at=instants,
        named=st.frozensets(texts.filter(bool), max_size=3),
        outlived_at=st.none() | instants,
        valence=st.none() | st.floats(-1, 1).map(rounded),
    )
