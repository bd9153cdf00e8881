"""All facts of a fake store, page by page."""

from dataclasses import dataclass

from palimpsest.ports.census import CensusPage

from tests.fakes.facts import FakeFactRepository


@dataclass
class FakeCensus:
    """See ``palimpsest.ports.census.Census``.

    Attributes:
        facts: Where they are.
        page_size: Facts on a page.
    """

    facts: FakeFactRepository
    page_size: int = 3

    def read(self, after: str | None = None) -> CensusPage:
        with self.facts.read_faults.strike(), self.facts._lock:
            places = sorted("/".join(place) for place in self.facts._facts)
            rest = [place for place in places if after is None or place > after]
            page = rest[: self.page_size]
            found = [self.facts._facts[self._place(place)] for place in page]
            return CensusPage(
                facts=found, resume_after=page[-1] if rest[self.page_size :] else None
            )

    def estimate_items(self) -> int:
        return len(self.facts._facts)

    @staticmethod
    def _place(text: str) -> tuple[str, str]:
        tenant_id, _, fact_id = text.partition("/")
        return (tenant_id, fact_id)
