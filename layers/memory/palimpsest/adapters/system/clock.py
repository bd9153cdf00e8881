"""The machine's clock."""

from datetime import UTC, datetime

from palimpsest.domain.instants import to_milliseconds


class SystemClock:
    """Tells the machine's time. See ``palimpsest.ports.clock.Clock``."""

    def now(self) -> datetime:
        """See ``Clock.now``."""
        return to_milliseconds(datetime.now(UTC))
