"""Vectors of one request: each text is embedded once, and what stands beside a fact is not embedded at all."""

import threading
from collections.abc import Iterable, Sequence

from palimpsest.domain.errors import EmbeddingUnavailableError, SemanticUnavailableError
from palimpsest.domain.fact_text import text_hash, text_of
from palimpsest.domain.facts import Revision
from palimpsest.ports.embeddings import Embeddings
from palimpsest.ports.vectors import Vectors

# Only what was replaced has no vector beside it any more, and what was never indexed. One call of a model that takes many
# texts, some seconds of one that takes one at a time; the others then count as unlike everything.
MAX_EMBEDDED = 32

Key = tuple[str, int]


class TextVectors:
    """What the texts of one request mean; safe to be asked by what runs side by side.

    Args:
        embeddings: The model.
        vectors: Keeps vectors of facts.
        tenant_id: The caller's.
    """

    def __init__(self, embeddings: Embeddings, vectors: Vectors, tenant_id: str) -> None:
        self._embeddings = embeddings
        self._vectors = vectors
        self._tenant_id = tenant_id
        self._queries: dict[str, Sequence[float]] = {}
        self._kept: dict[Key, Sequence[float]] = {}
        self._lock = threading.Lock()

    def of_query(self, text: str) -> Sequence[float]:
        """Return the vector of a question.

        Raises:
            SemanticUnavailableError: If the model does not answer now.
        """
        with self._lock:
            if text not in self._queries:
                try:
                    self._queries[text] = self._embeddings.embed_query(text)
                except EmbeddingUnavailableError as error:
                    raise SemanticUnavailableError("The embeddings do not answer now.") from error
            return self._queries[text]

    def of_revisions(self, revisions: Iterable[Revision]) -> dict[Key, Sequence[float]]:
        """Return vectors by fact id and version: those that are kept, and of at most ``MAX_EMBEDDED`` others new ones.

        Raises:
            SemanticUnavailableError: If the model does not answer now.
            StoreUnavailableError: If the store does not.
        """
        wanted = {(revision.fact_id, revision.version): revision for revision in revisions}
        missing = {key: text_of(r) for key, r in wanted.items() if key not in self._kept}
        if missing:
            self._find(missing)
            self._make({key: text for key, text in missing.items() if key not in self._kept})
        return {key: self._kept[key] for key in wanted if key in self._kept}

    def _find(self, texts: dict[Key, str]) -> None:
        fact_ids = sorted({fact_id for fact_id, _ in texts})
        found = self._vectors.load(self._tenant_id, fact_ids, self._embeddings.model_id)
        for (fact_id, version), text in texts.items():
            stored = found.get(fact_id)
            if stored is not None and stored.text_hash == text_hash(text):
                self._kept[fact_id, version] = stored.vector

    def _make(self, texts: dict[Key, str]) -> None:
        chosen = list(texts.items())[:MAX_EMBEDDED]
        if not chosen:
            return
        try:
            made = self._embeddings.embed_texts([text for _, text in chosen])
        except EmbeddingUnavailableError as error:
            raise SemanticUnavailableError("The embeddings do not answer now.") from error
        for (key, _), vector in zip(chosen, made, strict=True):
            self._kept[key] = vector
