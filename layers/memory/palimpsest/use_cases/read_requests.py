"""What a read of memory is asked and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.domain.metadata_filters import MetadataFilter
from palimpsest.domain.read_filters import ReadFilter
from palimpsest.domain.recall import ReadItem
from palimpsest.domain.strategies import Said, Strategy

DEFAULT_TOP_K = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """What is asked.

    Attributes:
        query: In the caller's words; 1 to 5,000 characters.
        top_k: At most so many atoms, beside the slots for associated ones; 1 to 500.
        domains: Only atoms of one of these; None for all that the caller may see.
        fingerprint: Of an episode that is to be pinned first; None for none.
        concepts: What the query is about, as written; empty to take it from the query. At most 50.
        strategy: How to read; ``auto`` to have it chosen, None for the plain plan.
        said: What the request sets itself of what a strategy sets.
        narrowed: By author and time, after everything else.
        metadata: What every atom's metadata must hold, a pinned one's too.
        include_history: Whether revisions that were replaced compete, and atoms that do not hold now.
        diversity: Weight of likeness to what is in the answer already; in [0, 1].
    """

    query: str
    top_k: int = DEFAULT_TOP_K
    domains: tuple[str, ...] | None = None
    fingerprint: str | None = None
    concepts: tuple[str, ...] = ()
    strategy: Strategy | None = None
    said: Said = field(default_factory=Said)
    narrowed: ReadFilter = field(default_factory=ReadFilter)
    metadata: tuple[MetadataFilter, ...] = ()
    include_history: bool = False
    diversity: float = 0.0

    @property
    def is_narrowed(self) -> bool:
        """Whether much of what is found may be left out afterwards."""
        return self.narrowed != ReadFilter() or bool(self.metadata)

    def takes(self, item: ReadItem) -> bool:
        """Tell whether an item may be in the answer, whichever way it was found."""
        return self.narrowed.takes(item) and all(
            one.takes(item.atom.metadata) for one in self.metadata
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """What was read.

    Attributes:
        items: Pinned ones, then those that the search found, then associated ones; or all by their time.
        episodic_hit: An atom with the fingerprint was found.
        query_concepts: What the query is taken to be about, canonical.
        expanded_concepts: What it was widened by: learned neighbours that an atom which was found carries, so that what was
            deleted is not named by what it taught; then concepts of a first pass.
        search_time_ms: How long it took.
        timings: Of its phases in milliseconds, and counts of calls (``n_…``).
    """

    items: list[ReadItem]
    episodic_hit: bool
    query_concepts: tuple[str, ...]
    expanded_concepts: tuple[str, ...]
    search_time_ms: float
    timings: Mapping[str, float | int]
