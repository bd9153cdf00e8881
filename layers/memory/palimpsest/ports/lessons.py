"""Where lessons go: what a request teaches is learnt after its answer."""

from collections.abc import Sequence
from typing import Protocol

from palimpsest.domain.associations import Lesson


class Lessons(Protocol):
    """Takes lessons to whoever learns them, soon, once or more often.

    Nobody waits for that, and none is promised: a lost lesson leaves some edges weaker, and must cost nobody their answer.
    """

    def teach(self, lessons: Sequence[Lesson]) -> None:
        """Hand lessons over, in any number; none is fine. Never raises, and answers within seconds whatever happens."""
        ...
