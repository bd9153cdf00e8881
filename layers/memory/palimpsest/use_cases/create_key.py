"""Make an API key."""

import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from palimpsest.domain.api_keys import SECRET_BYTES, ApiKey, Token
from palimpsest.domain.callers import MAX_GRANTS, TOOL_GRANTS, Caller
from palimpsest.domain.errors import BadInputError, ScopeMismatchError
from palimpsest.domain.json_text import write_json
from palimpsest.domain.outer_ids import check_not_blank, check_outer_id
from palimpsest.domain.scopes import WIRE_NAMES, scope_from_wire
from palimpsest.domain.sight import check_may_write
from palimpsest.ports.api_keys import ApiKeyRepository
from palimpsest.ports.clock import Clock
from palimpsest.ports.ids import Ids

MAX_NAME_CHARACTERS = 256
# Whoever wants a key for longer wants one that does not expire. It also keeps dates inside the calendar.
MAX_LIFETIME = timedelta(days=100 * 365)
# Room for six ids of full length and some keys that this service does not know; with 200 grants of full length the kept key
# stays below DynamoDB's 400 KB.
MAX_DEFAULT_SCOPE_BYTES = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedKey:
    """A new key with its token, which is nowhere else and never comes again."""

    key: ApiKey
    token_text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateKey:
    """Makes an API key and keeps all of it but its secret."""

    api_keys: ApiKeyRepository
    clock: Clock
    ids: Ids

    def __call__(self, caller: Caller, *, name: str, expires_at: datetime | None) -> CreatedKey:
        """Make a key.

        Args:
            caller: Whom its token will speak for; its ``token_id`` is set here.
            name: For people.
            expires_at: When it stops, aware; None for never.

        Raises:
            BadInputError: If the tenant is no UUID, an id is blank or over a limit, there are more than ``MAX_GRANTS``
                grants, a tool is unknown, the default scope is no scope, or the expiry is not in the future.
            ScopeMismatchError: If the default scope names another tenant.
            PermissionDeniedError: If the caller could not write in the default scope, the project limit included.
            StoreUnavailableError: If the store does not answer in time; the key may or may not be kept.
        """
        now = self.clock.now()
        _check_name(name)
        _check_expiry(expires_at, now)
        _check_caller(caller)
        _check_grants(caller)
        _check_default_scope(caller)
        token = Token(
            tenant_id=caller.tenant_id,
            key_id=self.ids.new_id(),
            secret=self.ids.new_secret(SECRET_BYTES),
        )
        key = ApiKey(
            id=token.key_id,
            name=name,
            secret_hash=token.secret_hash,
            caller=replace(caller, token_id=token.key_id),
            created_at=now,
            expires_at=expires_at,
        )
        self.api_keys.add(key)
        return CreatedKey(key=key, token_text=token.to_text())


def _check_name(name: str) -> None:
    if len(name) > MAX_NAME_CHARACTERS:
        raise BadInputError(
            f"name must have at most {MAX_NAME_CHARACTERS} characters.", field="name"
        )
    if name:
        check_outer_id(name, field="name")


def _check_expiry(expires_at: datetime | None, now: datetime) -> None:
    if expires_at is None:
        return
    if expires_at <= now:
        raise BadInputError("expiresAt must be in the future.", field="expiresAt")
    if expires_at - now > MAX_LIFETIME:
        raise BadInputError(
            "expiresAt is more than 100 years away; leave it out for a key that does not expire.",
            field="expiresAt",
        )


def _check_caller(caller: Caller) -> None:
    try:
        is_tenant = str(uuid.UUID(caller.tenant_id)) == caller.tenant_id
    except ValueError:
        is_tenant = False
    if not is_tenant:
        raise BadInputError("tenantId must be a lower-case UUID.", field="tenantId")
    check_not_blank(caller.id, field="id")
    if caller.project_limit is not None:
        check_not_blank(caller.project_limit, field="projectLimit")
    if unknown := caller.tools - TOOL_GRANTS:
        raise BadInputError(
            f"tools holds {len(unknown)} that this service does not know;"
            f" it knows: {', '.join(sorted(TOOL_GRANTS))}.",
            field="tools",
        )


def _check_grants(caller: Caller) -> None:
    if len(caller.projects) + len(caller.orgs) + len(caller.conversations) > MAX_GRANTS:
        raise BadInputError(f"A key has at most {MAX_GRANTS} grants.", field="grants")
    for project in caller.projects.values():
        check_not_blank(project.project_id, field="projects.projectId")
        if project.org_id is not None:
            check_not_blank(project.org_id, field="projects.orgId")
    for org in caller.orgs.values():
        check_not_blank(org.org_id, field="orgs.orgId")
    for conversation in caller.conversations:
        check_not_blank(conversation, field="conversations")


def _check_default_scope(caller: Caller) -> None:
    """Let pass a default scope that a write of this caller could name."""
    if caller.default_scope is None:
        return
    if len(write_json(caller.default_scope).encode()) > MAX_DEFAULT_SCOPE_BYTES:
        raise BadInputError(
            f"defaultScope must have at most {MAX_DEFAULT_SCOPE_BYTES} bytes.", field="defaultScope"
        )
    named = {"tenantId": caller.tenant_id, **caller.default_scope}
    for key in (key for key in WIRE_NAMES if key in named):
        where, value = f"defaultScope.{key}", named[key]
        if not isinstance(value, str):
            raise BadInputError(f"{where} must be a string.", field=where)
        check_outer_id(value, field=where)
    if named["tenantId"] != caller.tenant_id:
        raise ScopeMismatchError(
            "defaultScope.tenantId is not the key's tenant.", field="defaultScope.tenantId"
        )
    if "participantId" in named and "projectId" not in named:
        raise BadInputError(
            "defaultScope.participantId needs defaultScope.projectId.",
            field="defaultScope.participantId",
        )
    check_may_write(caller, scope_from_wire(named))
