from typing import Any

import pytest

from tests.gate.rules import Generation
from tests.integration.opensearch.gate_world import GateWorld, refused_because, vector_field

KNN = {"index": {"knn": True}}


def create(world: GateWorld, vector: dict[str, Any], settings: dict[str, Any] = KNN) -> Any:
    body = {"settings": settings, "mappings": {"properties": {"vector": vector}}}
    return world.send("PUT", "/INDEX", body)


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(vector_field(Generation.NEXTGEN), id="no engine"),
        pytest.param(
            vector_field(Generation.CLASSIC, method={"name": "hnsw", "engine": "nmslib"}),
            id="an engine that cannot filter",
        ),
        pytest.param(
            vector_field(Generation.CLASSIC, method={"name": "hnsw", "engine": "lucene"}),
            id="an engine that is not there",
        ),
        pytest.param(vector_field(Generation.CLASSIC, compression_level="8x"), id="compression"),
    ],
)
def test_a_classic_collection_wants_faiss_by_name(classic: GateWorld, vector: Any) -> None:
    answer = create(classic, vector)

    assert refused_because(answer) == (400, "mapper_parsing_exception")


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(vector_field(Generation.CLASSIC), id="engine"),
        pytest.param(vector_field(Generation.NEXTGEN, mode="on_disk"), id="mode"),
        pytest.param(vector_field(Generation.NEXTGEN, compression_level="4x"), id="compression"),
    ],
)
def test_a_nextgen_collection_manages_engine_and_mode_itself(
    nextgen: GateWorld, vector: Any
) -> None:
    answer = create(nextgen, vector)

    assert refused_because(answer) == (400, "mapper_parsing_exception")


@pytest.mark.parametrize(
    "method",
    [
        {"name": "ivf"},
        {"name": "hnsw", "space_type": "hamming"},
        {"name": "hnsw", "parameters": {"encoder": {"name": "pq"}}},
    ],
)
def test_no_collection_takes_another_method_space_or_encoder(
    either: GateWorld, method: dict[str, Any]
) -> None:
    engine = vector_field(either.open_gate.rules.generation)["method"].get("engine")
    named = {**method, "engine": engine} if engine else method

    answer = create(either, {"type": "knn_vector", "dimension": 2, "method": named})

    assert refused_because(answer) == (400, "mapper_parsing_exception")


def test_no_collection_takes_more_than_sixteen_thousand_numbers(either: GateWorld) -> None:
    answer = create(either, vector_field(either.open_gate.rules.generation, dimension=16_001))

    assert refused_because(answer) == (400, "mapper_parsing_exception")


@pytest.mark.parametrize(
    "settings",
    [
        {"index": {"knn": True, "number_of_shards": 2}},
        {"index.knn": True, "index.refresh_interval": "1s"},
        {"knn": True, "number_of_replicas": 0},
    ],
)
def test_settings_that_the_service_manages_are_refused(
    either: GateWorld, settings: dict[str, Any]
) -> None:
    answer = create(either, vector_field(either.open_gate.rules.generation), settings)

    assert refused_because(answer) == (400, "mapper_parsing_exception")


def test_vectors_need_their_setting(either: GateWorld) -> None:
    answer = create(either, vector_field(either.open_gate.rules.generation), {})

    assert refused_because(answer) == (400, "illegal_argument_exception")


def test_the_mapping_comes_back_as_it_was_given(either: GateWorld) -> None:
    given = either.create_index(text={"type": "text", "analyzer": "english"})

    whole = either.send("GET", "/INDEX").json()[either.index]
    mapping = either.send("GET", "/INDEX/_mapping").json()[either.index]["mappings"]

    assert mapping == whole["mappings"] == {"properties": given}
    assert "refresh_interval" not in whole["settings"]["index"]


def test_a_plain_field_is_added_later_and_a_vector_is_not(either: GateWorld) -> None:
    given = either.create_index()
    added = {"note": {"type": "keyword"}}
    vector = {"second": vector_field(either.open_gate.rules.generation)}

    either.send("PUT", "/INDEX/_mapping", {"properties": added}).raise_for_status()
    refused = either.send("PUT", "/INDEX/_mapping", {"properties": vector})

    told = either.send("GET", "/INDEX/_mapping").json()[either.index]["mappings"]
    assert told["properties"] == {**given, **added}
    assert refused_because(refused) == (400, "gate_limit")


def test_vectors_are_searched_and_never_given_back(either: GateWorld) -> None:
    either.create_index()
    for number in range(20):
        either.add(owner="bob", vector=[1, 0.001 * number])
    either.add(owner="ana", vector=[0, 1])
    either.open_gate.settle()

    clause = {"vector": [1, 0], "k": 1, "filter": {"term": {"owner": "ana"}}}
    body = {"query": {"knn": {"vector": clause}}}
    hits = either.send("POST", "/INDEX/_search", body).json()["hits"]["hits"]

    assert [hit["_source"] for hit in hits] == [{"owner": "ana"}]


def test_a_filter_outside_the_vector_clause_comes_too_late(either: GateWorld) -> None:
    either.create_index()
    for number in range(20):
        either.add(owner="bob", vector=[1, 0.001 * number])
    either.add(owner="ana", vector=[0, 1])
    either.open_gate.settle()

    nearest = {"knn": {"vector": {"vector": [1, 0], "k": 1}}}
    body = {"query": {"bool": {"must": [nearest], "filter": [{"term": {"owner": "ana"}}]}}}
    hits = either.send("POST", "/INDEX/_search", body).json()["hits"]["hits"]

    assert hits == []
