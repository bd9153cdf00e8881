"""Supersede a fact: say what is true now, keep what was said before."""

from dataclasses import dataclass

from palimpsest.domain.errors import LegalHoldError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.holds import only_lifts_hold
from palimpsest.domain.revisions import Act, Change, Step, supersede
from palimpsest.use_cases.changes import FactChanges, Target, Verb
from palimpsest.use_cases.write_fact import check_may_hold


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersedeFact:
    """Replaces a fact's current revision by another with new content."""

    changes: FactChanges

    def __call__(self, act: Act, target: Target, change: Change) -> Revision:
        """Open the next revision and return it.

        Raises:
            PalimpsestError: As ``FactChanges.move``; further:
            LegalHoldError: If the fact is held and the change does more than lift the hold.
            PermissionDeniedError: If it sets or lifts a hold and the caller is no tenant admin.
            BadInputError: If the new revision would have expired already.
            TooLargeError: If it is over the store's budget.
        """

        def check_permission(fact: Fact) -> None:
            check_may_hold(act.caller, fact.revision.retention, change.retention)

        def step_from(fact: Fact) -> Step:
            if fact.revision.is_held and not only_lifts_hold(fact, change):
                raise LegalHoldError("The fact is under a legal hold.")
            return supersede(fact, change, act)

        verb = Verb(check_permission=check_permission, subjects=change.subjects)
        return self.changes.move(target, act, step_from, verb)
