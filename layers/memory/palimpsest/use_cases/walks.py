"""Walking through facts until there are enough of them."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.domain.facts import Fact
from palimpsest.ports.facts import FactWalk


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What one walk gave.

    Attributes:
        facts: Newest first.
        resume_before: Where a further walk goes on; None if nothing can follow.
    """

    facts: list[Fact]
    resume_before: str | None


def collect(
    walk: FactWalk, is_wanted: Callable[[Fact], bool], limit: int, *, floor: str | None = None
) -> Collected:
    """Take the wanted facts of a walk until there are ``limit`` (at least 1), or the walk ends.

    May find fewer, even none, and still say where it goes on: a walk has a budget of reads.

    Args:
        walk: Not begun yet.
        is_wanted: Tells which facts to take.
        limit: At most so many.
        floor: No wanted fact has an id below this one: the walk ends there.
    """
    found: list[Fact] = []
    for fact in walk:
        if floor is not None and fact.id < floor:
            return Collected(facts=found, resume_before=None)
        if not is_wanted(fact):
            continue
        found.append(fact)
        if len(found) == limit:
            return Collected(facts=found, resume_before=fact.id if walk.has_unread else None)
    return Collected(facts=found, resume_before=walk.resume_before)
