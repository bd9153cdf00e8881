"""Callers: who asks, and what they have been granted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from palimpsest.domain.client_envs import ClientEnv
from palimpsest.domain.json_text import JsonValue

# spec/facts.md §3. It bounds the partitions that one list reads.
MAX_GRANTS = 200

# spec/entities.md: offers the tools that destroy.
DESTRUCTIVE = "destructive"
TOOL_GRANTS = frozenset({DESTRUCTIVE})


class CallerKind(StrEnum):
    """What a caller is. Kind and id always compare together: ``service:ana`` is not ``user:ana``."""

    USER = "user"
    SERVICE = "service"
    AGENT = "agent"


class ProjectAccess(StrEnum):
    """What a project grant allows; writing includes reading."""

    READ = "read"
    WRITE = "write"


class OrgAccess(StrEnum):
    """What an org grant allows; administering includes reading."""

    READ = "read"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectGrant:
    """Access to one project.

    Attributes:
        project_id: The project.
        access: Reading or writing.
        org_id: The org that the project lies in, where the grant says so; its facts may then be read too.
    """

    project_id: str
    access: ProjectAccess
    org_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrgGrant:
    """Access to one org."""

    org_id: str
    access: OrgAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, as their token says. Ask its methods, not its mappings: a blank grant stands in these and grants nothing.

    Attributes:
        tenant_id: The token's tenant: the only one this caller can reach.
        kind: With ``id``, who it is.
        id: Of that kind.
        is_tenant_admin: Sees and writes every fact of the tenant, inside ``project_limit``.
        projects: Grants by project id.
        orgs: Grants by org id.
        conversations: Threads that the caller may write.
        project_limit: When set, nothing outside this project exists for this caller, admins included.
        default_scope: What the other two doors write into when a request names nothing.
        tools: Names of tool grants, such as ``destructive``.
        token_id: Of the API key, for the record; None for other tokens.
        token_name: What people call the API key; None where it has no name, and for other tokens.
        client_env: The kind of program that the token was made for; None where its requests are to say.
        agent_version: Of an agent, where its token says so.
    """

    tenant_id: str
    kind: CallerKind
    id: str
    is_tenant_admin: bool = False
    projects: Mapping[str, ProjectGrant] = field(default_factory=dict)
    orgs: Mapping[str, OrgGrant] = field(default_factory=dict)
    conversations: frozenset[str] = frozenset()
    project_limit: str | None = None
    default_scope: Mapping[str, JsonValue] | None = None
    tools: frozenset[str] = frozenset()
    token_id: str | None = None
    token_name: str | None = None
    client_env: ClientEnv | None = None
    agent_version: str | None = None

    @property
    def name(self) -> str:
        """``kind:id``, such as ``user:ana``: unambiguous, since a kind holds no colon."""
        return f"{self.kind}:{self.id}"

    @property
    def role(self) -> str:
        """``admin`` or ``member``, for whoami: another word for ``is_tenant_admin``."""
        return "admin" if self.is_tenant_admin else "member"

    @property
    def signature(self) -> str:
        """The name as it signs closings and verifications, where an agent acts as a service (spec/facts.md §6)."""
        kind = CallerKind.SERVICE if self.kind is CallerKind.AGENT else self.kind
        return f"{kind}:{self.id}"

    def is_user(self, user_id: str) -> bool:
        """Tell whether this caller is that very user; a service of the same name is not."""
        return self.kind is CallerKind.USER and self.id == user_id and _is_named(user_id)

    def may_read_project(self, project_id: str) -> bool:
        """Tell whether a grant lets the caller read that project."""
        return project_id in self.projects and _is_named(project_id)

    def may_write_project(self, project_id: str) -> bool:
        """Tell whether a grant lets the caller write that project."""
        grant = self.projects.get(project_id)
        return grant is not None and grant.access is ProjectAccess.WRITE and _is_named(project_id)

    def may_write_conversation(self, thread_id: str) -> bool:
        """Tell whether a grant lets the caller write, and so read, that conversation."""
        return thread_id in self.conversations and _is_named(thread_id)

    @property
    def readable_orgs(self) -> frozenset[str]:
        """The orgs that a grant for them, or for a project that lies in them, lets the caller read."""
        places = (p.org_id for p in self.projects.values() if p.org_id and _is_named(p.project_id))
        return frozenset(filter(_is_named, (*self.orgs, *places)))

    def may_read_org(self, org_id: str) -> bool:
        """Tell whether the org is one of ``readable_orgs``."""
        return org_id in self.readable_orgs

    def may_administer_org(self, org_id: str) -> bool:
        """Tell whether a grant lets the caller administer that org."""
        grant = self.orgs.get(org_id)
        return grant is not None and grant.access is OrgAccess.ADMIN and _is_named(org_id)


def _is_named(container_id: str) -> bool:
    """A blank grant grants nothing, wherever it came from (spec/facts.md §3)."""
    return bool(container_id.strip())
