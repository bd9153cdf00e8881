"""Two indexes as one, while the second is being filled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from palimpsest.ports.facts import RevisionKey
from palimpsest.ports.index import FactIndex, Hit, IndexedAs, IndexedFact, Search

Key = TypeVar("Key", str, RevisionKey)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinIndex:
    """Writes into the index that serves and, while there is one, into the one that is being filled. See ``FactIndex``.

    Attributes:
        serving: Searched, and written first.
        find_next: Asked before each write, since a rebuild may begin at any time.
    """

    serving: FactIndex
    find_next: Callable[[], FactIndex | None]

    def put(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.put``; what fails in either is to be tried again in both."""
        return self._in_both(lambda index: index.put(facts))

    def retire(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.retire``."""
        return self._in_both(lambda index: index.retire(facts))

    def archive(self, facts: Sequence[IndexedFact]) -> frozenset[str]:
        """See ``FactIndex.archive``."""
        return self._in_both(lambda index: index.archive(facts))

    def remove(self, tenant_id: str, fact_ids: Sequence[str]) -> frozenset[str]:
        """See ``FactIndex.remove``."""
        return self._in_both(lambda index: index.remove(tenant_id, fact_ids))

    def keyword_search(self, query: str, search: Search) -> list[Hit]:
        """See ``FactIndex.keyword_search``."""
        return self.serving.keyword_search(query, search)

    def vector_search(self, vector: Sequence[float], search: Search) -> list[Hit]:
        """See ``FactIndex.vector_search``."""
        return self.serving.vector_search(vector, search)

    def find_indexed(self, tenant_id: str, fact_ids: Sequence[str]) -> dict[str, IndexedAs]:
        """See ``FactIndex.find_indexed``: only what stands alike in both, so that nobody takes it for done in one."""
        return self._alike_in_both(lambda index: index.find_indexed(tenant_id, fact_ids))

    def find_archived(
        self, tenant_id: str, revisions: Sequence[RevisionKey]
    ) -> dict[RevisionKey, IndexedAs]:
        """See ``FactIndex.find_archived``; as ``find_indexed``."""
        return self._alike_in_both(lambda index: index.find_archived(tenant_id, revisions))

    def _alike_in_both(
        self, find: Callable[[FactIndex], dict[Key, IndexedAs]]
    ) -> dict[Key, IndexedAs]:
        found = find(self.serving)
        filling = self.find_next()
        if filling is None:
            return found
        other = find(filling)
        return {key: told for key, told in found.items() if other.get(key) == told}

    def _in_both(self, write: Callable[[FactIndex], frozenset[str]]) -> frozenset[str]:
        filling = self.find_next()
        failed = write(self.serving)
        return failed if filling is None else failed | write(filling)
