"""No second look, for an index that shows its writes at once."""

from collections.abc import Sequence

from palimpsest.domain.projection import FactKey


class NoRechecks:
    """See ``palimpsest.ports.rechecks.Rechecks``: what an index without delay has shown is all there is to see."""

    def schedule(self, keys: Sequence[FactKey]) -> None:
        """Do nothing."""
