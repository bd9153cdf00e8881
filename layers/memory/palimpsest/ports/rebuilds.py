"""Building the index anew while the old one serves."""

from typing import Protocol

from palimpsest.ports.index import FactIndex


class Rebuilds(Protocol):
    """Gives an index to be filled, and lets it take the old one's place.

    From ``begin`` to ``finish`` whoever follows the stream writes into both, so that nothing is missing when they change
    places.
    Every method may raise ``SearchUnavailableError`` and ``StoreFailedError``.
    """

    def begin(self) -> FactIndex:
        """Return the index to be filled: empty, or as far as an earlier rebuild had filled it that was not finished."""
        ...

    def finish(self) -> None:
        """Let the filled index serve from now on, in one step, and throw the old one away. Again changes nothing."""
        ...
