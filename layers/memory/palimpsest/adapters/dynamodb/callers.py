"""A caller as a JSON value, as an API key's item keeps it, and back. A field that is absent is left out, never null.

The token's name stands on the key itself.
"""

from collections.abc import Mapping
from typing import Any

from palimpsest.domain.callers import (
    Caller,
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.client_envs import ClientEnv

JsonObject = Mapping[str, Any]


def caller_to(caller: Caller) -> JsonObject:
    """Return whom a key speaks for."""
    optional = {
        "projectLimit": caller.project_limit,
        "defaultScope": None if caller.default_scope is None else dict(caller.default_scope),
        "tokenId": caller.token_id,
        "clientEnv": caller.client_env,
        "agentVersion": caller.agent_version,
    }
    return {
        "tenantId": caller.tenant_id,
        "kind": caller.kind,
        "id": caller.id,
        "isTenantAdmin": caller.is_tenant_admin,
        "projects": [_project_to(grant) for grant in caller.projects.values()],
        "orgs": [{"orgId": org.org_id, "access": org.access} for org in caller.orgs.values()],
        "conversations": sorted(caller.conversations),
        "tools": sorted(caller.tools),
        **{name: value for name, value in optional.items() if value is not None},
    }


def caller_from(value: JsonObject) -> Caller:
    """See ``caller_to``."""
    projects = [_project_from(grant) for grant in value["projects"]]
    orgs = [OrgGrant(org_id=o["orgId"], access=OrgAccess(o["access"])) for o in value["orgs"]]
    return Caller(
        tenant_id=value["tenantId"],
        kind=CallerKind(value["kind"]),
        id=value["id"],
        is_tenant_admin=value["isTenantAdmin"],
        projects={grant.project_id: grant for grant in projects},
        orgs={grant.org_id: grant for grant in orgs},
        conversations=frozenset(value["conversations"]),
        project_limit=value.get("projectLimit"),
        default_scope=value.get("defaultScope"),
        tools=frozenset(value["tools"]),
        token_id=value.get("tokenId"),
        client_env=ClientEnv(value["clientEnv"]) if "clientEnv" in value else None,
        agent_version=value.get("agentVersion"),
    )


def _project_to(grant: ProjectGrant) -> JsonObject:
    named = {"projectId": grant.project_id, "access": grant.access}
    return named if grant.org_id is None else {**named, "orgId": grant.org_id}


def _project_from(value: JsonObject) -> ProjectGrant:
    return ProjectGrant(
        project_id=value["projectId"],
        access=ProjectAccess(value["access"]),
        org_id=value.get("orgId"),
    )
