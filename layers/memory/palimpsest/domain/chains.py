"""Chains: which atom replaced which, followed from any one of them, in both directions, within a budget of look-ups."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

# Seed page 004: resolved revisions and misses both count.
MAX_LOOK_UPS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One atom as a chain sees it.

    Attributes:
        id: Its id.
        replaces: Those that it replaced; several where it merged them.
        superseded_by: The one that replaced it; None while it stands.
    """

    id: str
    replaces: tuple[str, ...] = ()
    superseded_by: str | None = None

    @property
    def neighbours(self) -> tuple[str, ...]:
        """The ids that it leads to: up first, since the way up ends at what is true now."""
        up = () if self.superseded_by is None else (self.superseded_by,)
        return up + self.replaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """What a walk found.

    Attributes:
        ids: A predecessor never after its successor; of two without an order the lower id first.
        nearest: The same ids in the order that they were met: the start first.
        dangling: Ids that a found one leads to and that nothing was found for, in the order that they were met.
        is_truncated: The budget ran out before every id that is known of was looked up.
    """

    ids: tuple[str, ...]
    nearest: tuple[str, ...]
    dangling: tuple[str, ...]
    is_truncated: bool


# Gives, of the ids that it is asked for (at least one), those that can be shown, by id.
LookUp = Callable[[Sequence[str]], Mapping[str, Link]]


def walk_chain(start: Link, look_up: LookUp) -> Chain:
    """Return everything that an atom replaced, that replaced it, and that hangs together with these.

    It goes by distance: what lies nearest to the start is there even when the budget runs out. Both directions are followed
    from every atom, so that a fork (two that replaced one) and a merge (one that replaced two) are found from each of its
    ends.

    Args:
        start: Where to begin; it has cost one look-up.
        look_up: Asked once for each distance.
    """
    found = {start.id: start}
    dangling: list[str] = []
    left = MAX_LOOK_UPS - 1
    next_ids = _unknown([start], found.keys())
    while next_ids and left > 0:
        asked, left = next_ids[:left], left - len(next_ids[:left])
        links = look_up(asked)
        dangling += [missed for missed in asked if missed not in links]
        found |= {reached: links[reached] for reached in asked if reached in links}
        known = {*found, *dangling}
        # What no budget was left for is still to be asked.
        next_ids = [*next_ids[len(asked) :], *_unknown(links.values(), {*known, *next_ids})]
    return Chain(
        ids=_in_order(found),
        nearest=tuple(found),
        dangling=tuple(dangling),
        is_truncated=bool(next_ids),
    )


def _unknown(links: Iterable[Link], known: Iterable[str]) -> list[str]:
    seen = set(known)
    met = dict.fromkeys(other for link in links for other in link.neighbours)
    return [other for other in met if other not in seen]


def _in_order(found: Mapping[str, Link]) -> tuple[str, ...]:
    """Return the ids, each behind all that it came from (Kahn 1962).

    Ids alone would not do: two machines' clocks may differ, and then a successor has the lower id. A circle, which no write
    makes, comes last, by id.
    """
    followers = _followers(found)
    waits_for = dict.fromkeys(found, 0)
    for successors in followers.values():
        for successor in successors:
            waits_for[successor] += 1
    ready = [identifier for identifier, count in waits_for.items() if count == 0]
    heapify(ready)
    ordered: list[str] = []
    while ready:
        identifier = heappop(ready)
        ordered.append(identifier)
        for successor in followers[identifier]:
            waits_for[successor] -= 1
            if waits_for[successor] == 0:
                heappush(ready, successor)
    return (*ordered, *sorted(found.keys() - set(ordered)))


def _followers(found: Mapping[str, Link]) -> dict[str, set[str]]:
    """Return, of each that was found, those found that came after it: by its own word or by theirs."""
    followers: dict[str, set[str]] = {identifier: set() for identifier in found}
    for link in found.values():
        if link.superseded_by in followers:
            followers[link.id].add(link.superseded_by)
        for predecessor in link.replaces:
            if predecessor in followers:
                followers[predecessor].add(link.id)
    return followers
