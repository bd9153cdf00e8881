import pytest

from tests.integration.opensearch.gate_world import GateWorld, refused_because


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/"),
        ("GET", "/_cluster/health"),
        ("GET", "/_cluster/settings"),
        ("GET", "/_nodes/http"),
        ("GET", "/_cat/indices"),
        ("POST", "/_refresh"),
        ("POST", "/INDEX/_refresh"),
        ("POST", "/INDEX/_flush"),
        ("POST", "/INDEX/_forcemerge"),
        ("POST", "/INDEX/_delete_by_query"),
        ("POST", "/INDEX/_update_by_query"),
        ("POST", "/_reindex"),
        ("POST", "/_search/scroll"),
        ("DELETE", "/_search/scroll"),
        ("POST", "/_msearch"),
        ("POST", "/INDEX/_doc/chosen"),
        ("PUT", "/_bulk"),
        ("PUT", "/_scripts/one"),
        ("POST", "/INDEX/_close"),
    ],
)
def test_a_call_that_serverless_has_not_is_not_found(
    either: GateWorld, method: str, target: str
) -> None:
    answer = either.send(method, target)

    assert refused_because(answer) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("POST", "/INDEX/_doc?refresh=true"),
        ("POST", "/INDEX/_bulk?refresh=wait_for"),
        ("DELETE", "/INDEX/_doc/one?refresh"),
        ("POST", "/INDEX/_search?scroll=1m"),
        ("DELETE", "/INDEX?timeout=30s"),
        ("DELETE", "/INDEX?master_timeout=30s"),
        ("PUT", "/INDEX?wait_for_active_shards=1"),
    ],
)
def test_a_parameter_that_serverless_does_not_take_is_refused(
    either: GateWorld, method: str, target: str
) -> None:
    answer = either.send(method, target)

    assert refused_because(answer) == (400, "illegal_argument_exception")


@pytest.mark.parametrize(
    "body",
    [
        {"query": {"script_score": {"query": {"match_all": {}}, "script": {"source": "1"}}}},
        {"query": {"bool": {"filter": [{"script": {"script": "true"}}]}}},
        {"query": {"knn": {"vector": {"vector": [1, 0], "min_score": 0.5}}}},
        {"query": {"knn": {"vector": {"vector": [1, 0], "max_distance": 0.5}}}},
    ],
)
def test_a_search_with_a_script_or_a_radius_is_refused(either: GateWorld, body: object) -> None:
    answer = either.send("POST", "/INDEX/_search", body)

    assert refused_because(answer) == (400, "illegal_argument_exception")


def test_deleting_what_is_not_there_is_not_found(either: GateWorld) -> None:
    either.create_index()

    answer = either.send("DELETE", "/INDEX/_doc/never")

    assert (answer.status_code, answer.json()["result"]) == (404, "not_found")


def test_pages_are_read_at_a_point_in_time(either: GateWorld) -> None:
    either.create_index()
    for owner in ("a", "b", "c"):
        either.add(owner=owner)
    either.open_gate.settle()

    opened = either.send("POST", "/INDEX/_search/point_in_time?keep_alive=1m").json()["pit_id"]
    body = {"pit": {"id": opened, "keep_alive": "1m"}, "sort": ["owner"], "search_after": ["a"]}
    hits = either.send("POST", "/_search", body).json()["hits"]["hits"]
    closed = either.send("DELETE", "/_search/point_in_time", {"pit_id": [opened]})

    assert [hit["_source"]["owner"] for hit in hits] == ["b", "c"]
    assert closed.status_code == 200
