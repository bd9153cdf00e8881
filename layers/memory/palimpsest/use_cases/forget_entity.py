"""Forget an entity: every observation and every relation of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import Entity
from palimpsest.domain.erasures import OpenErasures, check_not_being_erased
from palimpsest.domain.errors import BadInputError, LegalHoldError
from palimpsest.domain.facts import Fact
from palimpsest.domain.revisions import Act, delete
from palimpsest.domain.scopes import Scope
from palimpsest.domain.sight import check_may_write
from palimpsest.domain.ties import Side, ties_of
from palimpsest.ports.clock import Clock
from palimpsest.ports.entities import EntityDirectory
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.pauses import Pauses
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.attempts import with_attempts
from palimpsest.use_cases.entity_facts import found_entities

# Read in one call of the store.
_FACTS_A_PAGE = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What is gone.

    Attributes:
        entities: As they stood: those of this name, of any type.
        observations: How many this request has deleted.
        relations: Likewise.
        is_complete: False if the time was over before all was gone; asking again goes on.
    """

    entities: list[Entity]
    observations: int
    relations: int
    is_complete: bool


class _Hanging(NamedTuple):
    """A fact, by its id, on an entity."""

    entity: Entity
    side: Side
    fact_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetEntity:
    """Deletes the facts of an entity, one by one; the entity goes with the last of them.

    Attributes:
        entities: What stands.
        facts: The truth.
        acts: Begins the deletion.
        pauses: Waits between attempts.
        clock: The time of day.
        time_budget: After that no further fact is begun.
    """

    entities: EntityDirectory
    facts: FactRepository
    acts: Acts
    pauses: Pauses
    clock: Clock
    time_budget: timedelta

    def __call__(self, caller: Caller, scope: Scope, name: str, *, is_confirmed: bool) -> Forgotten:
        """Delete all current facts of the entities of this name. A request that died halfway is taken up by asking again.

        Raises:
            BadInputError: If it is not confirmed.
            PermissionDeniedError: If the caller may not write in the scope.
            EntityNotFoundError: If there is no entity of this name in exactly this scope.
            LegalHoldError: If some of its facts are held; all others are gone then.
            ErasureInProgressError: If somebody whom one of them names is being erased.
            StoreUnavailableError: If the store stays busy.
        """
        if not is_confirmed:
            raise BadInputError("confirm must be true.", field="confirm")
        check_may_write(caller, scope)
        found = found_entities(self.entities, scope, name)
        act, deadline = self.acts.begin(caller), self.clock.now() + self.time_budget
        deleted: dict[Side, int] = dict.fromkeys(Side, 0)
        held = 0
        for hanging in self._ties(scope, found):
            if self.clock.now() >= deadline:
                return _forgotten(found, deleted, is_complete=False)
            is_held = self._delete(act, scope, hanging)
            held += is_held is True
            deleted[hanging.side] += is_held is False
        if held:
            raise LegalHoldError(
                f"{held} of its facts are under a legal hold; all others are gone."
            )
        return _forgotten(found, deleted, is_complete=True)

    def _ties(self, scope: Scope, found: list[Entity]) -> Iterator[_Hanging]:
        """Yield every fact with the entity and the side that it hangs on; read page by page while others go."""
        for entity in found:
            for side in Side:
                before = None
                while ids := self.entities.list_ties(
                    scope, entity.key, side, limit=_FACTS_A_PAGE, before=before
                ):
                    yield from (_Hanging(entity, side, fact_id) for fact_id in ids)
                    before = ids[-1]

    def _delete(self, act: Act, scope: Scope, hanging: _Hanging) -> bool | None:
        """Close a fact, expired or not; return whether a hold kept it, None if it is not about the entity any more.

        One that is gone, and was not counted out, is taken off the entity.
        """
        entity, side, fact_id = hanging

        def once() -> bool | None:
            loaded = self.facts.load(act.caller.tenant_id, fact_id)
            fact = loaded.fact
            if fact is None:
                self.entities.untie(scope, entity.key, side, fact_id)
                return None
            if not _is_about(fact, entity):
                return None
            if fact.revision.is_held:
                return True
            self._close(act, fact, loaded.open_erasures)
            return False

        return with_attempts(once, self.pauses)

    def _close(self, act: Act, fact: Fact, open_erasures: OpenErasures) -> None:
        check_may_write(act.caller, fact.revision.scope)
        check_not_being_erased(fact, (), open_erasures)
        self.facts.close(fact, delete(fact, act))


def _is_about(fact: Fact, entity: Entity) -> bool:
    return any(tie.entity.key == entity.key for tie in ties_of(fact.revision))


def _forgotten(found: list[Entity], deleted: dict[Side, int], *, is_complete: bool) -> Forgotten:
    return Forgotten(
        entities=found,
        observations=deleted[Side.OBSERVATION],
        relations=deleted[Side.OUT] + deleted[Side.IN],
        is_complete=is_complete,
    )
