"""What an index is made with. Pure: bodies of requests, nothing is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.opensearch.capabilities import Collection, VectorEngine

# Goes up with any change below, or of how a text is cut into words, here and in template.yaml: an index of another layout is
# built anew.
LAYOUT = 1

# `palimpsest.domain.words` has cut the text already, the same for every engine: here words only lose their endings.
ANALYZER = "stems"
_ANALYSIS = {
    "filter": {"english_stems": {"type": "stemmer", "language": "english"}},
    "analyzer": {
        ANALYZER: {"type": "custom", "tokenizer": "whitespace", "filter": ["english_stems"]}
    },
}
# NextGen keeps vectors in one bit a number unless told otherwise, and then a score is no cosine any more.
EXACT = "1x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the vectors of an index are.

    Attributes:
        dimension: Their length; None for an index without vectors.
        model_id: The model that they come from; None where there is none.
    """

    dimension: int | None
    model_id: str | None


def index_body(collection: Collection, shape: Shape) -> dict[str, Any]:
    """Return the body that makes an index for this kind of server."""
    settings: dict[str, Any] = {"analysis": _ANALYSIS}
    properties: dict[str, Any] = {
        # Searched, sorted and filtered by.
        "fact": {"type": "keyword"},
        "fact_id": {"type": "keyword"},
        "version": {"type": "long"},
        "key": {"type": "keyword"},
        "place": {"type": "keyword"},
        "tokens": {"type": "keyword"},
        "expires_at": {"type": "long"},
        "words": {"type": "text", "analyzer": ANALYZER},
        # Only given back.
        "text_hash": {"type": "keyword", "index": False, "doc_values": False},
        "digest": {"type": "keyword", "index": False, "doc_values": False},
    }
    if shape.dimension is not None:
        settings["index.knn"] = True
        properties["vector"] = _vector_field(collection.engine, shape.dimension)
    return {
        "settings": settings,
        "mappings": {"dynamic": "strict", "_meta": meta_of(shape), "properties": properties},
    }


def meta_of(shape: Shape) -> dict[str, Any]:
    """Return what an index says of itself, to be compared by whoever opens it."""
    return {"layout": LAYOUT, "dimension": shape.dimension, "model": shape.model_id}


def is_of_shape(mapping: Mapping[str, Any], shape: Shape) -> bool:
    """Tell whether an index that stands was made with this layout for these vectors."""
    return bool(mapping.get("_meta") == meta_of(shape))


def _vector_field(engine: VectorEngine, dimension: int) -> dict[str, Any]:
    method: dict[str, Any] = {"name": "hnsw", "space_type": "cosinesimil"}
    field: dict[str, Any] = {"type": "knn_vector", "dimension": dimension, "method": method}
    if engine is VectorEngine.MANAGED:
        field["compression_level"] = EXACT
    else:
        method["engine"] = engine.value
    return field
