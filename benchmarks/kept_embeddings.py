"""Embeddings that are made once and kept in a file: a model takes minutes over a data set."""

import sqlite3
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

from palimpsest.ports.embeddings import Embeddings

BATCH_SIZE = 64


class KeptEmbeddings:
    """See ``palimpsest.ports.embeddings.Embeddings``.

    Args:
        embeddings: Makes what is not there yet.
        path: The file; several runs may share it.
    """

    def __init__(self, embeddings: Embeddings, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._embeddings = embeddings
        self._file = sqlite3.connect(path)
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS vectors (model, kind, text, vector, PRIMARY KEY (model, kind, text))"
        )
        self.model_id = embeddings.model_id
        self.dimension = embeddings.dimension
        self.noise = embeddings.noise

    def embed_query(self, text: str) -> Sequence[float]:
        """See ``Embeddings.embed_query``."""
        return self._get("query", [text], lambda texts: [self._embeddings.embed_query(texts[0])])[0]

    def embed_texts(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """See ``Embeddings.embed_texts``."""
        return [
            vector
            for start in range(0, len(texts), BATCH_SIZE)
            for vector in self._get(
                "text", texts[start : start + BATCH_SIZE], self._embeddings.embed_texts
            )
        ]

    def _get(
        self,
        kind: str,
        texts: Sequence[str],
        make: Callable[[Sequence[str]], Sequence[Sequence[float]]],
    ) -> list[Sequence[float]]:
        found = {text: self._find(kind, text) for text in texts}
        missing = [text for text, vector in found.items() if vector is None]
        if missing:
            for text, made in zip(missing, make(missing), strict=True):
                found[text] = made
                self._file.execute(
                    "INSERT INTO vectors VALUES (?, ?, ?, ?)",
                    (self.model_id, kind, text, array("d", made).tobytes()),
                )
            self._file.commit()
        return [vector for text in texts if (vector := found[text]) is not None]

    def _find(self, kind: str, text: str) -> Sequence[float] | None:
        row = self._file.execute(
            "SELECT vector FROM vectors WHERE model = ? AND kind = ? AND text = ?",
            (self.model_id, kind, text),
        ).fetchone()
        return None if row is None else array("d", row[0])
