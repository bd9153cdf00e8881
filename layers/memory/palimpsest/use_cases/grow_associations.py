"""Grow associations: learn what requests have taught, after they were answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.associations import Lesson
from palimpsest.domain.errors import StoreError
from palimpsest.ports.associations import Associations
from palimpsest.ports.pauses import Pauses
from palimpsest.use_cases.attempts import with_attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowAssociations:
    """Learns lessons. Safe to be given the same again, late, out of turn, or to be stopped anywhere.

    Attributes:
        associations: Where they are learnt.
        pauses: Waits between attempts: lessons about one pair of concepts get in each other's way.
    """

    associations: Associations
    pauses: Pauses

    def __call__(self, lessons: Sequence[Lesson]) -> frozenset[str]:
        """Learn each lesson by itself, in their order.

        Returns:
            The event ids of those that could not be learnt now, to be given again. The others are done.
        """
        return frozenset(lesson.event_id for lesson in lessons if not self._is_done(lesson))

    def _is_done(self, lesson: Lesson) -> bool:
        """Learn a lesson; tell whether it is learnt, now or before."""
        try:
            with_attempts(lambda: self.associations.learn(lesson), self.pauses)
        except StoreError:
            return False
        return True
