"""Rate atoms: say how well they served, so that what helps is found sooner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from palimpsest.domain.atoms import ATOM_TYPE, atom_of, rounded
from palimpsest.domain.erasures import OpenErasures, is_being_erased
from palimpsest.domain.errors import TooLargeError
from palimpsest.domain.facts import Fact
from palimpsest.domain.homes import home_of
from palimpsest.domain.ids import is_id
from palimpsest.domain.lessons import lessons_of_feedback
from palimpsest.domain.reading import can_find, is_current
from palimpsest.domain.reranking import moved_valence
from palimpsest.domain.revisions import Act
from palimpsest.domain.sight import may_write
from palimpsest.ports.facts import MAX_MOVED_TOGETHER, FactRepository
from palimpsest.ports.lessons import Lessons
from palimpsest.ports.pauses import Pauses
from palimpsest.use_cases.attempts import with_attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What a caller says of atoms.

    Attributes:
        atom_ids: Any texts; what is no id of an atom that may be rated is passed over.
        outcome: How well they served, -1 to 1.
        concepts: What the caller says they were about, or were asked about, as written.
    """

    atom_ids: tuple[str, ...]
    outcome: float
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """What came of a rating.

    Attributes:
        valences: Of the atoms that were rated, as they are kept now.
        pairs: How many pairs of concepts it teaches.
    """

    valences: tuple[float, ...]
    pairs: int

    @property
    def mean_valence(self) -> float:
        """The mean of these valences; 0 where there are none."""
        return fmean(self.valences) if self.valences else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RateAtoms:
    """Moves the valence of atoms towards an outcome, and teaches what belongs together.

    A valence ranks for everybody who sees the atom, so only who may write it moves it.

    Attributes:
        facts: Where they are kept.
        lessons: Learn from the outcome.
        pauses: Waits between attempts.
    """

    facts: FactRepository
    lessons: Lessons
    pauses: Pauses

    def __call__(self, act: Act, rating: Rating) -> Rated:
        """Rate the atoms that are there, current and the caller's to write.

        Raises:
            PermissionDeniedError: If the caller has no home, where the associations would be learnt.
            StoreUnavailableError: If the store stays busy. Some of the atoms may be rated; again under the same
                ``Idempotency-Key`` moves none twice.
            WriteConflictError: If other writers win every attempt.
        """
        home = home_of(act.caller)
        ids = [text for text in dict.fromkeys(rating.atom_ids) if is_id(text)]
        moved = [move for group in _groups(ids) for move in self._rate(act, group, rating.outcome)]
        lessons = lessons_of_feedback(
            [(fact.revision, atom_of(fact.revision)) for fact, _ in moved],
            home=home,
            named_concepts=rating.concepts,
            outcome=rating.outcome,
            operation_id=act.operation_id,
            at=act.now,
        )
        self.lessons.teach(lessons)
        return Rated(
            valences=tuple(valence for _, valence in moved),
            pairs=sum(len(lesson.pairs) for lesson in lessons),
        )

    def _rate(self, act: Act, ids: Sequence[str], outcome: float) -> list[tuple[Fact, float]]:
        def once() -> list[tuple[Fact, float]]:
            found, open_erasures = self.facts.load_many(act.caller.tenant_id, ids)
            moves = [
                (found[fact_id], rounded(moved_valence(found[fact_id].valence, outcome)))
                for fact_id in ids
                if fact_id in found and _may_rate(act, found[fact_id], open_erasures)
            ]
            if moves:
                self.facts.move_valences(moves, operation_id=act.operation_id)
            return moves

        try:
            return with_attempts(once, self.pauses)
        except TooLargeError:
            # The facts door takes atoms that are larger than this one's: several may be too much for one transaction.
            if len(ids) == 1:
                raise
            half = len(ids) // 2
            return [
                *self._rate(act, ids[:half], outcome),
                *self._rate(act, ids[half:], outcome),
            ]


def _may_rate(act: Act, fact: Fact, open_erasures: OpenErasures) -> bool:
    return (
        fact.revision.type == ATOM_TYPE
        and can_find(act.caller, fact)
        and may_write(act.caller, fact.revision.scope)
        and is_current(fact, now=act.now)
        and not is_being_erased(fact.id, fact.named, open_erasures)
    )


def _groups(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[at : at + MAX_MOVED_TOGETHER] for at in range(0, len(ids), MAX_MOVED_TOGETHER))
