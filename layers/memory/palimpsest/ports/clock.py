"""The time of day."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the present instant: aware UTC, cut to the millisecond. It may step back."""
        ...
