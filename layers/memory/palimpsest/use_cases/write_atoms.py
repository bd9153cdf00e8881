"""Write many atoms at once, each for itself."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeAlias

from palimpsest.domain.atoms import Atom, atom_of
from palimpsest.domain.errors import (
    PalimpsestError,
    StoreError,
    StoreUnavailableError,
    TooLargeError,
    WriteConflictError,
)
from palimpsest.domain.facts import Fact
from palimpsest.domain.ids import derived
from palimpsest.domain.lessons import lessons_of_write
from palimpsest.domain.revisions import Act
from palimpsest.domain.scopes import Scope
from palimpsest.ports.atoms import AtomText
from palimpsest.ports.clock import Clock
from palimpsest.ports.facts import MAX_ADDED_TOGETHER
from palimpsest.ports.lessons import Lessons
from palimpsest.ports.pauses import Pauses
from palimpsest.use_cases.atom_facts import (
    AtomFacts,
    Reason,
    Seen,
    WrittenAtom,
    landed,
    standing,
    stored,
    text_of_atom,
    with_novelty,
    writable_home,
)
from palimpsest.use_cases.attempts import with_attempts

# The official client waits for ten seconds. So long after the beginning of the request the last group of atoms is begun; it,
# the answer and the way there and back have what is left.
TIME_BUDGET = timedelta(seconds=7.5)

# A transaction takes 4 MB with everything around the contents, pointers and tallies too.
MAX_BYTES_TOGETHER = 2 * 1024 * 1024

Outcome: TypeAlias = WrittenAtom | PalimpsestError


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAtoms:
    """Keeps atoms in the caller's home, a few in each transaction. What fails does not stop the others.

    One transaction after the other: all of one domain move its tally, and would get in each other's way.

    Attributes:
        atom_facts: Looks for what stands, and makes the facts.
        novelties_of: From domains and texts to how new each is beside those before it, as ``WriteAtom.novelty_of``.
        lessons: Learn which concepts stood together.
        clock: Tells when a batch has taken too long; what is not stored by then is told as such.
        pauses: Waits between attempts.
    """

    atom_facts: AtomFacts
    novelties_of: Callable[[Sequence[tuple[str, str]]], list[float | None]]
    lessons: Lessons
    clock: Clock
    pauses: Pauses

    def __call__(self, act: Act, atoms: Mapping[int, Atom]) -> dict[int, Outcome]:
        """Keep the atoms.

        Args:
            act: The request. The id of each atom is derived from ``act.new_id`` and its place: a request that is sent again
                with its ``Idempotency-Key`` finds what it has stored.
            atoms: By place in the batch; their importance is worked out here.

        Returns:
            By place, what became of each, or why it is not stored. Of several that say the same the first is stored.

        Raises:
            PermissionDeniedError: If the caller has no home, or may not write there.
            ErasureInProgressError: If somebody whom the home names is being erased.
            StoreError: If the store took none of them, and refused or was busy.
        """
        home = writable_home(act.caller)
        if not atoms:
            return {}
        acts = {place: replace(act, new_id=derived(act.new_id, place)) for place in atoms}
        texts = {place: text_of_atom(atom) for place, atom in atoms.items()}
        firsts = {text: place for place, text in reversed(texts.items())}
        ids = [each.new_id for each in acts.values()] if act.is_taken_over else []
        seen = self.atom_facts.look(act, home, firsts.keys(), ids)
        outcomes = _found(acts, {place: text for text, place in firsts.items()}, seen)
        new = {place: atoms[place] for place in sorted(firsts.values()) if place not in outcomes}
        outcomes |= self._store_all(acts, home, new, seen)
        _raise_if_nothing_was_done(outcomes)
        self._teach(outcomes.values())
        return {
            place: _told(outcomes[firsts[text]], is_first=firsts[text] == place)
            for place, text in texts.items()
        }

    def _store_all(
        self, acts: Mapping[int, Act], home: Scope, atoms: Mapping[int, Atom], seen: Seen
    ) -> dict[int, Outcome]:
        """Store atoms that were not found, a group in each transaction."""
        if not atoms:
            return {}
        novelties = self.novelties_of([(atom.domain, atom.text) for atom in atoms.values()])
        new = [
            _New(
                place,
                self.atom_facts.new_fact(acts[place], home, with_novelty(atom, novelty)),
                novelty,
            )
            for (place, atom), novelty in zip(atoms.items(), novelties, strict=True)
        ]
        # All lie in one home, so all name the same people.
        self.atom_facts.check_not_being_erased(new[0].fact, seen.open_erasures)
        outcomes: dict[int, Outcome] = {}
        for group in _groups(new):
            act = acts[group[0].place]
            if self.clock.now() < act.now + TIME_BUDGET:
                outcomes |= self._store_group(act, group, seen)
            else:
                late = StoreUnavailableError("The store did not take all of the batch in time.")
                outcomes |= {each.place: late for each in group}
        return outcomes

    def _store_group(self, act: Act, group: Sequence["_New"], seen: Seen) -> dict[int, Outcome]:
        """Store some atoms in one transaction; one that is too large does not keep the others out."""
        attempt = _Attempt(act, self.atom_facts, list(group), seen)
        try:
            with_attempts(attempt, self.pauses)
        except TooLargeError as error:
            if len(attempt.left) == 1:
                return {**attempt.standing, attempt.left[0].place: error}
            alone = [self._store_group(act, [each], seen) for each in attempt.left]
            return {**attempt.standing, **{p: o for each in alone for p, o in each.items()}}
        except StoreError as error:
            return {**attempt.standing, **{each.place: error for each in attempt.left}}
        return {**attempt.standing, **{n.place: stored(n.fact, n.novelty) for n in attempt.left}}

    def _teach(self, outcomes: Iterable[Outcome]) -> None:
        lessons = [
            lesson
            for each in outcomes
            if isinstance(each, WrittenAtom) and each.is_stored
            for lesson in lessons_of_write(each.revision, atom_of(each.revision))
        ]
        self.lessons.teach(lessons)


@dataclass(frozen=True, slots=True)
class _New:
    """An atom that is to be stored: its place in the batch, its fact, its novelty."""

    place: int
    fact: Fact
    novelty: float | None

    @property
    def text(self) -> AtomText:
        """What makes it the same as another."""
        return text_of_atom(atom_of(self.fact.revision))


@dataclass(slots=True)
class _Attempt:
    """Stores some atoms together, and leaves out on the next attempt what somebody else has stored meanwhile."""

    act: Act
    atom_facts: AtomFacts
    left: list[_New]
    seen: Seen
    standing: dict[int, Outcome] = field(default_factory=dict)

    def __call__(self) -> None:
        if not self.left:
            return
        facts = [new.fact for new in self.left]
        texts = [new.text for new in self.left]
        try:
            self.atom_facts.keep(facts, stale=self.seen.stale(self.act, texts))
        except WriteConflictError:
            self._look_again(facts[0].revision.scope, texts)
            raise

    def _look_again(self, home: Scope, texts: Sequence[AtomText]) -> None:
        self.seen = self.atom_facts.look(self.act, home, texts, ())
        for new in list(self.left):
            same = self.seen.find_standing(self.act, new.text)
            if same is not None:
                self.standing[new.place] = standing(same)
                self.left.remove(new)


def _found(
    acts: Mapping[int, Act], texts: Mapping[int, AtomText], seen: Seen
) -> dict[int, Outcome]:
    """Return what is known without storing anything: what an earlier attempt has stored, and what stood already."""
    outcomes: dict[int, Outcome] = {}
    for place, text in texts.items():
        act = acts[place]
        same = seen.find_standing(act, text)
        if act.new_id in seen.found:
            outcomes[place] = landed(seen.found[act.new_id])
        elif same is not None:
            outcomes[place] = standing(same)
    return outcomes


def _told(first: Outcome, *, is_first: bool) -> Outcome:
    """Return what became of an atom, from what became of the first of those that say the same."""
    if is_first or isinstance(first, PalimpsestError):
        return first
    return replace(first, is_stored=False, importance=0.0, reason=Reason.SAME_STANDS)


def _groups(new: Sequence[_New]) -> Iterator[list[_New]]:
    """Part atoms into groups that fit one transaction each, in their order."""
    group: list[_New] = []
    size = 0
    for each in new:
        size += each.fact.revision.size
        if group and (len(group) == MAX_ADDED_TOGETHER or size > MAX_BYTES_TOGETHER):
            yield group
            group, size = [], each.fact.revision.size
        group.append(each)
    yield group


def _raise_if_nothing_was_done(outcomes: Mapping[int, Outcome]) -> None:
    """Tell of a store in trouble as what it is, so that the whole request is sent again."""
    errors = [each for each in outcomes.values() if isinstance(each, StoreError)]
    if errors and len(errors) == len(outcomes):
        raise errors[0]
