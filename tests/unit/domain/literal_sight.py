"""A slow, literal reading of spec/facts.md §3 to §5, written apart from the product: what the fast rules are held to.

It works on what a scope names on the wire and on plain sets of grants, row by row and step by step, in the spec's order.
Nothing in it is shared with ``palimpsest.domain.sight`` or ``palimpsest.domain.audiences``.
"""

from palimpsest.domain.callers import Caller
from palimpsest.domain.scopes import Scope

KNOWN = {"tenantId", "userId", "orgId", "projectId", "threadId", "sessionId", "participantId"}


def literally_may_see(caller: Caller, scope: Scope) -> bool:  # noqa: C901 - one line a row of the table
    """Read §4: "The conditions, all of which must hold"."""
    named = dict(scope.items())
    rows = [_anything(caller, named)]
    if not caller.is_tenant_admin:  # "A tenant admin sees every fact (within the key's limit)."
        if "projectId" in named:
            rows.append(named["projectId"] in _readable_projects(caller))
        if "orgId" in named:
            rows.append(_org(caller, named))
        if "userId" in named:
            rows.append(_is_that_user(caller, named["userId"]))
        if "participantId" in named:
            rows.append(named.get("projectId") in _writable_projects(caller))
        if "threadId" in named and "projectId" in named:
            rows.append(named["projectId"] in _writable_projects(caller))
        if "threadId" in named and "projectId" not in named:
            rows.append(named["threadId"] in _writable_conversations(caller))
        if named.keys() - KNOWN:
            rows.append(False)
    return all(rows)


def literally_may_write(  # noqa: C901, PLR0911 - one line a step of the list
    caller: Caller, scope: Scope
) -> bool:
    """Read §5: "checked on the scope, in this order"."""
    named = dict(scope.items())
    if not _anything(caller, named):  # §3: "the limit is AND-ed into both rules"
        return False
    if caller.is_tenant_admin:  # 1
        return True
    if named.keys() - KNOWN:  # 2
        return False
    if "participantId" in named and "projectId" not in named:
        return False  # §7: "scope.participantId needs scope.projectId"; §4 then shows it to admins only
    if "userId" in named and not _is_that_user(caller, named["userId"]):  # 3
        return False
    if "projectId" in named:  # 4
        return named["projectId"] in _writable_projects(caller) and _org_beside(caller, named)
    if "threadId" in named:  # 5
        return named["threadId"] in _writable_conversations(caller) and _org_beside(caller, named)
    if "orgId" in named:  # 6
        return named["orgId"] in _administered_orgs(caller)
    return "userId" in named  # 7, 8


def _anything(caller, named):
    in_tenant = named["tenantId"] == caller.tenant_id
    in_limit = caller.project_limit is None or named.get("projectId") == caller.project_limit
    return in_tenant and in_limit


def _is_that_user(caller, user_id):
    # §3: "kind and id always compare together", "A blank grant or claim grants nothing."
    return caller.name == f"user:{user_id}" and user_id.strip() != ""


def _org(caller, named):
    if named["orgId"] in _readable_orgs(caller):
        return True
    # "beside a project whose grant names no org, the project's grant is enough"
    grants = [g for g in _projects(caller) if g.project_id == named.get("projectId")]
    return any(g.org_id is None for g in grants)


def _org_beside(caller, named):
    """Read "In 4 and 5 an orgId beside it must be one that the caller may read", by §4's row for orgs."""
    return "orgId" not in named or _org(caller, named)


def _projects(caller):
    # §3: "A blank grant or claim grants nothing."
    return [grant for grant in caller.projects.values() if grant.project_id.strip()]


def _readable_projects(caller):
    return {g.project_id for g in _projects(caller)}


def _writable_projects(caller):
    return {g.project_id for g in _projects(caller) if g.access.value == "write"}


def _readable_orgs(caller):
    by_org = {g.org_id for g in caller.orgs.values()}
    by_project = {g.org_id for g in _projects(caller) if g.org_id is not None}
    return {org for org in by_org | by_project if org.strip()}


def _administered_orgs(caller):
    return {
        g.org_id for g in caller.orgs.values() if g.access.value == "admin" and g.org_id.strip()
    }


def _writable_conversations(caller):
    return {thread for thread in caller.conversations if thread.strip()}
