"""Audiences: the classes of callers who may see a fact, so that a list reads what its caller may see and nothing else.

Every fact lies in exactly one audience, computed from its scope. A caller is in a bounded number of them. The two functions
stand beside each other, next to the rule of sight; a property test holds them to it: whatever a caller may see lies in an
audience that they are in. An audience is wider than sight in one case only, an org named beside a project or a thread,
where the rule of sight filters what comes.
"""

from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.callers import Caller
from palimpsest.domain.scopes import Scope


class Root(StrEnum):
    """The container that an audience starts from."""

    TENANT = "tenant"
    ORG = "org"
    PROJECT = "project"
    THREAD = "thread"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """One class of callers inside a tenant.

    Attributes:
        root: The kind of the container it starts from.
        root_id: That container's id; empty for ``tenant`` and ``unknown``.
        is_private: Only those who may write the project.
        user_id: Only that user.
    """

    root: Root
    root_id: str = ""
    is_private: bool = False
    user_id: str | None = None


UNKNOWN_AUDIENCE = Audience(root=Root.UNKNOWN)


def audience_of(scope: Scope) -> Audience:
    """Return the audience that a fact of this scope lies in."""
    if scope.unknown or (scope.participant_id is not None and scope.project_id is None):
        return UNKNOWN_AUDIENCE
    if scope.project_id is not None:
        is_private = scope.participant_id is not None or scope.thread_id is not None
        return Audience(
            root=Root.PROJECT,
            root_id=scope.project_id,
            is_private=is_private,
            user_id=scope.user_id,
        )
    if scope.thread_id is not None:
        return Audience(root=Root.THREAD, root_id=scope.thread_id, user_id=scope.user_id)
    if scope.org_id is not None:
        return Audience(root=Root.ORG, root_id=scope.org_id, user_id=scope.user_id)
    return Audience(root=Root.TENANT, user_id=scope.user_id)


def audiences_of(caller: Caller) -> tuple[Audience, ...]:
    """Return the audiences that a caller is in by their grants.

    Returns:
        Without repeats, in a stable order: at most 2, and 2 an org, 4 a project, 2 a conversation. A tenant admin is in all
        audiences, more than can be listed: for them this holds only what their grants give.
    """
    if caller.project_limit is not None:
        roots = _of_project(caller, caller.project_limit)
    else:
        threads = sorted(filter(caller.may_write_conversation, caller.conversations))
        roots = [
            Audience(root=Root.TENANT),
            *(Audience(root=Root.ORG, root_id=org_id) for org_id in sorted(caller.readable_orgs)),
            *(a for project_id in sorted(caller.projects) for a in _of_project(caller, project_id)),
            *(Audience(root=Root.THREAD, root_id=thread_id) for thread_id in threads),
        ]
    return tuple(audience for root in roots for audience in _with_own(caller, root))


def _of_project(caller: Caller, project_id: str) -> list[Audience]:
    if not caller.may_read_project(project_id):
        return []
    public = Audience(root=Root.PROJECT, root_id=project_id)
    if not caller.may_write_project(project_id):
        return [public]
    return [public, Audience(root=Root.PROJECT, root_id=project_id, is_private=True)]


def _with_own(caller: Caller, root: Audience) -> list[Audience]:
    if not caller.is_user(caller.id):
        return [root]
    own = Audience(
        root=root.root, root_id=root.root_id, is_private=root.is_private, user_id=caller.id
    )
    return [root, own]
