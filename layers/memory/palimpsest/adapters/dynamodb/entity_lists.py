"""Lists of entities: the keys of several types read as one, latest update first, no more of them than a part needs."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from palimpsest.adapters.dynamodb.attributes import Item, read_text
from palimpsest.adapters.dynamodb.reads import side_by_side
from palimpsest.domain.entities import Window

# A key takes some 300 bytes, so a page stays under the megabyte that DynamoDB reads at once.
MAX_KEYS_A_PAGE = 1000
# Of each type at least, so that a page of few entities is one round whatever types they are of.
LEAST_KEYS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    """One page of one type's keys.

    Attributes:
        keys: Latest update first.
        resume_after: Where the next page starts; None if there is none.
    """

    keys: Sequence[Item]
    resume_after: Mapping[str, Any] | None


# Reads a page of the partition of a list, so many keys at most, behind a place where there is one.
FetchKeys = Callable[[str, int, Mapping[str, Any] | None], KeyPage]


def keys_in(window: Window, list_keys: Sequence[str], fetch: FetchKeys) -> list[Item]:
    """Return the keys that stand in a window of several lists merged into one.

    Args:
        window: Which part.
        list_keys: Partitions of the index, one a type.
        fetch: Reads a page of one.

    Returns:
        As the index holds them. What stands before the window is read too, in keys alone, and nothing far behind it.
    """
    if not list_keys:
        return []
    share = max(LEAST_KEYS, -(-window.end // len(list_keys)))
    size = min(window.end, share, MAX_KEYS_A_PAGE)
    firsts = side_by_side(lambda list_key: fetch(list_key, size, None), list_keys)
    lists = (
        _walk(list_key, first, size, fetch)
        for list_key, first in zip(list_keys, firsts, strict=True)
    )
    merged = heapq.merge(*lists, key=lambda item: read_text(item, "updatedKey"))
    return list(islice(merged, window.offset, window.end))


def _walk(list_key: str, first: KeyPage, size: int, fetch: FetchKeys) -> Iterator[Item]:
    page = first
    while True:
        yield from page.keys
        if page.resume_after is None:
            return
        page = fetch(list_key, size, page.resume_after)
