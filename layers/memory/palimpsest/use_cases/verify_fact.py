"""Verify a fact: a person with the right confirms it as it stands."""

from dataclasses import dataclass

from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import FactChangedError, LegalHoldError, PermissionDeniedError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.revisions import Act, Step, verify
from palimpsest.use_cases.changes import FactChanges, Target, Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyFact:
    """Confirms a fact's current content."""

    changes: FactChanges

    def __call__(self, act: Act, target: Target) -> Revision:
        """Open a verified revision with the same content and return it.

        It never confirms a revision that stood there only after this request began: without an expected version, it holds to
        the one that it found first.

        Raises:
            PalimpsestError: As ``FactChanges.move``; further:
            PermissionDeniedError: If the caller is an agent.
            LegalHoldError: If the fact is held.
        """
        found: list[int] = []

        def check_permission(_: Fact) -> None:
            if act.caller.kind is CallerKind.AGENT:
                raise PermissionDeniedError("An agent may not verify.")

        def step_from(fact: Fact) -> Step:
            found.append(fact.version)
            if fact.version != found[0]:
                raise FactChangedError(fact.version)
            if fact.revision.is_held:
                raise LegalHoldError("The fact is under a legal hold.")
            return verify(fact, act)

        return self.changes.move(target, act, step_from, Verb(check_permission=check_permission))
