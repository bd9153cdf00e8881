"""Embeddings: what a text means, as a vector."""

from collections.abc import Sequence
from typing import Protocol


class Embeddings(Protocol):
    """Turns texts into vectors of one model. Questions and facts are embedded differently by many models."""

    @property
    def model_id(self) -> str:
        """The model with everything that changes its vectors, such as ``amazon.titan-embed-text-v2:0/1024``."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def noise(self) -> float:
        """The cosine that a question has on average with a text that has nothing to do with it; in [0, 1).

        What tells a match from chance is the part above it: see ``palimpsest.domain.likeness.calibrated``.
        """
        ...

    def embed_query(self, text: str) -> Sequence[float]:
        """Return the vector of a question: ``(dimension,)`` floats, unit length.

        Raises:
            EmbeddingUnavailableError: If the model does not answer in time.
            BadInputError: If the text is empty.
        """
        ...

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the vectors of texts that are stored, in their order: each ``(dimension,)`` floats, unit length.

        A text longer than the model takes is cut, not refused.

        Raises:
            EmbeddingUnavailableError: If the model does not answer in time; nothing is returned for any of them.
            BadInputError: If a text is empty.
        """
        ...
