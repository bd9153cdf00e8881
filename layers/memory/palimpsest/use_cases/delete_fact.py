"""Delete a fact: it is not current any more; its history stays."""

from dataclasses import dataclass

from palimpsest.domain.errors import LegalHoldError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.revisions import Act, delete
from palimpsest.use_cases.changes import FactChanges, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteFact:
    """Closes a fact's current revision and opens none."""

    changes: FactChanges

    def __call__(self, act: Act, target: Target) -> Revision:
        """Close the current revision and return it.

        Raises:
            PalimpsestError: As ``FactChanges.end``; further:
            LegalHoldError: If the fact is held.
        """

        def close(fact: Fact) -> Fact:
            if fact.revision.is_held:
                raise LegalHoldError("The fact is under a legal hold.")
            return delete(fact, act)

        return self.changes.end(target, act, close)
