"""Looking at a fact again, when the index has had time to show what it was told."""

from collections.abc import Sequence
from typing import Protocol

from palimpsest.domain.projection import FactKey


class Rechecks(Protocol):
    """Remembers facts to be projected once more after the index's delay.

    An index that shows writes late cannot be searched for a document that it was given a moment ago, so such a document can
    survive the removal that follows it. Looking again later finds it.
    """

    def schedule(self, keys: Sequence[FactKey]) -> None:
        """Have these facts projected again, once or more often, later than the index's delay.

        Raises:
            StoreUnavailableError: If it cannot be remembered now; some may be.
        """
        ...
