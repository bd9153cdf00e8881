"""Small worlds of scopes and callers, so that chance meets the cases that matter."""

from itertools import product

from hypothesis import strategies as st
from palimpsest.domain.callers import (
    Caller,
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.scopes import Scope, scope_from_wire

from tests.builders import OTHER_TENANT, TENANT

BLANK = "  "
USERS = ("ana", "ben", BLANK)
PROJECTS = ("acme", "acme-corp", BLANK)
ORGS = ("north", "south", BLANK)
THREADS = ("t-1", "t-2", BLANK)

# Every way to name or not to name each key: 3,072 scopes, one after the other for each caller that chance draws.
_CHOICES = {
    "tenantId": (TENANT, OTHER_TENANT),
    "userId": (None, *USERS),
    "orgId": (None, *ORGS),
    "projectId": (None, *PROJECTS),
    "threadId": (None, *THREADS),
    "sessionId": (None, "s-1"),
    "participantId": (None, "p-1"),
    "teamId": (None, "red"),
}
ALL_SCOPES: tuple[Scope, ...] = tuple(
    scope_from_wire({key: value for key, value in zip(_CHOICES, values, strict=True) if value})
    for values in product(*_CHOICES.values())
    # A session never matters and another tenant never differs by key: one of each is enough.
    if values[5] is None or values[0] == TENANT
)


def project_grants(ids: st.SearchStrategy[str]) -> st.SearchStrategy[ProjectGrant]:
    return st.builds(
        ProjectGrant,
        project_id=ids,
        access=st.sampled_from(ProjectAccess),
        org_id=st.none() | st.sampled_from(ORGS),
    )


def callers(
    *,
    admins: bool = True,
    limits: tuple[str | None, ...] = (None, None, *PROJECTS),
) -> st.SearchStrategy[Caller]:
    """Callers of the small world: any kind, with any grants, blank ones too."""
    orgs = st.builds(OrgGrant, org_id=st.sampled_from(ORGS), access=st.sampled_from(OrgAccess))
    return st.builds(
        Caller,
        tenant_id=st.just(TENANT),
        kind=st.sampled_from(CallerKind),
        id=st.sampled_from(USERS),
        is_tenant_admin=st.sampled_from((False, False, False, True)) if admins else st.just(False),
        projects=st.lists(project_grants(st.sampled_from(PROJECTS)), max_size=3).map(
            lambda grants: {grant.project_id: grant for grant in grants}
        ),
        orgs=st.lists(orgs, max_size=3).map(lambda grants: {g.org_id: g for g in grants}),
        conversations=st.frozensets(st.sampled_from(THREADS), max_size=3),
        project_limit=st.sampled_from(limits),
    )
