"""Embeddings without a model: texts that share words lie near each other. For tests and for a first look without a model."""

import hashlib
import math
from collections.abc import Iterable, Sequence

from palimpsest.domain.errors import BadInputError
from palimpsest.domain.words import query_words

DIMENSION = 256


class HashingEmbeddings:
    """Adds a fixed direction for each word. See ``palimpsest.ports.embeddings.Embeddings``.

    It knows words and no meaning; the same text has the same vector on every machine.

    Args:
        dimension: Length of every vector.
    """

    def __init__(self, dimension: int = DIMENSION) -> None:
        self._dimension = dimension

    @property
    def model_id(self) -> str:
        """See ``Embeddings.model_id``."""
        return f"hashing-words-1/{self._dimension}"

    @property
    def dimension(self) -> int:
        """See ``Embeddings.dimension``."""
        return self._dimension

    @property
    def noise(self) -> float:
        """See ``Embeddings.noise``: texts without a common word are at right angles, but for words that meet in one place."""
        return 0.0

    def embed_query(self, text: str) -> Sequence[float]:
        """See ``Embeddings.embed_query``."""
        return self.embed_texts([text])[0]

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """See ``Embeddings.embed_texts``."""
        if not all(text.strip() for text in texts):
            raise BadInputError("A text without a character has no meaning to embed.")
        # A text of stop words or signs only still has to point somewhere.
        return [self._direction(query_words(text) or (text,)) for text in texts]

    def _direction(self, words: Iterable[str]) -> list[float]:
        vector = [0.0] * self._dimension
        for word in words:
            place, sign = self._place(word)
            vector[place] += sign
        # Two words may meet in one place and cancel each other out.
        length = math.hypot(*vector)
        return [number / length for number in vector] if length else self._direction(("",))

    def _place(self, word: str) -> tuple[int, float]:
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8]) % self._dimension, 1.0 if digest[8] % 2 else -1.0
