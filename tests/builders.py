"""Builders for what a test does not care about: every argument has a default that is fit to be stored."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from palimpsest.domain.atoms import ATOM_TYPE, Atom, content_of
from palimpsest.domain.callers import Caller, CallerKind, OrgGrant, ProjectAccess, ProjectGrant
from palimpsest.domain.facts import Fact
from palimpsest.domain.json_text import JsonValue
from palimpsest.domain.revisions import (
    Act,
    Change,
    Draft,
    Step,
    first_revision,
    replaced_by,
    supersede,
)
from palimpsest.domain.scopes import Scope, scope_from_wire
from palimpsest.ports.pseudonyms import Pseudonyms

from tests.fakes.clock import NOON
from tests.fakes.ids import FakeIds
from tests.fakes.pseudonyms import FakePseudonyms

TENANT = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_TENANT = "01890a5d-ac96-774b-bcce-b302099a8058"
_ATOM_FIELDS = frozenset(Atom.__dataclass_fields__)


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
    caller: Caller | None = None,
    **draft: Any,
) -> Fact:
    """Return a new fact, its people named by pseudonyms."""
    said = {"type": "note", **draft}
    drafted = Draft(scope=scope or build_scope(), content=content, **said)
    act = build_act(ids=ids, caller=caller, now=now or ids.clock.now())
    fact = first_revision(drafted, act)
    return name_people(fact, pseudonyms)


def build_atom(text: str = "Ana plays chess.", *, ids: FakeIds, **fields: Any) -> Fact:
    """Return a new atom; its own fields by their names, such as ``concepts=("chess",)``, all others as for ``build_fact``."""
    said = {name: fields.pop(name) for name in _ATOM_FIELDS & fields.keys()}
    content = content_of(Atom(text=text, **said))
    return build_fact(ids=ids, type=ATOM_TYPE, content=content, **fields)


def build_successor(
    before: Fact, text: str = "Ana plays go.", *, ids: FakeIds, **fields: Any
) -> tuple[Fact, Fact]:
    """Return an atom that replaces another one, and the other one as it is closed by that."""
    said = {"scope": before.revision.scope, "replaces": (before.id,), **fields}
    after = build_atom(text, ids=ids, **said)
    act = build_act(ids=ids, now=after.revision.created_at)
    return after, replaced_by(before, after.id, act)


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
