"""Scopes: which containers a fact names.

A scope names a tenant and, on top, any of six known keys and any number of keys that this service does not know. What a
scope means for who may see a fact stands in ``palimpsest.domain.sight``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from palimpsest.domain.json_text import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The containers that a fact names.

    Attributes:
        tenant_id: A UUID, always there.
        user_id: A user's own.
        org_id: An organisation of the tenant.
        project_id: A project of the tenant.
        thread_id: A conversation; inside the project where one is named.
        session_id: Narrows filters, not sight: a session is no container.
        participant_id: An app's end user, by the app's own id; only beside a project.
        unknown: Keys that this service does not know, as they came. They fail closed: admins only.
    """

    tenant_id: str
    user_id: str | None = None
    org_id: str | None = None
    project_id: str | None = None
    thread_id: str | None = None
    session_id: str | None = None
    participant_id: str | None = None
    unknown: Mapping[str, JsonValue] = field(default_factory=dict)

    def items(self) -> Iterator[tuple[str, JsonValue]]:
        """Yield every key that is named, by its name on the wire, with its value."""
        for name, attribute in WIRE_NAMES.items():
            value = getattr(self, attribute)
            if value is not None:
                yield name, value
        yield from self.unknown.items()


# Name on the wire → attribute. The order is that of the seed page.
WIRE_NAMES: Mapping[str, str] = {
    "tenantId": "tenant_id",
    "userId": "user_id",
    "orgId": "org_id",
    "projectId": "project_id",
    "threadId": "thread_id",
    "sessionId": "session_id",
    "participantId": "participant_id",
}


def scope_from_wire(named: Mapping[str, JsonValue]) -> Scope:
    """Return the scope of a JSON object whose known keys are already known to be fit strings."""
    known = {WIRE_NAMES[key]: str(value) for key, value in named.items() if key in WIRE_NAMES}
    unknown = {key: value for key, value in named.items() if key not in WIRE_NAMES}
    return Scope(**known, unknown=unknown)
