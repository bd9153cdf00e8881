"""Embeddings that know words: held to their port by ``tests/contract/test_embeddings.py``."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.adapters.hashing.embeddings import HashingEmbeddings
from palimpsest.domain.errors import EmbeddingUnavailableError


@dataclass
class FakeEmbeddings:
    """See ``palimpsest.ports.embeddings.Embeddings``: texts that share words lie near each other.

    Attributes:
        is_down: Every call raises ``EmbeddingUnavailableError``.
        model_id: The model that it says it is.
        dimension: Length of every vector.
        noise: What unrelated texts have in common.
        queries: Every question that was embedded.
        texts: Every text that was embedded, in its order.
    """

    is_down: bool = False
    model_id: str = "fake-words/64"
    dimension: int = 64
    noise: float = 0.0
    queries: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> Sequence[float]:
        self._check_up()
        vector = HashingEmbeddings(self.dimension).embed_query(text)
        self.queries.append(text)
        return vector

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self._check_up()
        vectors = HashingEmbeddings(self.dimension).embed_texts(texts)
        self.texts.extend(texts)
        return vectors

    def _check_up(self) -> None:
        if self.is_down:
            raise EmbeddingUnavailableError("Down.")
