"""Check that a fact lies in a scope, for who may only work there."""

from dataclasses import dataclass

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import FactNotFoundError
from palimpsest.domain.filters import FactFilter, matches
from palimpsest.domain.reading import can_find
from palimpsest.domain.scopes import Scope
from palimpsest.ports.facts import FactRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlace:
    """Tells a fact of the scope from every other.

    A scope never changes, so that what is found here still holds when the fact is read or changed after.
    """

    facts: FactRepository

    def __call__(self, caller: Caller, fact_id: str, scope: Scope) -> None:
        """Let pass a fact that names every container of the scope, closed or not.

        Raises:
            FactNotFoundError: If there is none that this caller may see there.
            StoreUnavailableError: If the store does not answer in time.
        """
        fact = self.facts.load(caller.tenant_id, fact_id).fact
        wanted = FactFilter(scope=dict(scope.items()))
        if fact is None or not can_find(caller, fact) or not matches(wanted, fact.revision, caller):
            raise FactNotFoundError(fact_id)
