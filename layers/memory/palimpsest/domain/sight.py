"""Who may see a fact, and who may write one: the only place where this is decided.

Both rules look at a scope and a caller and at nothing else. List, get, revisions, retrieve, read, entities and counts all
ask here, before any limit is applied.
"""

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import KeyProjectMismatchError, PermissionDeniedError
from palimpsest.domain.scopes import Scope


def may_see(caller: Caller, scope: Scope) -> bool:
    """Tell whether the caller has every container that the scope names.

    Source:
        spec/facts.md §4, one line here for each row of its table.
    """
    if caller.tenant_id != scope.tenant_id or _is_outside_limit(caller, scope):
        return False
    if caller.is_tenant_admin:
        return True
    return (
        not scope.unknown
        and (scope.project_id is None or caller.may_read_project(scope.project_id))
        and (scope.org_id is None or _may_read_org_of(caller, scope, scope.org_id))
        and not _is_of_another_user(caller, scope)
        and _may_read_private(caller, scope)
    )


def check_may_write(caller: Caller, scope: Scope) -> None:
    """Let pass who may write a fact of this scope, or supersede, verify or delete one.

    Whoever passes can also see the fact.

    Raises:
        KeyProjectMismatchError: If the key is limited to another project than the one that the scope names.
        PermissionDeniedError: If the caller may not write there.

    Source:
        spec/facts.md §5, in its order.
    """
    if caller.project_limit is not None and scope.project_id not in (None, caller.project_limit):
        raise KeyProjectMismatchError("This key is limited to another project.")
    if not may_write(caller, scope):
        raise PermissionDeniedError("You may not write in this scope.")


def may_write(caller: Caller, scope: Scope) -> bool:
    """Tell whether ``check_may_write`` would let the caller pass."""
    if caller.tenant_id != scope.tenant_id or _is_outside_limit(caller, scope):
        return False
    if caller.is_tenant_admin:
        return True
    if scope.unknown or _is_stray_participant(scope) or _is_of_another_user(caller, scope):
        return False
    if scope.project_id is not None or scope.thread_id is not None:
        return _may_write_container(caller, scope)
    if scope.org_id is not None:
        return caller.may_administer_org(scope.org_id)
    return scope.user_id is not None


def _is_outside_limit(caller: Caller, scope: Scope) -> bool:
    return caller.project_limit is not None and scope.project_id != caller.project_limit


def _is_of_another_user(caller: Caller, scope: Scope) -> bool:
    return scope.user_id is not None and not caller.is_user(scope.user_id)


def _is_stray_participant(scope: Scope) -> bool:
    """Never written by this service (§7); if it ever stood there, it is nobody's but an admin's."""
    return scope.participant_id is not None and scope.project_id is None


def _may_read_org_of(caller: Caller, scope: Scope, org_id: str) -> bool:
    """Beside a project whose grant names no org, the project's grant is enough."""
    if caller.may_read_org(org_id):
        return True
    grant = caller.projects.get(scope.project_id) if scope.project_id is not None else None
    return grant is not None and grant.org_id is None


def _may_read_private(caller: Caller, scope: Scope) -> bool:
    """End users' and conversations' facts are for those who may write there."""
    if scope.project_id is not None:
        is_private = scope.participant_id is not None or scope.thread_id is not None
        return not is_private or caller.may_write_project(scope.project_id)
    if _is_stray_participant(scope):
        return False
    return scope.thread_id is None or caller.may_write_conversation(scope.thread_id)


def _may_write_container(caller: Caller, scope: Scope) -> bool:
    if scope.org_id is not None and not _may_read_org_of(caller, scope, scope.org_id):
        return False
    if scope.project_id is not None:
        return caller.may_write_project(scope.project_id)
    return scope.thread_id is not None and caller.may_write_conversation(scope.thread_id)
