"""Vectors in memory: held to their port by ``tests/contract/test_vectors.py``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.ports.vectors import StoredVector

from tests.fakes.faults import Faults


@dataclass
class FakeVectors:
    """See ``palimpsest.ports.vectors.Vectors``.

    Attributes:
        faults: What goes wrong with the next call of any kind.
    """

    faults: Faults = field(default_factory=Faults)
    _kept: dict[tuple[str, str, str], StoredVector] = field(default_factory=dict)

    def load(
        self, tenant_id: str, fact_ids: Sequence[str], model_id: str
    ) -> dict[str, StoredVector]:
        with self.faults.strike():
            places = {fact_id: (tenant_id, fact_id, model_id) for fact_id in fact_ids}
            return {i: self._kept[place] for i, place in places.items() if place in self._kept}

    def save(self, tenant_id: str, vectors: Mapping[str, StoredVector], model_id: str) -> None:
        with self.faults.strike():
            self._kept |= {(tenant_id, i, model_id): kept for i, kept in vectors.items()}

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> None:
        with self.faults.strike():
            for place in [p for p in self._kept if p[0] == tenant_id and p[1] in fact_ids]:
                del self._kept[place]
