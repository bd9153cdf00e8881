"""What supersede, verify and delete have in common: finding the fact, asking the rules in order, trying again."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain

from palimpsest.domain.erasures import check_not_being_erased
from palimpsest.domain.errors import FactChangedError, FactNotFoundError, WriteConflictError
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.people import Person, people_named
from palimpsest.domain.reading import can_find, is_current
from palimpsest.domain.revisions import Act, Step
from palimpsest.domain.sight import check_may_write
from palimpsest.ports.facts import FactRepository, Loaded
from palimpsest.ports.pauses import Pauses
from palimpsest.ports.pseudonyms import Pseudonyms
from palimpsest.use_cases.attempts import with_attempts
from palimpsest.use_cases.names import all_names, with_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The fact that a request wants to change.

    Attributes:
        fact_id: As it stands in the request's path.
        expected_version: The version that the caller has read; None to change whatever stands.
    """

    fact_id: str
    expected_version: int | None = None


def _ask_nothing_more(_: Fact) -> None:
    """Let pass whoever may write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """What one kind of change asks for, beyond what all of them do.

    Attributes:
        check_permission: Raises ``PermissionDeniedError`` for what it takes beyond writing in the scope.
        subjects: Whom the new revision is about, where the request says so; None when that stays.
    """

    check_permission: Callable[[Fact], None] = _ask_nothing_more
    subjects: tuple[Person, ...] | None = None


ANY_WRITE = Verb()


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChanges:
    """Moves facts to their next revision, once for each request however often it has to try.

    Attributes:
        facts: Where they are kept.
        pseudonyms: Names the people of the new revision.
        pauses: Waits between attempts.
    """

    facts: FactRepository
    pseudonyms: Pseudonyms
    pauses: Pauses

    def move(
        self,
        target: Target,
        act: Act,
        step_from: Callable[[Fact], Step],
        verb: Verb,
    ) -> Revision:
        """Close the current revision and open the next.

        Args:
            target: Which fact, and at which version.
            act: The request; the same on every attempt.
            step_from: Checks what is left to check of the fact as it stands, and makes the step.
            verb: What it asks, and whom it names.

        Returns:
            The revision that was opened.

        Raises:
            FactNotFoundError: If the caller finds no such current fact.
            PermissionDeniedError: If the caller may not write in its scope.
            ErasureInProgressError: If somebody whom it names, or would name, is being erased.
            FactChangedError: If it is not at the expected version, or other writers win every attempt.
            StoreUnavailableError: If the store stays busy.
        """
        tried: list[int] = []

        def once() -> Revision:
            loaded = self.facts.load(
                act.caller.tenant_id, target.fact_id, version=max(tried, default=None)
            )
            landed = self._landed(act, loaded)
            if landed is not None:
                return landed
            fact = self._ready(target, act, loaded, verb)
            step = step_from(fact)
            after = with_names(step.fact, self.pseudonyms)
            tried.append(after.version)
            self.facts.replace(fact, step.closed, after)
            return after.revision

        return self._until_settled(target, act, once)

    def end(self, target: Target, act: Act, close: Callable[[Fact], Fact]) -> Revision:
        """Close the current revision and open none.

        Args:
            target: Which fact, and at which version.
            act: The request; the same on every attempt.
            close: Checks what is left to check of the fact as it stands, and closes it.

        Returns:
            The closed revision.

        Raises:
            PalimpsestError: As ``move``.
        """

        def once() -> Revision:
            loaded = self.facts.load(act.caller.tenant_id, target.fact_id)
            closing = loaded.fact.revision.closing if loaded.fact else None
            if loaded.fact and closing and closing.operation_id == act.operation_id:
                return loaded.fact.revision
            fact = self._ready(target, act, loaded)
            after = close(fact)
            self.facts.close(fact, after)
            return after.revision

        return self._until_settled(target, act, once)

    def _landed(self, act: Act, loaded: Loaded) -> Revision | None:
        """Return what an earlier attempt of this request has opened, as it was then; None if none has."""
        if loaded.fact is None or not can_find(act.caller, loaded.fact):
            return None
        seen = [loaded.fact.revision, *([loaded.revision] if loaded.revision else [])]
        earlier: Iterable[Revision] = ()
        if act.is_taken_over:
            earlier = self.facts.walk_revisions(act.caller.tenant_id, loaded.fact.id)
        for revision in chain(seen, earlier):
            if revision.operation_id == act.operation_id:
                return replace(revision, closing=None)
        return None

    def _ready(self, target: Target, act: Act, loaded: Loaded, verb: Verb = ANY_WRITE) -> Fact:
        """Return the fact if it can be changed by this request; the order of refusals is spec/facts.md §8's."""
        fact = loaded.fact
        if fact is None or not can_find(act.caller, fact) or not is_current(fact, now=act.now):
            raise FactNotFoundError(target.fact_id)
        scope = fact.revision.scope
        check_may_write(act.caller, scope)
        verb.check_permission(fact)
        about = fact.revision.subjects if verb.subjects is None else verb.subjects
        named_now = all_names(people_named(scope, about), scope.tenant_id, self.pseudonyms)
        check_not_being_erased(fact, named_now, loaded.open_erasures)
        if target.expected_version not in (None, fact.version):
            raise FactChangedError(fact.version)
        return fact

    def _until_settled(self, target: Target, act: Act, once: Callable[[], Revision]) -> Revision:
        try:
            return with_attempts(once, self.pauses)
        except WriteConflictError as conflict:
            fact = self.facts.load(act.caller.tenant_id, target.fact_id).fact
            if fact is None or not is_current(fact, now=act.now):
                raise FactNotFoundError(target.fact_id) from conflict
            raise FactChangedError(fact.version) from conflict
