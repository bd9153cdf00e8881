"""What the indexes are called: by what they are made with, so that another model or layout never meets the wrong vectors."""

import hashlib
import json
from dataclasses import dataclass

from palimpsest.adapters.opensearch.mappings import Shape, meta_of
from palimpsest.adapters.opensearch.schema import OpenSearchSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexNames:
    """Aliases under which the two indexes of a deployment are used.

    Attributes:
        current: Of the index of current facts, such as ``facts-1f0c22ab``.
        history: Of the history index.
    """

    current: str
    history: str

    @classmethod
    def of(cls, shape: Shape) -> "IndexNames":
        """Return the names of the indexes with these vectors and the present layout."""
        made_with = hashlib.sha256(json.dumps(meta_of(shape), sort_keys=True).encode())
        mark = made_with.hexdigest()[:8]
        return cls(current=f"facts-{mark}", history=f"history-{mark}")


def set_up_indexes(schema: OpenSearchSchema, shape: Shape) -> IndexNames:
    """Make the indexes of these vectors where they are missing, each behind its alias; again changes nothing.

    Raises:
        StoreFailedError: If the server refuses, or an index of this name is of another shape.
        SearchUnavailableError: If it does not answer in time.
    """
    names = IndexNames.of(shape)
    for alias in (names.current, names.history):
        if schema.find_indexes(alias):
            schema.check_index(alias, shape)
            continue
        first = f"{alias}-1"
        schema.create_index(first, shape)
        schema.point_alias(alias, first)
    return names
