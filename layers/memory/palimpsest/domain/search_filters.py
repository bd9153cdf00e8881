"""What a search may find: the rule of sight and a request's filter, compiled for an index.

An index puts this inside the search, before its cut. It may let through a little more than the rule of sight (an org that is
named beside a project or a thread); the table check behind it asks the rule itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from palimpsest.domain.audiences import Audience, audiences_of
from palimpsest.domain.callers import Caller
from palimpsest.domain.filters import FactFilter, projects_in_org
from palimpsest.domain.json_text import JsonValue, canonical_json
from palimpsest.domain.labels import LabelGroups
from palimpsest.domain.scopes import WIRE_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """All conditions hold together.

    Attributes:
        tenant_id: Always.
        audiences: The document's audience is one of these; None for a tenant admin, who is in all of them. Empty: nothing.
        type: Exactly this type.
        named: The document's scope names each of these keys (by its name on the wire) with this value; see ``named_values``.
        org_id: The scope names this org, or a project of ``org_projects``.
        org_projects: See ``org_id``.
        labels: At least one label of each group; an empty group is met by nothing.
    """

    tenant_id: str
    audiences: tuple[Audience, ...] | None
    type: str | None = None
    named: tuple[tuple[str, str], ...] = ()
    org_id: str | None = None
    org_projects: frozenset[str] = field(default_factory=frozenset)
    labels: LabelGroups = ()


def search_filter(caller: Caller, wanted: FactFilter) -> SearchFilter:
    """Compile what a caller may see and what they want."""
    named = (pair for pair in wanted.scope.items() if pair[0] != "tenantId")
    projects = (wanted.project_id, caller.project_limit)
    must = [*named_values(named), *(("projectId", p) for p in projects if p is not None)]
    return SearchFilter(
        tenant_id=caller.tenant_id,
        audiences=None if caller.is_tenant_admin else audiences_of(caller),
        type=wanted.type,
        named=tuple(sorted(set(must))),
        org_id=wanted.org_id,
        org_projects=projects_in_org(caller, wanted.org_id) if wanted.org_id else frozenset(),
        labels=wanted.labels,
    )


def named_values(named: Iterable[tuple[str, JsonValue]]) -> Iterator[tuple[str, str]]:
    """Yield keys of a scope with their values as texts: ids as they are, canonical JSON for a key that is not known here."""
    for key, value in named:
        yield key, str(value) if key in WIRE_NAMES else canonical_json(value)
