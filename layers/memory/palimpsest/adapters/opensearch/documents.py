"""A revision as a document, and a found document as a hit. Pure.

A document's place is where at most one may stand: a fact in the index of current facts, a revision in the history index. Where
the server takes ids the place is the id, and the version decides between two writers. Where it does not, a document is
written beside those that stand in its place, and they are taken away; until that shows, ``fold`` keeps one hit of them.
"""

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.domain.instants import to_epoch_milliseconds
from palimpsest.domain.words import text_words
from palimpsest.ports.index import Hit, IndexedAs, IndexedFact

# What a search needs back; vectors and words stay where they are.
SHOWN_FIELDS = ("fact_id", "version", "text_hash", "place", "digest", "key", "fact")
# What tells in addition whether a document is stale: some 35 bytes a label, so nobody else reads it.
COMPARED_FIELDS = (*SHOWN_FIELDS, "tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document to be written.

    Attributes:
        fact_id: Of its fact: what a caller is told when it cannot be written.
        version: Of its revision.
        place: See the module.
        digest: Over all that is written, so that the same document is not written twice.
        source: The fields.
    """

    fact_id: str
    version: int
    place: str
    digest: str
    source: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One document as it was found.

    Attributes:
        index: The index that holds it, by its own name.
        id: The server's id for it.
        score: What the search gave; 0 where it did not score.
        source: The fields that were asked for, such as ``SHOWN_FIELDS``.
    """

    index: str
    id: str
    score: float
    source: Mapping[str, Any]

    @property
    def fact_id(self) -> str:
        """Of its fact."""
        return str(self.source["fact_id"])

    @property
    def version(self) -> int:
        """Of its revision."""
        return int(self.source["version"])


def fact_key(tenant_id: str, fact_id: str) -> str:
    """Return what all documents of one fact carry, and no others of any tenant."""
    return _digest(["fact", tenant_id, fact_id])


def history_place(key: str, version: int) -> str:
    """Return the place of a revision in the history index, by its fact's key."""
    return _digest([key, version])


def to_document(fact: IndexedFact, *, is_current: bool) -> Document:
    """Return a revision as it is written into the index of current facts, or into the history index."""
    key = fact_key(fact.scope.tenant_id, fact.fact_id)
    place = key if is_current else history_place(key, fact.version)
    source: dict[str, Any] = {
        "fact": key,
        "fact_id": fact.fact_id,
        "version": fact.version,
        "place": place,
        "tokens": sorted(fact.tokens),
        "words": " ".join(text_words(fact.text)),
        "text_hash": fact.text_hash,
    }
    if fact.expires_at is not None:
        source["expires_at"] = to_epoch_milliseconds(fact.expires_at)
    digest = _digest([source, _bits(fact.vector)])
    if fact.vector is not None:
        source["vector"] = list(fact.vector)
    source["digest"] = digest
    return Document(
        fact_id=fact.fact_id, version=fact.version, place=place, digest=digest, source=source
    )


def newest(documents: Iterable[Document]) -> list[Document]:
    """Return one document for each place: the highest version, the last of equal ones."""
    kept: dict[str, Document] = {}
    for document in documents:
        other = kept.get(document.place)
        if other is None or document.version >= other.version:
            kept[document.place] = document
    return list(kept.values())


def fold(found: Iterable[Standing], *, with_history: bool) -> list[Standing]:
    """Keep one of each fact, its highest version; with history one of each revision. The order stays."""
    kept: dict[tuple[str, int], Standing] = {}
    for standing in found:
        place = (standing.fact_id, standing.version if with_history else 0)
        other = kept.get(place)
        if other is None or standing.version > other.version:
            kept[place] = standing
    return sorted(kept.values(), key=lambda s: (s.score, s.fact_id, s.version), reverse=True)


def to_indexed_as(standing: Standing) -> IndexedAs:
    """Return by what a document is found, of one that was read with ``COMPARED_FIELDS``."""
    return IndexedAs(
        version=standing.version,
        text_hash=str(standing.source["text_hash"]),
        tokens=frozenset(standing.source["tokens"]),
    )


def to_hit(standing: Standing, score: float) -> Hit:
    """Return a found document as the port tells it."""
    return Hit(fact_id=standing.fact_id, version=standing.version, score=score)


def to_cosine(score: float) -> float:
    """Return the cosine that a score of a vector search says.

    Source:
        OpenSearch documentation, "Spaces": for cosinesimil Lucene and Faiss both score (2 - d) / 2 with d = 1 - cosine.
    """
    return max(-1.0, min(1.0, 2 * score - 1))


def _bits(vector: Sequence[float] | None) -> str | None:
    return None if vector is None else struct.pack(f"<{len(vector)}f", *vector).hex()


def _digest(value: Any) -> str:
    # ASCII, so that a lone surrogate passes. Hex, because `:` and `/` in ids break signatures (opensearch-py#833).
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
