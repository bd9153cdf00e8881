"""Lessons that wait until a test looks at them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from palimpsest.domain.associations import Lesson


@dataclass
class FakeLessons:
    """See ``palimpsest.ports.lessons.Lessons``.

    Attributes:
        taught: What was handed over, in its order.
    """

    taught: list[Lesson] = field(default_factory=list)

    def teach(self, lessons: Sequence[Lesson]) -> None:
        self.taught += lessons

    def take(self) -> list[Lesson]:
        """Return what was handed over, and forget it."""
        taken, self.taught = self.taught, []
        return taken
