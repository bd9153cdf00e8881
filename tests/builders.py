"""Builders for what a test does not care about: every argument has a default that is fit to be stored."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from palimpsest.domain.callers import Caller, CallerKind, OrgGrant, ProjectAccess, ProjectGrant
from palimpsest.domain.facts import Fact
from palimpsest.domain.json_text import JsonValue
from palimpsest.domain.revisions import Act, Change, Draft, Step, first_revision, supersede
from palimpsest.domain.scopes import Scope, scope_from_wire
from palimpsest.ports.pseudonyms import Pseudonyms

from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds
from tests.fakes.pseudonyms import FakePseudonyms

TENANT = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_TENANT = "01890a5d-ac96-774b-bcce-b302099a8058"


def build_scope(tenant_id: str = TENANT, **named: JsonValue) -> Scope:
    """Return a scope by names on the wire: ``build_scope(projectId="p", userId="ana")``."""
    return scope_from_wire({"tenantId": tenant_id, **named})


def build_caller(
    id: str = "ana",  # noqa: A002 - the domain's own name for it
    *,
    kind: CallerKind = CallerKind.USER,
    reads: tuple[str, ...] = (),
    writes: tuple[str, ...] = (),
    orgs: tuple[OrgGrant, ...] = (),
    **fields: Any,
) -> Caller:
    """Return a caller who may read and write these projects."""
    access = {
        **dict.fromkeys(reads, ProjectAccess.READ),
        **dict.fromkeys(writes, ProjectAccess.WRITE),
    }
    projects = {p: ProjectGrant(project_id=p, access=a) for p, a in access.items()}
    given = {
        "tenant_id": TENANT,
        "projects": projects,
        "orgs": {o.org_id: o for o in orgs},
        **fields,
    }
    return Caller(kind=kind, id=id, **given)


def build_admin(**fields: Any) -> Caller:
    """Return a tenant admin."""
    return build_caller("root", is_tenant_admin=True, **fields)


def build_act(*, ids: FakeIds, caller: Caller | None = None, now: datetime = NOON) -> Act:
    """Return an act under fresh ids."""
    return Act(
        caller=caller or build_admin(), now=now, operation_id=ids.new_id(), new_id=ids.new_id()
    )


def build_fact(
    *,
    ids: FakeIds,
    scope: Scope | None = None,
    content: JsonValue = "Ana plays chess.",
    now: datetime | None = None,
    pseudonyms: Pseudonyms | None = None,
    **draft: Any,
) -> Fact:
    """Return a new fact, its people named by pseudonyms."""
    said = {"type": "note", **draft}
    drafted = Draft(scope=scope or build_scope(), content=content, **said)
    fact = first_revision(drafted, build_act(ids=ids, now=now or ids.clock.now()))
    return name_people(fact, pseudonyms)


def build_step(
    fact: Fact,
    *,
    ids: FakeIds,
    content: JsonValue = "Ana plays go.",
    now: datetime | None = None,
    **change: Any,
) -> Step:
    """Return a supersede of the fact, a second after its current revision."""
    moment = now or fact.revision.created_at + timedelta(seconds=1)
    changed = Change(content=content, **change)
    step = supersede(fact, changed, build_act(ids=ids, now=moment))
    return replace(step, fact=name_people(step.fact))


def name_people(fact: Fact, pseudonyms: Pseudonyms | None = None) -> Fact:
    """Return the fact with the pseudonyms of everybody whom its newest revision names added."""
    names = pseudonyms or FakePseudonyms()
    tenant_id = fact.revision.scope.tenant_id
    named = {names.current(tenant_id, person) for person in fact.revision.people}
    return replace(fact, named=fact.named | named)
