"""The mapping that Serverless wants, and the one that the server behind the gate can do.

Serverless has Faiss only. Classic must be told so (without, it takes NMSLIB, which cannot filter);
NextGen refuses to be told (graphrag-toolkit#359; VectorDBBench#802 for `mode` and `encoder`). The
server here has Lucene only: Faiss would end it, since the published plugin lacks the native library.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from tests.gate.exchange import RefusedError, refuse
from tests.gate.rules import Generation

SPACE_TYPES = frozenset({"l2", "cosinesimil", "innerproduct"})
COMPRESSION_LEVELS = frozenset({"1x", "2x", "8x", "16x", "32x"})
MAX_DIMENSION = 16_000
FIELD_KEYS = frozenset({"type", "dimension", "method", "space_type"})
METHOD_KEYS = frozenset({"name", "engine", "space_type", "parameters"})
# What Lucene's graph is built by; `ef_search` is Faiss's own.
BUILD_PARAMETERS = frozenset({"m", "ef_construction"})
METHOD_PARAMETERS = BUILD_PARAMETERS | {"ef_search"}

# Managed by the service, and not ours to set (developer guide; opensearch-spark#634).
REFUSED_SETTINGS = (
    "number_of_shards",
    "number_of_replicas",
    "refresh_interval",
    "translog",
    "merge",
)

Fields = dict[str, Any]


def vector_fields(properties: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Fields]]:
    """Yield path and definition of every vector field, objects looked through."""
    for name, definition in properties.items():
        path = f"{prefix}{name}"
        if definition.get("type") == "knn_vector":
            yield path, definition
        yield from vector_fields(definition.get("properties", {}), f"{path}.")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse what the service manages itself.

    Raises:
        RefusedError: 400.
    """
    for name in flatten(settings):
        if any(name.removeprefix("index.").startswith(refused) for refused in REFUSED_SETTINGS):
            raise _malformed(f"unsupported setting [{name}]")


def flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return settings by dotted name, whichever of the two forms they came in."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        inner = flatten(value, f"{prefix}{name}.") if isinstance(value, Mapping) else None
        flat.update({f"{prefix}{name}": value} if inner is None else inner)
    return flat


def check_mapping(mapping: Mapping[str, Any], generation: Generation) -> None:
    """Refuse vectors that this generation does not take.

    Raises:
        RefusedError: 400.
    """
    for path, definition in vector_fields(mapping.get("properties", {})):
        _check_field(path, definition, generation)


def _check_field(path: str, definition: Fields, generation: Generation) -> None:
    is_nextgen = generation is Generation.NEXTGEN
    if unknown := definition.keys() - FIELD_KEYS - ({"compression_level"} if is_nextgen else set()):
        raise _malformed(f"field [{path}]: unsupported parameter {sorted(unknown)}")
    if not 1 <= definition.get("dimension", 0) <= MAX_DIMENSION:
        raise _malformed(f"field [{path}]: dimension must be from 1 to {MAX_DIMENSION}")
    if definition.get("compression_level", "1x") not in COMPRESSION_LEVELS:
        raise _malformed(
            f"field [{path}]: compression_level is one of {sorted(COMPRESSION_LEVELS)}"
        )
    _check_method(path, definition, is_nextgen=is_nextgen)


def _check_method(path: str, definition: Fields, *, is_nextgen: bool) -> None:
    method = definition.get("method", {})
    if method.keys() - METHOD_KEYS or method.get("parameters", {}).keys() - METHOD_PARAMETERS:
        raise _malformed(f"field [{path}]: unsupported parameter in method")
    if method.get("name", "hnsw") != "hnsw":
        raise _malformed(f"field [{path}]: hnsw is the only method")
    if method.get("space_type", definition.get("space_type", "l2")) not in SPACE_TYPES:
        raise _malformed(f"field [{path}]: space_type is one of {sorted(SPACE_TYPES)}")
    if is_nextgen and "engine" in method:
        raise _malformed(f"field [{path}]: engine is managed by the service and must be left out")
    if not is_nextgen and method.get("engine") != "faiss":
        raise _malformed(f"field [{path}]: engine must be faiss; others cannot filter")


def to_lucene(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping for the server behind the gate, which keeps vectors out of `_source`."""
    changed = copy.deepcopy(dict(mapping))
    paths = []
    for path, definition in vector_fields(changed.get("properties", {})):
        paths.append(path)
        method = {"name": "hnsw", **definition.get("method", {}), "engine": "lucene"}
        parameters = method.pop("parameters", {})
        method["parameters"] = {k: v for k, v in parameters.items() if k in BUILD_PARAMETERS}
        definition["method"] = method
        definition.pop("compression_level", None)
    if paths:
        source = changed.get("_source", {})
        changed["_source"] = {**source, "excludes": [*source.get("excludes", []), *paths]}
    return changed


def from_lucene(mapping: Mapping[str, Any], originals: Mapping[str, Fields]) -> dict[str, Any]:
    """Return the mapping as the client wrote it.

    Args:
        mapping: What the server behind the gate says.
        originals: The client's own vector fields, by path.
    """
    changed = copy.deepcopy(dict(mapping))
    for path, definition in list(vector_fields(changed.get("properties", {}))):
        if path in originals:
            definition.clear()
            definition.update(copy.deepcopy(originals[path]))
    excludes = changed.get("_source", {}).get("excludes", [])
    if kept := [path for path in excludes if path not in originals]:
        changed["_source"]["excludes"] = kept
    else:
        changed.pop("_source", None)
    return changed


def _malformed(reason: str) -> RefusedError:
    return refuse(400, "mapper_parsing_exception", reason)
