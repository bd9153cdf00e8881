"""Bodies of searches. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from palimpsest.adapters.opensearch.documents import SHOWN_FIELDS
from palimpsest.domain.instants import to_epoch_milliseconds
from palimpsest.domain.search_tokens import clauses_of
from palimpsest.domain.words import query_words
from palimpsest.ports.index import Search

# OpenSearch refuses a query of more than 1,024 clauses (indices.query.bool.max_clause_count). A question has some ten words.
MAX_QUERY_WORDS = 256

# The nearest are found by walking a graph, and of equally near ones any are: looking this deep keeps ties in order.
LEAST_DEPTH = 100
# The most that one search may give (index.max_result_window, and the limit of k).
MAX_DEPTH = 10_000

_ORDER: Sequence[Mapping[str, str]] = ({"_score": "desc"}, {"fact_id": "desc"}, {"version": "desc"})


def filter_clauses(search: Search) -> list[dict[str, Any]] | None:
    """Return the filter as clauses that must all hold, or None if nothing can meet it."""
    clauses = clauses_of(search.filter)
    if not all(clauses):
        return None
    is_over = {"range": {"expires_at": {"lte": to_epoch_milliseconds(search.now)}}}
    unwanted: list[dict[str, Any]] = [is_over]
    if search.skip:
        unwanted.append({"terms": {"fact_id": sorted(search.skip)}})
    met = [{"terms": {"tokens": sorted(clause)}} for clause in clauses]
    return [*met, {"bool": {"must_not": unwanted}}]


def keyword_body(query: str, search: Search, *, depth: int) -> dict[str, Any] | None:
    """Return a search by words, or None if it finds nothing anyway.

    Args:
        query: Words, never syntax.
        search: Filter and all.
        depth: So many hits, best first.
    """
    words = query_words(query)[:MAX_QUERY_WORDS]
    clauses = filter_clauses(search)
    if not words or clauses is None:
        return None
    match = {"match": {"words": {"query": " ".join(words), "operator": "or"}}}
    return _ranked({"bool": {"must": [match], "filter": clauses}}, depth=depth)


def vector_body(vector: Sequence[float], search: Search, *, depth: int) -> dict[str, Any] | None:
    """Return a search by meaning, or None if it finds nothing anyway. The filter stands inside the clause.

    Args:
        vector: Of unit length.
        search: Filter and all.
        depth: So many hits, best first.
    """
    clauses = filter_clauses(search)
    if clauses is None:
        return None
    inner = {"vector": list(vector), "k": depth, "filter": {"bool": {"filter": clauses}}}
    return _ranked({"knn": {"vector": inner}}, depth=depth)


def documents_body(
    keys: Iterable[str],
    *,
    by: str = "fact",
    fields: Sequence[str] = SHOWN_FIELDS,
    page_size: int,
    after: Sequence[Any],
) -> dict[str, Any]:
    """Return a search for all documents of these facts or in these places, in an order that can be continued.

    Args:
        keys: See ``documents.fact_key`` and ``documents.history_place``.
        by: The field that holds them: ``fact`` or ``place``.
        fields: What is read of each.
        page_size: At most so many.
        after: The sort values of the last one before; empty for the first page.
    """
    body = {**_listed({"terms": {by: sorted(keys)}}, page_size), "_source": list(fields)}
    body["sort"] = [{"fact": "asc"}, {"key": "asc"}]
    return {**body, "search_after": list(after)} if after else body


def _ranked(query: Mapping[str, Any], *, depth: int) -> dict[str, Any]:
    return {**_listed(query, depth), "sort": list(_ORDER)}


def _listed(query: Mapping[str, Any], size: int) -> dict[str, Any]:
    body: dict[str, Any] = {"query": {**query}, "size": size, "_source": list(SHOWN_FIELDS)}
    # Nobody asks how many there are.
    return {**body, "track_total_hits": False}
