"""Write an atom, perhaps in place of others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from palimpsest.domain.atoms import Atom, atom_of
from palimpsest.domain.errors import (
    AtomNotFoundError,
    AtomReplacedError,
)
from palimpsest.domain.facts import Fact
from palimpsest.domain.lessons import lessons_of_write
from palimpsest.domain.revisions import Act, replaced_by
from palimpsest.domain.scopes import Scope
from palimpsest.ports.lessons import Lessons
from palimpsest.ports.pauses import Pauses
from palimpsest.use_cases.atom_facts import (
    AtomFacts,
    Seen,
    WrittenAtom,
    find_changeable,
    landed,
    standing,
    stored,
    text_of_atom,
    with_novelty,
    writable_home,
)
from palimpsest.use_cases.attempts import with_attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAtom:
    """Keeps an atom in the caller's home, unless the very same stands there already: likeness discards nothing.

    Attributes:
        atom_facts: Looks for what stands, and makes the fact.
        novelty_of: From a home, a domain and a text to how new it is there, 0 to 1; None where that is not known in time.
        lessons: Learn that its concepts stood together.
        pauses: Waits between attempts.
    """

    atom_facts: AtomFacts
    novelty_of: Callable[[Scope, str, str], float | None]
    lessons: Lessons
    pauses: Pauses

    def __call__(self, act: Act, atom: Atom, supersedes: tuple[str, ...] = ()) -> WrittenAtom:
        """Keep the atom, and close those that it replaces in the same transaction.

        Args:
            act: The request.
            atom: Its importance is worked out here.
            supersedes: Ids of atoms that it replaces, wherever the caller may write; none twice.

        Raises:
            PermissionDeniedError: If the caller has no home, may not write there, or not where one of ``supersedes`` lies.
            AtomNotFoundError: If one of ``supersedes`` is no atom that the caller finds.
            AtomReplacedError: If one of them was replaced already.
            LegalHoldError: If one of them is held.
            ErasureInProgressError: If somebody whom the home or one of them names is being erased.
            TooLargeError: If it is over the store's budget, or all together over a transaction's. Nothing was written.
            StoreUnavailableError: If the store stays busy.
            WriteConflictError: If other writers win every attempt.
        """
        home = writable_home(act.caller)
        text = text_of_atom(atom)

        @cache  # one question a request, however often it tries
        def novelty() -> float | None:
            return self.novelty_of(home, atom.domain, atom.text)

        def once() -> WrittenAtom:
            seen = self.atom_facts.look(act, home, [text], [act.new_id, *supersedes])
            if act.new_id in seen.found:
                return landed(seen.found[act.new_id])
            same = seen.find_standing(act, text)
            if same is not None and same.id not in supersedes:
                return standing(same)
            before = [_predecessor(act, seen, fact_id) for fact_id in supersedes]
            said = with_novelty(atom, novelty())
            fact = self.atom_facts.new_fact(act, home, said, replaces=supersedes)
            self._store(act, fact, before, seen)
            return stored(fact, novelty())

        written = with_attempts(once, self.pauses)
        if written.is_stored:
            self.lessons.teach(lessons_of_write(written.revision, atom_of(written.revision)))
        return written

    def _store(self, act: Act, fact: Fact, before: Sequence[Fact], seen: Seen) -> None:
        self.atom_facts.check_not_being_erased(fact, seen.open_erasures)
        closing = [(each, replaced_by(each, fact.id, act)) for each in before]
        self.atom_facts.keep([fact], closing, stale=seen.stale(act, seen.same))


def _predecessor(act: Act, seen: Seen, atom_id: str) -> Fact:
    """Return an atom that is to be replaced, as it was read, if this caller may replace it."""
    fact = find_changeable(act, seen.found.get(atom_id), seen.open_erasures)
    if fact is None:
        raise AtomNotFoundError("No such atom.", atom_id=atom_id)
    if fact.is_replaced:
        raise AtomReplacedError(atom_id)
    return fact
