"""Every key of every item of ConceptsTable. What a key is made of stands in ``palimpsest.adapters.dynamodb.keys``.

The tenant comes first and the hash of the exact scope next, so that nothing of one scope is ever read for another.

One of each kind, with a tenant ``018f…57`` and a scope whose hash is ``9c11…a5``:

    an edge, from either end   pk  018f…57#edges#9c11…a5#black%20tea   sk  rain
    how many edges there are   pk  018f…57#edge-count#9c11…a5          sk  COUNT
    an event that was learnt   pk  018f…57#event#9c11…a5#write%3A018f…0a   sk  LEARNT
    byStrength                 pk  that of an edge, in the order of ``strength``
"""

from palimpsest.adapters.dynamodb.keys import join, part
from palimpsest.domain.homes import scope_hash
from palimpsest.domain.scopes import Scope

BY_STRENGTH = "byStrength"
EDGE_COUNT = "COUNT"
LEARNT = "LEARNT"


def edges_key(scope: Scope, concept: str) -> str:
    """Return the partition key of all edges of a concept in a scope."""
    return join(*_in_scope(scope, "edges"), part(concept))


def edge_sort_key(neighbour: str) -> str:
    """Return the sort key of the edge to one neighbour."""
    return part(neighbour)


def edge_count_key(scope: Scope) -> str:
    """Return the partition key of the number of edges in a scope."""
    return join(*_in_scope(scope, "edge-count"))


def event_key(scope: Scope, event_id: str) -> str:
    """Return the partition key of the marker of one event: its own, since markers are only ever met one by one."""
    return join(*_in_scope(scope, "event"), part(event_id))


def _in_scope(scope: Scope, kind: str) -> tuple[str, str, str]:
    return part(scope.tenant_id), kind, scope_hash(scope)
