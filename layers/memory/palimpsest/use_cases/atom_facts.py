"""What writing one atom and writing many have in common: its fact, and whether the same stands already."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from palimpsest.domain.atoms import ATOM_TYPE, FULL_IMPORTANCE, Atom, atom_of, content_of, text_key
from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import OpenErasures, check_not_being_erased, is_being_erased
from palimpsest.domain.errors import DuplicateFactError, LegalHoldError, WriteConflictError
from palimpsest.domain.expiry import is_over
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.homes import home_of
from palimpsest.domain.reading import can_find, is_current
from palimpsest.domain.revisions import Act, Draft, first_revision
from palimpsest.domain.scopes import Scope
from palimpsest.domain.sight import check_may_write
from palimpsest.ports.atoms import AtomDirectory, AtomText
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.pseudonyms import Pseudonyms
from palimpsest.use_cases.names import all_names, with_names


class Reason(StrEnum):
    """What there is to say about a write that did what it could."""

    NOTHING = ""
    NOVELTY_UNKNOWN = "novelty-unknown"
    SAME_STANDS = "same-content-stands"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAtom:
    """What became of one atom that was to be written.

    Attributes:
        revision: The first of the new atom, or of the one that stands instead.
        is_stored: False only where the very same content stood already.
        importance: Its novelty, 0 to 1: ``FULL_IMPORTANCE`` where that is not known.
        reason: Why it is not stored, or what is not known.
    """

    revision: Revision
    is_stored: bool
    importance: float
    reason: Reason = Reason.NOTHING

    @property
    def superseded(self) -> tuple[str, ...]:
        """The ids of the atoms that it replaced."""
        return self.revision.replaces if self.is_stored else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one look at the store found.

    Attributes:
        found: By id, as they stand now, ended ones too.
        open_erasures: The tenant's, read at the same time.
        same: By text, the id of the last atom of the scope that was written with it.
    """

    found: Mapping[str, Fact]
    open_erasures: OpenErasures
    same: Mapping[AtomText, str]

    def find_standing(self, act: Act, text: AtomText) -> Fact | None:
        """Return the atom that says the very same, if the caller still finds one."""
        fact = self.found.get(self.same.get(text, ""))
        if fact is None or not self._stands(act, fact):
            return None
        return fact if text_of_atom(atom_of(fact.revision)) == text else None

    def stale(self, act: Act, texts: Collection[AtomText]) -> frozenset[str]:
        """Return the ids of atoms that said the same as one of these texts and have ended, or say something else now."""
        return frozenset(
            self.same[text]
            for text in texts
            if text in self.same and self.find_standing(act, text) is None
        )

    def _stands(self, act: Act, fact: Fact) -> bool:
        return (
            fact.revision.type == ATOM_TYPE
            and can_find(act.caller, fact)
            and is_current(fact, now=act.now)
            and not is_being_erased(fact.id, fact.named, self.open_erasures)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomFacts:
    """Looks for what stands, and makes facts of atoms.

    Attributes:
        facts: Where they are kept.
        atoms: Finds those that say the same.
        pseudonyms: Names the people whom a home names.
    """

    facts: FactRepository
    atoms: AtomDirectory
    pseudonyms: Pseudonyms

    def look(self, act: Act, home: Scope, texts: Collection[AtomText], ids: Sequence[str]) -> Seen:
        """Look for atoms of a scope that say the same as these texts, and for the facts of these ids."""
        same = self.atoms.find_same(home, texts)
        found, open_erasures = self.facts.load_many(
            act.caller.tenant_id, [*dict.fromkeys([*ids, *same.values()])]
        )
        return Seen(found=found, open_erasures=open_erasures, same=same)

    def new_fact(
        self, act: Act, home: Scope, atom: Atom, *, replaces: tuple[str, ...] = ()
    ) -> Fact:
        """Return the fact of a new atom, its id ``act.new_id``."""
        draft = Draft(type=ATOM_TYPE, scope=home, content=content_of(atom), replaces=replaces)
        return with_names(first_revision(draft, act), self.pseudonyms)

    def keep(
        self,
        facts: Sequence[Fact],
        closing: Sequence[tuple[Fact, Fact]] = (),
        *,
        stale: frozenset[str],
    ) -> None:
        """Keep new facts and close others, all or nothing; see ``FactRepository.add_all``.

        Raises:
            WriteConflictError: Also if somebody wrote the same since it was looked for: the next look finds it, or finds that
                it has ended.
            TooLargeError: If one is over the store's budget, or all together over a transaction's.
        """
        try:
            self.facts.add_all(facts, closing, stale=stale)
        except DuplicateFactError as error:
            raise WriteConflictError("The same content came in between.") from error

    def check_not_being_erased(self, fact: Fact, open_erasures: OpenErasures) -> None:
        """Let a new fact pass unless it names somebody who is being erased.

        Raises:
            ErasureInProgressError: If it does.
        """
        people, tenant_id = fact.revision.people, fact.revision.scope.tenant_id
        named_now = all_names(people, tenant_id, self.pseudonyms)
        check_not_being_erased(fact, named_now, open_erasures)


def find_changeable(act: Act, fact: Fact | None, open_erasures: OpenErasures) -> Fact | None:
    """Return an atom that the caller finds, one that another has replaced too, if it may be replaced or deleted.

    Args:
        act: The request.
        fact: As it was read; None when there is none.
        open_erasures: The tenant's, read at the same time.

    Returns:
        The fact; None when the caller finds no such atom.

    Raises:
        PermissionDeniedError: If the caller may not write in its scope.
        LegalHoldError: If it is held.
        ErasureInProgressError: If it, or somebody whom it names, is being erased.
    """
    if fact is None or not _is_found(act, fact):
        return None
    check_may_write(act.caller, fact.revision.scope)
    if fact.revision.is_held:
        raise LegalHoldError("The atom is under a legal hold.")
    check_not_being_erased(fact, (), open_erasures)
    return fact


def _is_found(act: Act, fact: Fact) -> bool:
    return (
        fact.revision.type == ATOM_TYPE
        and can_find(act.caller, fact)
        and (fact.is_replaced or not fact.is_closed)
        and not is_over(fact.revision, now=act.now)
    )


def writable_home(caller: Caller) -> Scope:
    """Return where a caller's atoms are written.

    Raises:
        PermissionDeniedError: If the caller has no such place, or may not write there (any more).
    """
    home = home_of(caller)
    check_may_write(caller, home)
    return home


def text_of_atom(atom: Atom) -> AtomText:
    """Return what makes two atoms of a scope the same."""
    return AtomText(domain=atom.domain, key=text_key(atom.text))


def with_novelty(atom: Atom, novelty: float | None) -> Atom:
    """Return an atom with its novelty as its importance; None is full importance."""
    return replace(atom, importance=FULL_IMPORTANCE if novelty is None else novelty)


def stored(fact: Fact, novelty: float | None) -> WrittenAtom:
    """Return what is said of an atom that was stored."""
    return WrittenAtom(
        revision=fact.revision,
        is_stored=True,
        importance=atom_of(fact.revision).importance,
        reason=Reason.NOVELTY_UNKNOWN if novelty is None else Reason.NOTHING,
    )


def landed(fact: Fact) -> WrittenAtom:
    """Return what is said of an atom that an earlier attempt of the same request stored."""
    return WrittenAtom(
        revision=fact.revision, is_stored=True, importance=atom_of(fact.revision).importance
    )


def standing(fact: Fact) -> WrittenAtom:
    """Return what is said of an atom that is not stored, because this one says the very same: nothing in it is new."""
    return WrittenAtom(
        revision=fact.revision, is_stored=False, importance=0.0, reason=Reason.SAME_STANDS
    )
