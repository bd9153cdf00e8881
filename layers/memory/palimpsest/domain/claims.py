"""Claims of a JSON Web Token: what a verified one says of its bearer, read strictly.

    iss aud exp sub          as RFC 7519; checked by whoever verifies the token
    tenant_id                a UUID; required
    caller_kind              user (the default), service or agent
    admin                    JSON true makes a tenant admin; nothing else does
    projects_read projects_write orgs_read orgs_admin conversations
                             arrays of ids; there is no wildcard, and a blank id is refused, not widened
    project_limit            the only project that exists for this token
    tools                    tool grants, such as "destructive"

A token that says something unfit is refused as a whole: half a token could be wider than what its issuer meant.
"""

import uuid
from collections.abc import Mapping
from typing import NoReturn

from palimpsest.domain.callers import (
    MAX_GRANTS,
    TOOL_GRANTS,
    Caller,
    CallerKind,
    OrgAccess,
    OrgGrant,
    ProjectAccess,
    ProjectGrant,
)
from palimpsest.domain.errors import BadInputError, TokenMissingError
from palimpsest.domain.outer_ids import check_not_blank

Claims = Mapping[str, object]


def caller_from_claims(claims: Claims) -> Caller:
    """Return whom a verified token speaks for.

    Raises:
        TokenMissingError: If a claim is missing or unfit; the message names it, and never its value.
    """
    projects = {
        **_granted(claims, "projects_read", ProjectAccess.READ),
        **_granted(claims, "projects_write", ProjectAccess.WRITE),
    }
    orgs = {
        **dict.fromkeys(_ids(claims, "orgs_read"), OrgAccess.READ),
        **dict.fromkeys(_ids(claims, "orgs_admin"), OrgAccess.ADMIN),
    }
    conversations = frozenset(_ids(claims, "conversations"))
    if len(projects) + len(orgs) + len(conversations) > MAX_GRANTS:
        _refuse("grants")
    return Caller(
        tenant_id=_tenant(claims),
        kind=_kind(claims),
        id=_id(claims.get("sub"), "sub"),
        is_tenant_admin=claims.get("admin") is True,
        projects=projects,
        orgs={org_id: OrgGrant(org_id=org_id, access=access) for org_id, access in orgs.items()},
        conversations=conversations,
        project_limit=_id(claims["project_limit"], "project_limit")
        if "project_limit" in claims
        else None,
        tools=frozenset(_ids(claims, "tools")) & TOOL_GRANTS,
    )


def _granted(claims: Claims, name: str, access: ProjectAccess) -> dict[str, ProjectGrant]:
    return {p: ProjectGrant(project_id=p, access=access) for p in _ids(claims, name)}


def _tenant(claims: Claims) -> str:
    value = claims.get("tenant_id")
    try:
        tenant_id = str(uuid.UUID(value)) if isinstance(value, str) else ""
    except ValueError:
        tenant_id = ""
    if not tenant_id or tenant_id != value:
        _refuse("tenant_id")
    return tenant_id


def _kind(claims: Claims) -> CallerKind:
    value = claims.get("caller_kind", CallerKind.USER)
    if not isinstance(value, str) or value not in list(CallerKind):
        _refuse("caller_kind")
    return CallerKind(value)


def _ids(claims: Claims, name: str) -> list[str]:
    value = claims.get(name, [])
    if not isinstance(value, list):
        _refuse(name)
    return [_id(entry, name) for entry in value]


def _id(value: object, name: str) -> str:
    if not isinstance(value, str):
        _refuse(name)
    try:
        check_not_blank(value, field=name)
    except BadInputError:
        _refuse(name)
    return value


def _refuse(name: str) -> NoReturn:
    raise TokenMissingError(f"The token's claim {name} is missing or unfit.")
