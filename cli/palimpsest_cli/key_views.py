"""How keys look: as JSON and in a table. Neither holds a secret, nor its hash."""

from collections.abc import Iterable
from datetime import datetime

from palimpsest.domain.api_keys import ApiKey
from palimpsest.domain.callers import Caller
from palimpsest.domain.instants import to_text
from rich.table import Table
from rich.text import Text


def key_document(key: ApiKey, *, now: datetime) -> dict[str, object]:
    """Return a key for ``--json``; what it does not have is left out."""
    caller = key.caller
    document = {
        "id": key.id,
        "name": key.name or None,
        "status": _status(key, now),
        "tenantId": caller.tenant_id,
        "caller": caller.name,
        "role": caller.role,
        "projects": [_project(caller, project_id) for project_id in sorted(caller.projects)],
        "orgs": [
            {"orgId": org_id, "access": str(caller.orgs[org_id].access)}
            for org_id in sorted(caller.orgs)
        ],
        "conversations": sorted(caller.conversations),
        "projectLimit": caller.project_limit,
        "defaultScope": caller.default_scope,
        "tools": sorted(caller.tools),
        "clientEnv": caller.client_env,
        "createdAt": to_text(key.created_at),
        "expiresAt": to_text(key.expires_at) if key.expires_at else None,
        "revokedAt": to_text(key.revoked_at) if key.revoked_at else None,
    }
    return {name: value for name, value in document.items() if value not in (None, [])}


def key_table(keys: Iterable[ApiKey], *, now: datetime) -> Table:
    """Return the keys as a table, in their order."""
    table = Table(box=None, pad_edge=False)
    table.add_column("ID", no_wrap=True)
    for title in ("NAME", "CALLER", "ROLE", "GRANTS"):
        table.add_column(title, overflow="fold")
    for title in ("STATUS", "CREATED", "EXPIRES"):
        table.add_column(title, no_wrap=True)
    for key in keys:
        cells = (
            key.id,
            key.name,
            key.caller.name,
            key.caller.role,
            _grants(key.caller),
            _status(key, now),
            to_text(key.created_at)[:10],
            to_text(key.expires_at)[:10] if key.expires_at else "never",
        )
        table.add_row(*map(_shown, cells))
    return table


def _status(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "active"


def _project(caller: Caller, project_id: str) -> dict[str, str]:
    grant = caller.projects[project_id]
    shown = {"projectId": project_id, "access": str(grant.access)}
    return shown if grant.org_id is None else {**shown, "orgId": grant.org_id}


def _grants(caller: Caller) -> str:
    limit = [f"only project {caller.project_limit}"] if caller.project_limit else []
    counts = (
        ("project", len(caller.projects)),
        ("org", len(caller.orgs)),
        ("conversation", len(caller.conversations)),
    )
    named = [f"{count} {noun}{'s' if count > 1 else ''}" for noun, count in counts if count]
    return ", ".join([*limit, *named, *sorted(caller.tools)]) or "-"


def _shown(text: str) -> Text:
    """Return text that is no markup and sends no escape sequence to a terminal."""
    return Text(
        "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    )
