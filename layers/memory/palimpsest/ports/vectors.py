"""Vectors as they are kept beside facts, so that none is paid for twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVector:
    """What a text means to one model.

    Attributes:
        text_hash: ``palimpsest.domain.fact_text.text_hash`` of the text that it stands for.
        vector: ``(d,)`` floats of unit length, as 32-bit floats hold them.
    """

    text_hash: str
    vector: Sequence[float]


class Vectors(Protocol):
    """Keeps one vector a fact and model: that of the fact's text when it was last indexed.

    Every method may raise ``StoreUnavailableError`` and ``StoreFailedError``.
    """

    def load(
        self, tenant_id: str, fact_ids: Sequence[str], model_id: str
    ) -> dict[str, StoredVector]:
        """Return, by fact id, the vectors that there are; it may be for another text than the fact's present one."""
        ...

    def save(self, tenant_id: str, vectors: Mapping[str, StoredVector], model_id: str) -> None:
        """Keep vectors by fact id, each in place of the one before. Some may be kept when this raises; again is safe."""
        ...

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> None:
        """Remove the vectors of all models of these facts. Removing what is not there is success."""
        ...
