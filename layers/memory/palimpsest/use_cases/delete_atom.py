"""Delete an atom: no read finds it any more, not even one that looks into the past."""

from dataclasses import dataclass

from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.homes import home_of
from palimpsest.domain.revisions import Act, delete
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.pauses import Pauses
from palimpsest.use_cases.atom_facts import find_changeable
from palimpsest.use_cases.attempts import with_attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteAtom:
    """Ends an atom that stands, or that another one has replaced.

    Attributes:
        facts: Where it is kept.
        pauses: Waits between attempts.
    """

    facts: FactRepository
    pauses: Pauses

    def __call__(self, act: Act, atom_id: str) -> Revision | None:
        """Delete the atom and return it as it ended; None where the caller finds none, as after the first time.

        Raises:
            PermissionDeniedError: If the caller has no home, or may not write in its scope.
            LegalHoldError: If it is held.
            ErasureInProgressError: If it, or somebody whom it names, is being erased.
            StoreUnavailableError: If the store stays busy.
            WriteConflictError: If other writers win every attempt.
        """
        home_of(act.caller)

        def once() -> Revision | None:
            loaded = self.facts.load(act.caller.tenant_id, atom_id)
            if loaded.fact is not None and _is_done(act, loaded.fact):
                return loaded.fact.revision
            fact = find_changeable(act, loaded.fact, loaded.open_erasures)
            if fact is None:
                return None
            after = delete(fact, act)
            self.facts.close(fact, after)
            return after.revision

        return with_attempts(once, self.pauses)


def _is_done(act: Act, fact: Fact) -> bool:
    """Tell whether an earlier attempt of this request has deleted it."""
    closing = fact.revision.closing
    return closing is not None and closing.operation_id == act.operation_id
