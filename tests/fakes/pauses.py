"""Pauses that take no time and are counted."""

from dataclasses import dataclass, field


@dataclass
class FakePauses:
    """See ``palimpsest.ports.pauses.Pauses``."""

    attempts: list[int] = field(default_factory=list)

    def pause(self, attempt: int) -> None:
        self.attempts.append(attempt)
