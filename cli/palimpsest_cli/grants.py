"""Grants as they are written on a command line."""

from collections.abc import Iterable

import click
from palimpsest.domain.callers import OrgAccess, OrgGrant, ProjectAccess, ProjectGrant

_PROJECT_ACCESS = frozenset(ProjectAccess)
_ORG_ACCESS = frozenset(OrgAccess)


def projects_from_options(options: Iterable[str]) -> dict[str, ProjectGrant]:
    """Read ``PROJECT:read``, ``PROJECT:write`` and ``PROJECT:write:ORG``.

    Returns:
        Grants by project id.

    Raises:
        click.BadParameter: If one has no access, could be read in two ways, or names a project again.
    """
    grants: dict[str, ProjectGrant] = {}
    for option in options:
        grant = _project(option)
        if grant.project_id in grants:
            raise click.BadParameter(f"{grant.project_id!r} is named twice.")
        grants[grant.project_id] = grant
    return grants


def orgs_from_options(options: Iterable[str]) -> dict[str, OrgGrant]:
    """Read ``ORG:read`` and ``ORG:admin``.

    Returns:
        Grants by org id.

    Raises:
        click.BadParameter: If one has no access, or names an org again.
    """
    grants: dict[str, OrgGrant] = {}
    for option in options:
        org_id, _, access = option.rpartition(":")
        if access not in _ORG_ACCESS:
            raise click.BadParameter(f"{option!r} is not ORG:read or ORG:admin.")
        if org_id in grants:
            raise click.BadParameter(f"{org_id!r} is named twice.")
        grants[org_id] = OrgGrant(org_id=org_id, access=OrgAccess(access))
    return grants


def _project(option: str) -> ProjectGrant:
    """Ids may hold colons, so the access is the one part that is a word of access."""
    parts = option.split(":")
    places = [place for place, part in enumerate(parts) if place and part in _PROJECT_ACCESS]
    if not places:
        raise click.BadParameter(f"{option!r} is not PROJECT:read|write or PROJECT:read|write:ORG.")
    if len(places) > 1:
        # A guess could give more than was meant.
        raise click.BadParameter(f"{option!r} can be read in two ways.")
    [place] = places
    org_id = ":".join(parts[place + 1 :]) if place + 1 < len(parts) else None
    return ProjectGrant(
        project_id=":".join(parts[:place]), access=ProjectAccess(parts[place]), org_id=org_id
    )
