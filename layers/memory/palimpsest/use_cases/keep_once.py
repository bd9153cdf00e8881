"""Keep what is remembered once: the very same observation or relation is not written again."""

from dataclasses import dataclass

from palimpsest.domain.erasures import check_not_being_erased
from palimpsest.domain.errors import DuplicateFactError, WriteConflictError
from palimpsest.domain.revisions import Act, Draft, first_revision
from palimpsest.domain.sight import check_may_write
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.pauses import Pauses
from palimpsest.ports.pseudonyms import Pseudonyms
from palimpsest.use_cases.attempts import with_attempts
from palimpsest.use_cases.entity_facts import EntityFacts
from palimpsest.use_cases.names import all_names, with_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Where it stands.

    Attributes:
        fact_id: Of the fact that says it.
        is_new: Whether this request wrote it; else it stood already.
    """

    fact_id: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOnce:
    """Writes a fact unless one that says the same stands and may be shown.

    Attributes:
        facts: Where they are kept.
        pseudonyms: Names the people of a fact.
        pauses: Waits between attempts.
        entity_facts: Looks at a fact that is said to stand.
    """

    facts: FactRepository
    pseudonyms: Pseudonyms
    pauses: Pauses
    entity_facts: EntityFacts

    def __call__(self, act: Act, draft: Draft) -> Kept:
        """Return where it stands; it can be read back as soon as this returns.

        Raises:
            PermissionDeniedError: If the caller may not write in the draft's scope.
            ErasureInProgressError: If somebody whom it names is being erased.
            TooLargeError: If it is over the store's budget.
            StoreUnavailableError: If the store stays busy.
            WriteConflictError: If other writers win every attempt.
        """
        caller = act.caller
        check_may_write(caller, draft.scope)
        fact = with_names(first_revision(draft, act), self.pseudonyms)
        named_now = all_names(fact.revision.people, caller.tenant_id, self.pseudonyms)
        # What says the same and may not be shown: closed, expired, or about somebody who is being erased.
        stale: set[str] = set()

        def once() -> Kept:
            open_erasures = self.facts.get_open_erasures(caller.tenant_id)
            check_not_being_erased(fact, named_now, open_erasures)
            try:
                self.facts.add_all([fact], stale=frozenset(stale))
            except DuplicateFactError as twin:
                if self.entity_facts.shown(caller, [twin.fact_id]):
                    return Kept(fact_id=twin.fact_id, is_new=False)
                stale.add(twin.fact_id)
                raise WriteConflictError("What said the same has ended meanwhile.") from twin
            return Kept(fact_id=fact.id, is_new=True)

        return with_attempts(once, self.pauses)
