"""Keys of items, built here and nowhere else; those of ConceptsTable stand in ``concept_keys``, made of the same parts.

A key is a list of parts joined by delimiters that no part can hold, since each part is percent-encoded: no id, however
hostile, reaches into another's key. A part that is long in that form stands as its hash, so that a key stays far under
DynamoDB's 2,048 bytes for a partition and 1,024 for a sort key. The tenant comes first in every partition key.

One of each kind, with a tenant ``018f…57`` and a fact ``018f…0a``:

    FactsTable
      a fact now           pk  018f…57#fact#018f…0a               sk  HEAD
      an earlier revision  pk  018f…57#fact#018f…0a               sk  R#0000000003
      its embedding        pk  018f…57#fact#018f…0a               sk  V#amazon.titan-embed-text-v2%3A0%2F1024
      an erasure pointer   pk  018f…57#named#k1.9c1185a5…         sk  018f…0a
      byAudience       018f…57#audience#project:apollo/private/user:ana#current#0
      byThread         018f…57#audience#project:apollo/private#thread:t-1#current#0
      byParticipant    018f…57#audience#project:apollo/private#participant:p-9#current#0
      byProject        018f…57#project:apollo#current#0
      byOrg            018f…57#org:acme#closed#0
      byUser           018f…57#user:ana#current#0
      byTenant         018f…57#tenant#current#7
    StateTable
      an API key           pk  018f…57#api-keys                   sk  018f…0c
      the open erasures    pk  018f…57#erasures                   sk  OPEN
      a request's record   pk  018f…57#requests#9                 sk  9c1185a5…
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from palimpsest.domain.audiences import Audience, audience_of
from palimpsest.domain.scopes import Scope

HEAD = "HEAD"
REVISION_PREFIX = "R#"
REVISION_DIGITS = 10
VECTOR_PREFIX = "V#"

# In percent-encoded bytes. Three such parts and a tenant stay under half of what a partition key may have.
MAX_PART_BYTES = 128
# No percent-encoded text holds this character, so that a hash never equals a literal part.
_HASH_MARK = "*"


class State(StrEnum):
    """Whether a fact's newest revision stands or was closed by a delete; part of every index key."""

    CURRENT = "current"
    CLOSED = "closed"


class Index(StrEnum):
    """An index for lists, by its name in the template. The sort key of each is the fact id."""

    BY_AUDIENCE = "byAudience"
    BY_THREAD = "byThread"
    BY_PARTICIPANT = "byParticipant"
    BY_PROJECT = "byProject"
    BY_ORG = "byOrg"
    BY_USER = "byUser"
    BY_TENANT = "byTenant"

    @property
    def key_attribute(self) -> str:
        """The attribute that holds its partition key: ``byAudience`` → ``audienceKey``."""
        return self.value[2].lower() + self.value[3:] + "Key"

    @property
    def holds_everything(self) -> bool:
        """Whether it projects whole items; the others hold the type and the scope only."""
        return self is Index.BY_AUDIENCE


# One index for each instant of a fact's history: (pk, createdAt), which HEAD and every R# have.
TIME_INDEX = "byTime"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardCounts:
    """Into how many partitions the facts of one container are spread, so that no partition is too hot to write.

    The largest that the deployment ever had: a count may grow and never shrink, since facts stay where they were written.

    Attributes:
        container: Of an audience, a project, an org, a user, a thread, a participant.
        tenant: Of the tenant as a whole, where every write of the tenant goes.
    """

    container: int = 1
    tenant: int = 8

    def of(self, index: Index) -> int:
        """Return the count for one index."""
        return self.tenant if index is Index.BY_TENANT else self.container


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One partition of an index, but for state and shard.

    Attributes:
        index: Which.
        path: What it holds, its parts encoded.
    """

    index: Index
    path: str

    def partition(self, tenant_id: str, state: State, shard: int) -> str:
        """Return the partition key."""
        return join(part(tenant_id), self.path, state, str(shard))


def join(*parts: str) -> str:
    """Return a key of parts, each of which ``part`` made or holds no delimiter."""
    return "#".join(parts)


def part(text: str) -> str:
    """Return a part that holds only letters, digits, ``_.-~%`` and, in front of a hash, its mark."""
    # A lone surrogate is no character, but an id in a path may still hold one; it must find nothing, not fail.
    raw = text.encode("utf-8", errors="surrogatepass")
    encoded = quote(raw, safe="")
    if 0 < len(encoded) <= MAX_PART_BYTES:
        return encoded
    # No text at all has a hash too: DynamoDB takes no key that is empty.
    return _HASH_MARK + hashlib.sha256(raw).hexdigest()


def fact_key(tenant_id: str, fact_id: str) -> str:
    """Return the partition key of a fact: HEAD and all its revisions."""
    return join(part(tenant_id), "fact", part(fact_id))


def revision_sort_key(version: int) -> str:
    """Return the sort key of an earlier revision; texts of it sort as the versions do."""
    return f"{REVISION_PREFIX}{version:0{REVISION_DIGITS}d}"


def vector_sort_key(model_id: str) -> str:
    """Return the sort key of a fact's embedding by one model."""
    return f"{VECTOR_PREFIX}{part(model_id)}"


