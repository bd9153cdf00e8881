"""A rebuild without a second index, for one that is small enough to be brought right where it stands."""

from dataclasses import dataclass

from palimpsest.ports.index import FactIndex


@dataclass(frozen=True, slots=True)
class InPlaceRebuilds:
    """See ``palimpsest.ports.rebuilds.Rebuilds``: every fact is written again into the index that serves.

    Attributes:
        index: That index.
    """

    index: FactIndex

    def begin(self) -> FactIndex:
        """See ``Rebuilds.begin``."""
        return self.index

    def finish(self) -> None:
        """See ``Rebuilds.finish``."""
