"""Every key of every item of ConceptsTable. What a key is made of stands in ``palimpsest.adapters.dynamodb.keys``.

The tenant comes first and the hash of the exact scope next, so that nothing of one scope is ever read for another.

One of each kind, with a tenant ``018f…57`` and a scope whose hash is ``9c11…a5``:

    an edge, from either end   pk  018f…57#edges#9c11…a5#black%20tea   sk  rain
    how many edges there are   pk  018f…57#edge-count#9c11…a5          sk  COUNT
    an event that was learnt   pk  018f…57#event#9c11…a5#write%3A018f…0a   sk  LEARNT
    byStrength                 pk  that of an edge, in the order of ``strength``
    who was last to say it     pk  018f…57#atom-text#9c11…a5#general#77ab…   sk  LAST
    who has a fingerprint      pk  018f…57#atom-print#9c11…a5#ticket-7       sk  018f…0a
    who has a reference        pk  018f…57#atom-ref#9c11…a5#note%2F7         sk  018f…0a
    a fact that was swept      pk  018f…57#counted-out#018f…0a         sk  COUNTED-OUT
    what stands in a domain    pk  018f…57#tallies   sk  audience#user:ana#9c11…a5#general
"""

from palimpsest.adapters.dynamodb.keys import in_audience, join, part
from palimpsest.domain.audiences import Audience, audience_of
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.scopes import Scope

BY_STRENGTH = "byStrength"
EDGE_COUNT = "COUNT"
LEARNT = "LEARNT"
LAST = "LAST"
COUNTED_OUT = "COUNTED-OUT"


def edges_key(scope: Scope, concept: str) -> str:
    """Return the partition key of all edges of a concept in a scope."""
    return join(*in_scope(scope, "edges"), part(concept))


def edge_sort_key(neighbour: str) -> str:
    """Return the sort key of the edge to one neighbour."""
    return part(neighbour)


def edge_count_key(scope: Scope) -> str:
    """Return the partition key of the number of edges in a scope."""
    return join(*in_scope(scope, "edge-count"))


def event_key(scope: Scope, event_id: str) -> str:
    """Return the partition key of the marker of one event: its own, since markers are only ever met one by one."""
    return join(*in_scope(scope, "event"), part(event_id))


def atom_text_key(scope: Scope, domain: str, text_key: str) -> str:
    """Return the partition key of the item that says which atom was last to be written with a text."""
    return join(*in_scope(scope, "atom-text"), part(domain), part(text_key))


def atom_fingerprint_key(scope: Scope, fingerprint: str) -> str:
    """Return the partition key of the items that list the atoms of a fingerprint."""
    return join(*in_scope(scope, "atom-print"), part(fingerprint))


def atom_reference_key(scope: Scope, external_ref: str) -> str:
    """Return the partition key of the items that list the atoms of a reference of their writer's."""
    return join(*in_scope(scope, "atom-ref"), part(external_ref))


def listed_sort_key(fact_id: str) -> str:
    """Return the sort key of one fact in such a list: newest first when read backwards."""
    return part(fact_id)


def counted_out_key(tenant_id: str, fact_id: str) -> str:
    """Return the partition key of the marker that a fact which is gone was counted out."""
    return join(part(tenant_id), "counted-out", part(fact_id))


def tallies_key(tenant_id: str) -> str:
    """Return the partition key of all tallies of a tenant."""
    return join(part(tenant_id), "tallies")


def tally_sort_key(scope: Scope, domain: str) -> str:
    """Return the sort key of the tally of a domain in a scope; all of an audience begin with ``tallies_prefix``."""
    return join(tallies_prefix(audience_of(scope)) + scope_hash(scope), part(domain))


def tallies_prefix(audience: Audience) -> str:
    """Return what the sort keys of an audience's tallies begin with, and those of no other audience."""
    return join(in_audience(audience).path, "")


def in_scope(scope: Scope, kind: str) -> tuple[str, str, str]:
    """Return what every key of one kind in a scope begins with."""
    return part(scope.tenant_id), kind, scope_hash(scope)
