from typing import Any

import pytest
from palimpsest.adapters.opensearch.queries import (
    MAX_QUERY_WORDS,
    documents_body,
    keyword_body,
    vector_body,
)
from palimpsest.domain.audiences import Audience, Root
from palimpsest.domain.search_filters import SearchFilter
from palimpsest.domain.search_tokens import audience_token, tenant_token, type_token
from palimpsest.ports.index import Search

from tests.fakes.clock import NOON

PUBLIC = Audience(root=Root.TENANT)
FILTER = SearchFilter(tenant_id="t", audiences=(PUBLIC,), type="note")
SEARCH = Search(filter=FILTER, limit=10, now=NOON, skip=frozenset({"b", "a"}))
NOON_MS = int(NOON.timestamp() * 1000)

CLAUSES = [
    {"terms": {"tokens": [tenant_token("t")]}},
    {"terms": {"tokens": [audience_token("t", PUBLIC)]}},
    {"terms": {"tokens": [type_token("t", "note")]}},
    {
        "bool": {
            "must_not": [
                {"range": {"expires_at": {"lte": NOON_MS}}},
                {"terms": {"fact_id": ["a", "b"]}},
            ]
        }
    },
]


def must(body: dict[str, Any] | None) -> dict[str, Any]:
    assert body is not None
    return body


def test_words_are_matched_and_the_filter_does_not_score() -> None:
    body = must(keyword_body("Ana AND the chess*", SEARCH, depth=7))

    match = {"match": {"words": {"query": "ana chess", "operator": "or"}}}
    assert body["query"] == {"bool": {"must": [match], "filter": CLAUSES}}
    assert body["size"] == 7


def test_the_filter_stands_inside_the_vector_clause() -> None:
    body = must(vector_body([0.6, 0.8], SEARCH, depth=7))

    inner = {"vector": [0.6, 0.8], "k": 7, "filter": {"bool": {"filter": CLAUSES}}}
    assert body["query"] == {"knn": {"vector": inner}}
    assert body["size"] == 7


def test_equals_come_newest_first_and_no_more_comes_back_than_is_used() -> None:
    for body in (
        must(keyword_body("ana", SEARCH, depth=1)),
        must(vector_body([1], SEARCH, depth=1)),
    ):
        assert body["sort"] == [{"_score": "desc"}, {"fact_id": "desc"}, {"version": "desc"}]
        assert not {"words", "vector", "tokens"} & set(body["_source"])


@pytest.mark.parametrize("query", ["", "the of", "*", "\ud800"])
def test_a_query_without_words_is_not_sent(query: str) -> None:
    assert keyword_body(query, SEARCH, depth=1) is None


def test_a_filter_that_nothing_meets_is_not_sent() -> None:
    nobody = SearchFilter(tenant_id="t", audiences=())
    search = Search(filter=nobody, limit=10, now=NOON)

    assert keyword_body("ana", search, depth=1) is None
    assert vector_body([1], search, depth=1) is None


def test_a_long_query_is_cut_before_the_server_refuses_it() -> None:
    body = must(keyword_body(" ".join(f"w{n}" for n in range(5000)), SEARCH, depth=1))

    words = body["query"]["bool"]["must"][0]["match"]["words"]["query"].split()
    assert len(words) == MAX_QUERY_WORDS


def test_a_listing_goes_on_behind_the_last_of_the_page() -> None:
    first = documents_body({"k2", "k1"}, page_size=5, after=())
    second = documents_body({"k2", "k1"}, page_size=5, after=["k1", "x"])

    assert first["query"] == {"terms": {"fact": ["k1", "k2"]}}
    assert "search_after" not in first
    assert second["search_after"] == ["k1", "x"]


def test_documents_are_found_by_their_places_too_and_with_more_of_them_where_asked() -> None:
    body = documents_body({"p"}, by="place", fields=("fact_id", "tokens"), page_size=5, after=())

    assert body["query"] == {"terms": {"place": ["p"]}}
    assert body["_source"] == ["fact_id", "tokens"]
