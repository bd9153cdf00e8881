"""Companions: what facts of some types bring along in ConceptsTable, written in the same transaction as the fact.

Whichever door changes a fact, its planner says what else changes. A planner works from the fact as it was read and as it is
to be, and from nothing else that may have changed since without a condition that says so.

How a type of its own plugs in: a class of the form of ``CompanionPlanner`` in a module of its own, given to the repository
in ``bootstrap/parts.py``; its keys in ``concept_keys.py``; its rights in the policies of every function that writes facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from palimpsest.adapters.dynamodb import concept_keys
from palimpsest.adapters.dynamodb.attributes import read_text, text, ttl_after
from palimpsest.adapters.dynamodb.requests import OLD_ITEM, Request
from palimpsest.adapters.dynamodb.writes import Write
from palimpsest.domain.errors import DuplicateFactError
from palimpsest.domain.facts import Fact

# A stream tells a record for a day; what is given up lies two weeks in a bucket, from where a person may send it back.
COUNTED_OUT_KEPT = timedelta(days=30)
IS_NEW: Request = {"ConditionExpression": "attribute_not_exists(pk)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What one write does to one fact.

    Attributes:
        before: As it was read; None for a new one.
        after: As it is to be: open or closed. A valence that is moved stands in it.
        is_gone: The fact is taken away as it stood: ``before`` and ``after`` are the same.
    """

    before: Fact | None = None
    after: Fact
    is_gone: bool = False

    @property
    def left(self) -> Fact | None:
        """The fact that is there afterwards; None where it is taken away."""
        return None if self.is_gone else self.after


class CompanionPlanner(Protocol):
    """Plans what facts of its types bring along."""

    @property
    def table(self) -> str:
        """Where it lies: ConceptsTable's name."""
        ...

    @property
    def types(self) -> frozenset[str]:
        """The types of the facts that it plans for; no two planners share one."""
        ...

    def plan(self, passages: Sequence[Passage], *, stale: frozenset[str] | None) -> list[Write]:
        """Return what changes beside these facts in one transaction.

        It is asked once on each attempt, and may read. What it read has to be a condition of what it returns: one that fails
        is a ``WriteConflictError``, and the next attempt plans anew. On an attempt after a lost answer its plan does not
        matter: the fact's own condition tells that the first one landed.

        Args:
            passages: All those of its types in this transaction; at least one.
            stale: Ids of facts that are known to have ended, so that they claim nothing any more. None where alike facts are
                two facts: then nothing is a claim (see ``Write``).

        Returns:
            No item twice, none of FactsTable.

        Raises:
            DuplicateFactError: If two of the facts claim the same.
            StoreError: As reads do.
        """
        ...


def plan_companions(
    planners: Sequence[CompanionPlanner],
    passages: Sequence[Passage],
    *,
    stale: frozenset[str] | None = None,
) -> list[Write]:
    """Return what all facts of one transaction bring along, each type by its planner; types without one bring nothing."""
    planned: list[Write] = []
    for planner in planners:
        own = [each for each in passages if each.after.revision.type in planner.types]
        if own:
            planned += planner.plan(own, stale=stale)
    return planned


def plan_counting_out(
    planners: Sequence[CompanionPlanner], fact: Fact, at: datetime
) -> list[Write]:
    """Return what takes a fact that is gone out of all counts, behind a marker that it was; nothing where nothing stands of it.

    Args:
        planners: No two share a type.
        fact: As it last stood.
        at: Now.
    """
    passage = Passage(before=fact, after=fact, is_gone=True)
    for planner in planners:
        if fact.revision.type in planner.types:
            taken = planner.plan([passage], stale=None)
            return [_marker(planner.table, fact, at), *taken] if taken else []
    return []


def _marker(table: str, fact: Fact, at: datetime) -> Write:
    item = {
        "pk": text(concept_keys.counted_out_key(fact.revision.scope.tenant_id, fact.id)),
        "sk": text(concept_keys.COUNTED_OUT),
        "ttl": ttl_after(at + COUNTED_OUT_KEPT, grace_days=0),
    }
    put: Request = {"TableName": table, "Item": item, **IS_NEW, **OLD_ITEM}
    return Write(action="Put", request=put)


def is_free_for(fact_id: str, ended: frozenset[str]) -> Request:
    """Return the condition that it is free: nobody's, this very fact's (a second attempt), or of one that has ended."""
    holders = {f":holder{i}": text(holder) for i, holder in enumerate([fact_id, *sorted(ended)])}
    return {
        "ConditionExpression": f"attribute_not_exists(pk) OR factId IN ({', '.join(holders)})",
        "ExpressionAttributeValues": holders,
        **OLD_ITEM,
    }


def check_claims_differ(writes: Sequence[Write]) -> None:
    """Refuse two claims of one item.

    Raises:
        DuplicateFactError: If two facts of one transaction claim the same; it names the first.
    """
    holders: dict[tuple[str, str], str] = {}
    for claim in (put.request["Item"] for put in writes if put.is_claim):
        fact_id = read_text(claim, "factId")
        holder = holders.setdefault((read_text(claim, "pk"), read_text(claim, "sk")), fact_id)
        if holder != fact_id:
            raise DuplicateFactError(holder)
