"""What a list is narrowed to. Sight (``palimpsest.domain.sight``) is asked as well, always."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import KeyProjectMismatchError, ScopeMismatchError
from palimpsest.domain.facts import Revision
from palimpsest.domain.json_text import JsonValue, is_same_json
from palimpsest.domain.labels import LabelGroups, labels_of, meets
from palimpsest.domain.scopes import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilter:
    """Everything given must match; nothing given matches all that the caller may see.

    Attributes:
        type: Exactly this type.
        scope: Each key given must be named by the fact's scope with exactly this value.
        project_id: Of ``scopeKind=project``.
        org_id: Of ``scopeKind=org``: facts that name the org, and facts of the projects that the caller's grants place in it.
        labels: At least one label of each group; an empty group is met by nothing.
    """

    type: str | None = None
    scope: Mapping[str, JsonValue] = field(default_factory=dict)
    project_id: str | None = None
    org_id: str | None = None
    labels: LabelGroups = ()

    def named(self, key: str) -> str | None:
        """Return what the scope filter asks of a known key, by its name on the wire; None when nothing."""
        value = self.scope.get(key)
        return value if isinstance(value, str) else None

    @property
    def projects(self) -> frozenset[str]:
        """The project ids that are asked for: more than one can match nothing."""
        return frozenset(p for p in (self.named("projectId"), self.project_id) if p is not None)


def matches(wanted: FactFilter, revision: Revision, caller: Caller) -> bool:
    """Tell whether a revision is what the filter wants."""
    return matches_kind(wanted, caller, fact_type=revision.type, scope=revision.scope) and (
        not wanted.labels or meets(labels_of(revision), wanted.labels)
    )


def matches_kind(wanted: FactFilter, caller: Caller, *, fact_type: str, scope: Scope) -> bool:
    """Tell whether it may be, from what never changes: a fact's type and scope, which narrow indexes hold.

    Labels follow from the content, so whatever passes here is still to be asked by ``matches``.
    """
    named = dict(scope.items())
    return (
        (wanted.type is None or fact_type == wanted.type)
        and all(
            key in named and is_same_json(named[key], value) for key, value in wanted.scope.items()
        )
        and (wanted.project_id is None or scope.project_id == wanted.project_id)
        and (wanted.org_id is None or _lies_in_org(caller, scope, wanted.org_id))
    )


def projects_in_org(caller: Caller, org_id: str) -> frozenset[str]:
    """Return the projects that the caller's grants place in an org."""
    return frozenset(p.project_id for p in caller.projects.values() if p.org_id == org_id)


def check_filter(wanted: FactFilter, caller: Caller) -> None:
    """Refuse a filter that names what the caller's token rules out.

    Raises:
        ScopeMismatchError: If it names another tenant.
        KeyProjectMismatchError: If it names another project than the key is limited to.
    """
    if wanted.named("tenantId") not in (None, caller.tenant_id):
        raise ScopeMismatchError(
            "scope.tenantId is not the token's tenant.", field="scope.tenantId"
        )
    if caller.project_limit is not None and wanted.projects - {caller.project_limit}:
        raise KeyProjectMismatchError("This key is limited to another project.")


def _lies_in_org(caller: Caller, scope: Scope, org_id: str) -> bool:
    return scope.org_id == org_id or scope.project_id in projects_in_org(caller, org_id)