def pointer_key(tenant_id: str, pseudonym: str) -> str:
    """Return the partition key of the pointers to everything that names one person or conversation."""
    return join(part(tenant_id), "named", part(pseudonym))


def pointer_sort_key(fact_id: str) -> str:
    """Return the sort key of one such pointer."""
    return part(fact_id)


def api_keys_key(tenant_id: str) -> str:
    """Return the partition key of a tenant's API keys."""
    return join(part(tenant_id), "api-keys")


def api_key_sort_key(key_id: str) -> str:
    """Return the sort key of one API key; they sort by the time of their making."""
    return part(key_id)


def erasures_key(tenant_id: str) -> str:
    """Return the partition key of a tenant's erasures."""
    return join(part(tenant_id), "erasures")


OPEN_ERASURES = "OPEN"


def requests_key(tenant_id: str, identity: str) -> str:
    """Return the partition key of the records of requests: sixteen a tenant, so that an erasure can read them all.

    Args:
        tenant_id: The tenant.
        identity: Of the request, hex; its first digit spreads the writes.
    """
    return join(part(tenant_id), "requests", part(identity[:1]))


def in_audience(audience: Audience) -> Container:
    """Return the container of all facts of an audience."""
    return Container(index=Index.BY_AUDIENCE, path=_audience(audience))


def in_thread(audience: Audience, thread_id: str) -> Container:
    """Return the container of an audience's facts that name a thread."""
    path = join(_audience(audience), _named("thread", thread_id))
    return Container(index=Index.BY_THREAD, path=path)


def in_participant(audience: Audience, participant_id: str) -> Container:
    """Return the container of an audience's facts that name a participant."""
    path = join(_audience(audience), _named("participant", participant_id))
    return Container(index=Index.BY_PARTICIPANT, path=path)


def in_project(project_id: str) -> Container:
    """Return the container of all facts that name a project, whoever may see them."""
    return Container(index=Index.BY_PROJECT, path=_named("project", project_id))


def in_org(org_id: str) -> Container:
    """Return the container of all facts that name an org, whoever may see them."""
    return Container(index=Index.BY_ORG, path=_named("org", org_id))


def in_user(user_id: str) -> Container:
    """Return the container of all facts that name a user, whoever may see them."""
    return Container(index=Index.BY_USER, path=_named("user", user_id))


IN_TENANT = Container(index=Index.BY_TENANT, path="tenant")


def containers_of(scope: Scope) -> tuple[Container, ...]:
    """Return every container that a fact of this scope lies in: one an index, at most."""
    audience = audience_of(scope)
    found = [in_audience(audience), IN_TENANT]
    if scope.thread_id is not None:
        found.append(in_thread(audience, scope.thread_id))
    if scope.participant_id is not None:
        found.append(in_participant(audience, scope.participant_id))
    if scope.project_id is not None:
        found.append(in_project(scope.project_id))
    if scope.org_id is not None:
        found.append(in_org(scope.org_id))
    if scope.user_id is not None:
        found.append(in_user(scope.user_id))
    return tuple(found)


def index_keys(
    scope: Scope, fact_id: str, *, state: State, shards: ShardCounts
) -> Mapping[str, str]:
    """Return the index partition keys of a fact's HEAD, by attribute."""
    number = number_of(fact_id)
    return {
        container.index.key_attribute: container.partition(
            scope.tenant_id, state, number % shards.of(container.index)
        )
        for container in containers_of(scope)
    }


def number_of(text: str) -> int:
    """Return a number that is the same everywhere, spread evenly: Python's own hash differs from process to process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _audience(audience: Audience) -> str:
    parts = [audience.root.value]
    if audience.root_id:
        parts = [_named(audience.root, audience.root_id)]
    if audience.is_private:
        parts.append("private")
    if audience.user_id is not None:
        parts.append(_named("user", audience.user_id))
    return join("audience", "/".join(parts))


def _named(kind: str, identifier: str) -> str:
    return f"{kind}:{part(identifier)}"
