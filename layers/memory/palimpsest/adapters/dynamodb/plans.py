"""Which partitions a list reads: one pure function.

A caller's list reads the audiences that they are in, less those that can hold nothing that the filter wants. So what belongs
to a stranger is not read at all, and neither cost nor time tells that it exists. A tenant admin, who is in every audience,
reads an index of a container that the filter names, or of the tenant.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.keys import Container, Index, ShardCounts, State
from palimpsest.domain.audiences import Audience, Root, audiences_of
from palimpsest.domain.callers import Caller
from palimpsest.domain.filters import FactFilter, projects_in_org
from palimpsest.domain.scopes import WIRE_NAMES

PRESENT = (State.CURRENT,)
# Of an earlier time, what was deleted since is wanted too.
AT_ANY_TIME = (State.CURRENT, State.CLOSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRead:
    """One partition of one index, to be read newest first."""

    index: Index
    key: str


def plan_reads(
    caller: Caller, wanted: FactFilter, *, states: tuple[State, ...], shards: ShardCounts
) -> tuple[PartitionRead, ...]:
    """Return the partitions that together hold every fact that the caller may see and the filter wants.

    Args:
        caller: Whose list it is.
        wanted: Everything in it must match.
        states: Which states of facts are wanted.
        shards: Into how many partitions each container is spread.

    Returns:
        Without repeats, in a stable order. For whoever is no tenant admin: only partitions of audiences that they are in.
        Empty when nothing can match.
    """
    if _is_hopeless(caller, wanted):
        return ()
    is_admin = caller.is_tenant_admin
    containers = _of_admin(caller, wanted) if is_admin else _of_caller(caller, wanted)
    return tuple(
        PartitionRead(
            index=container.index, key=container.partition(caller.tenant_id, state, shard)
        )
        for container in dict.fromkeys(containers)
        for state in states
        for shard in range(shards.of(container.index))
    )


def _is_hopeless(caller: Caller, wanted: FactFilter) -> bool:
    """Tell whether the filter contradicts itself, the caller's key, or what scopes can hold."""
    limit = {caller.project_limit} if caller.project_limit is not None else set()
    return (
        len(wanted.projects | limit) > 1
        or wanted.named("tenantId") not in (None, caller.tenant_id)
        or any(key in WIRE_NAMES and wanted.named(key) is None for key in wanted.scope)
    )


def _of_admin(caller: Caller, wanted: FactFilter) -> list[Container]:
    if caller.project_limit is not None:
        # Nothing outside it is read, whatever else is asked: the key must not learn that it exists.
        return [keys.in_project(caller.project_limit)]
    user_id, org_id = wanted.named("userId"), wanted.named("orgId")
    if user_id is not None:
        return [keys.in_user(user_id)]
    if wanted.projects:
        return [keys.in_project(*wanted.projects)]
    if org_id is not None:
        return [keys.in_org(org_id)]
    if wanted.org_id is not None:
        placed = sorted(projects_in_org(caller, wanted.org_id))
        return [keys.in_org(wanted.org_id), *map(keys.in_project, placed)]
    return [keys.IN_TENANT]


def _of_caller(caller: Caller, wanted: FactFilter) -> Iterator[Container]:
    if any(key not in WIRE_NAMES for key in wanted.scope):
        return  # facts with unknown keys are for tenant admins
    for audience in _matching(caller, wanted, audiences_of(caller)):
        yield _narrowed(audience, wanted)


def _matching(
    caller: Caller, wanted: FactFilter, audiences: Iterable[Audience]
) -> Iterator[Audience]:
    for audience in audiences:
        if (
            _can_name_project(audience, wanted)
            and _can_name_private(audience, wanted)
            and _can_name_user(audience, wanted)
            and _can_name_org(caller, audience, wanted.named("orgId"))
            # Whoever has a grant that places a project in the org may read the org: no case of its own.
            and _can_name_org(caller, audience, wanted.org_id)
        ):
            yield audience


def _can_name_project(audience: Audience, wanted: FactFilter) -> bool:
    return not wanted.projects or (
        audience.root is Root.PROJECT and audience.root_id in wanted.projects
    )


def _can_name_private(audience: Audience, wanted: FactFilter) -> bool:
    """A thread lies in a project's private part or is a root itself; a participant lies in a private part only."""
    thread_id = wanted.named("threadId")
    is_of_thread = audience.root is Root.THREAD and audience.root_id == thread_id
    return (thread_id is None or audience.is_private or is_of_thread) and (
        wanted.named("participantId") is None or audience.is_private
    )


def _can_name_user(audience: Audience, wanted: FactFilter) -> bool:
    return wanted.named("userId") in (None, audience.user_id)


def _can_name_org(caller: Caller, audience: Audience, org_id: str | None) -> bool:
    """Tell whether a fact of the audience can name the org and still be seen: as its root, or beside a project or a thread."""
    if org_id is None:
        return True
    if audience.root is Root.ORG:
        return audience.root_id == org_id
    if audience.root is Root.THREAD:
        return caller.may_read_org(org_id)
    if audience.root is Root.PROJECT:
        # Beside a project whose grant names no org, the project's grant is enough (spec/facts.md §4).
        grant = caller.projects[audience.root_id]
        return caller.may_read_org(org_id) or grant.org_id is None
    return False


def _narrowed(audience: Audience, wanted: FactFilter) -> Container:
    """Return the part of an audience that a thread or participant filter leaves."""
    thread_id, participant_id = wanted.named("threadId"), wanted.named("participantId")
    if audience.is_private and thread_id is not None:
        return keys.in_thread(audience, thread_id)
    if audience.is_private and participant_id is not None:
        return keys.in_participant(audience, participant_id)
    return keys.in_audience(audience)
