"""Write a fact."""

from dataclasses import dataclass, replace

from palimpsest.domain.callers import Caller
from palimpsest.domain.erasures import check_not_being_erased
from palimpsest.domain.errors import PermissionDeniedError, ScopeMismatchError
from palimpsest.domain.facts import Retention, Revision
from palimpsest.domain.revisions import Act, Draft, first_revision
from palimpsest.domain.sight import check_may_write
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.pauses import Pauses
from palimpsest.ports.pseudonyms import Pseudonyms
from palimpsest.use_cases.attempts import with_attempts
from palimpsest.use_cases.names import all_names, with_names


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFact:
    """Keeps a new fact. Similar facts are two facts: nothing is ever merged or thrown away for likeness."""

    facts: FactRepository
    pseudonyms: Pseudonyms
    pauses: Pauses

    def __call__(self, act: Act, draft: Draft) -> Revision:
        """Keep the fact and return its first revision; it can be read back as soon as this returns.

        Raises:
            ScopeMismatchError: If the scope names another tenant than the token's.
            PermissionDeniedError: If the caller may not write in this scope, or sets a hold and is no tenant admin.
            BadInputError: If it would have expired already.
            ErasureInProgressError: If somebody whom it names is being erased.
            TooLargeError: If it is over the store's budget.
            StoreUnavailableError: If the store stays busy.
        """
        caller = act.caller
        if draft.scope.tenant_id != caller.tenant_id:
            raise ScopeMismatchError(
                "scope.tenantId is not the token's tenant.", field="scope.tenantId"
            )
        check_may_write(caller, draft.scope)
        check_may_hold(caller, None, draft.retention)
        fact = with_names(first_revision(draft, act), self.pseudonyms)
        named_now = all_names(fact.revision.people, caller.tenant_id, self.pseudonyms)

        def once() -> Revision:
            open_erasures = self.facts.get_open_erasures(caller.tenant_id)
            check_not_being_erased(fact, named_now, open_erasures)
            self.facts.add(fact)
            return fact.revision

        landed = self._landed(act) if act.is_taken_over else None
        return landed or with_attempts(once, self.pauses)

    def _landed(self, act: Act) -> Revision | None:
        """Return what an earlier attempt of this request has written, as it was then."""
        loaded = self.facts.load(act.caller.tenant_id, act.new_id, version=1)
        current = loaded.fact.revision if loaded.fact else None
        first = current if current and current.version == 1 else loaded.revision
        return replace(first, closing=None) if first else None


def check_may_hold(caller: Caller, before: Retention | None, after: Retention | None) -> None:
    """Let pass unless a hold is set or lifted by somebody who is no tenant admin.

    Args:
        caller: Who asks.
        before: The retention that stands; None for none.
        after: The one that is asked for; None keeps what stands.

    Raises:
        PermissionDeniedError: If it is.
    """
    if after is None or caller.is_tenant_admin:
        return
    if after.is_held != (before is not None and before.is_held):
        raise PermissionDeniedError("Only a tenant admin sets or lifts a legal hold.")
