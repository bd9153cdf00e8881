"""Homes: the one exact scope in which the read-memory door and the tools write for a caller."""

import hashlib

from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.errors import PermissionDeniedError
from palimpsest.domain.json_text import canonical_json
from palimpsest.domain.scopes import Scope, scope_from_wire


def home_of(caller: Caller) -> Scope:
    """Return where a caller's atoms, observations and relations go when the request names no place.

    The token's default scope, else the project that it is limited to, else the user's own. Whether the caller may write
    there is asked as for every write (``palimpsest.domain.sight.check_may_write``).

    Raises:
        PermissionDeniedError: If it is a service or an agent without the first two: they would write tenant-wide.

    Source:
        spec/read-memory.md, "Scope of an atom".
    """
    if caller.default_scope is not None:
        return scope_from_wire({**caller.default_scope, "tenantId": caller.tenant_id})
    if caller.project_limit is not None:
        return Scope(tenant_id=caller.tenant_id, project_id=caller.project_limit)
    if caller.kind is not CallerKind.USER or not caller.is_user(caller.id):
        raise PermissionDeniedError(
            "This token has no place of its own to write in: give it a default scope or a project limit."
        )
    return Scope(tenant_id=caller.tenant_id, user_id=caller.id)


def scope_hash(scope: Scope) -> str:
    """Return the hash that equal scopes share and no others: hex SHA-256 of the canonical JSON of all that it names."""
    return hashlib.sha256(canonical_json(dict(scope.items())).encode()).hexdigest()
