"""One test's view of an index: what it puts there and how it asks, in short."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from palimpsest.domain.fact_text import text_hash
from palimpsest.domain.ids import first_after
from palimpsest.domain.search_filters import SearchFilter
from palimpsest.ports.index import Hit, IndexedFact, Search

from tests.builders import build_scope
from tests.fakes.clock import NOON
from tests.indexes import IndexUnderTest
from tests.vectors import DIMENSION


def fact_id(number: int) -> str:
    """Return the id of the fact that was made so many milliseconds after noon."""
    return first_after(NOON + timedelta(milliseconds=number))


def unit(*numbers: float) -> list[float]:
    """Return a vector of unit length whose last numbers are zero."""
    padded = [*numbers, *[0.0] * (DIMENSION - len(numbers))]
    length = math.hypot(*padded)
    return [number / length for number in padded]


@dataclass
class World:
    """The index of one test, in that test's tenant."""

    under_test: IndexUnderTest
    now: datetime = NOON

    @property
    def tenant_id(self) -> str:
        return self.under_test.tenant_id

    def fact(self, number: int, text: str = "Ana plays chess.", **fields: Any) -> IndexedFact:
        given = {
            "version": 1,
            "scope": build_scope(self.tenant_id, projectId="p"),
            "type": "note",
            "vector": unit(1),
            "created_at": NOON + timedelta(milliseconds=number),
            **fields,
        }
        return IndexedFact(fact_id=fact_id(number), text=text, text_hash=text_hash(text), **given)

    def scoped(self, number: int, **named: str) -> IndexedFact:
        return self.fact(number, scope=build_scope(self.tenant_id, **named))

    def put(self, *facts: IndexedFact) -> None:
        assert self.under_test.index.put(facts) == frozenset()
        self.under_test.settle()

    def retire(self, *facts: IndexedFact) -> None:
        assert self.under_test.index.retire(facts) == frozenset()
        self.under_test.settle()

    def archive(self, *facts: IndexedFact) -> None:
        assert self.under_test.index.archive(facts) == frozenset()
        self.under_test.settle()

    def remove(self, *numbers: int) -> None:
        removed = self.under_test.index.remove(self.tenant_id, [fact_id(n) for n in numbers])
        assert removed == frozenset()
        self.under_test.settle()

    def everything(self, **fields: Any) -> SearchFilter:
        return SearchFilter(**{"tenant_id": self.tenant_id, "audiences": None, **fields})

    def search(self, wanted: SearchFilter | None = None, **fields: Any) -> Search:
        return Search(
            **{"filter": wanted or self.everything(), "limit": 10, "now": self.now, **fields}
        )

    def by_words(self, query: str, wanted: SearchFilter | None = None, **fields: Any) -> list[Hit]:
        return self.under_test.index.keyword_search(query, self.search(wanted, **fields))

    def by_meaning(
        self, vector: Sequence[float], wanted: SearchFilter | None = None, **fields: Any
    ) -> list[Hit]:
        return self.under_test.index.vector_search(vector, self.search(wanted, **fields))

    def by_both(self, wanted: SearchFilter | None = None, **fields: Any) -> list[list[str]]:
        """Return what each leg finds of the facts that are about chess, in the order of their ids."""
        legs = (
            self.by_words("chess", wanted, **fields),
            self.by_meaning(unit(1), wanted, **fields),
        )
        return [sorted(ids(leg)) for leg in legs]


def ids(hits: Iterable[Hit]) -> list[str]:
    return [hit.fact_id for hit in hits]


def numbered(*numbers: int) -> list[str]:
    return [fact_id(number) for number in numbers]
