"""A clock that stands still until it is told to move."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


@dataclass
class FakeClock:
    """See ``palimpsest.ports.clock.Clock``."""

    instant: datetime = NOON

    def now(self) -> datetime:
        return self.instant

    def advance(self, step: timedelta) -> datetime:
        """Move on (or, with a negative step, back) and return the new instant."""
        self.instant += step
        return self.instant
