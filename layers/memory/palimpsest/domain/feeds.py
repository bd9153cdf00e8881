"""Feeds: atoms without a query, newest first, by what can be said of each alone."""

from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.atoms import ATOM_TYPE, atom_of
from palimpsest.domain.facts import Fact
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.idempotency import HELD_FOR, KEPT_FOR
from palimpsest.domain.ids import first_after
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.domain.provenance import provenance_of

# How much later than its id an atom may be written: so long a request is taken over that died, and so long it works then.
LATEST_WRITE = KEPT_FOR + HELD_FOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """Which atoms a feed shows. Everything given must hold.

    An atom's time is that of its first write, which nothing changes; its id tells it nearly.

    Attributes:
        domain: Stands in this domain; None for all.
        since: Written then or later.
        until: Written then or earlier.
        exclude_author: Not written by this principal.
        with_replaced: Atoms that another one replaced are shown too.
    """

    domain: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    exclude_author: str | None = None
    with_replaced: bool = False

    @property
    def wanted(self) -> FactFilter:
        """The same as a filter of facts, as far as one can say it."""
        if self.domain is None:
            return FactFilter(type=ATOM_TYPE)
        label = Label(LabelKind.DOMAIN, self.domain)
        return FactFilter(type=ATOM_TYPE, labels=(frozenset({label}),))

    @property
    def ceiling(self) -> str | None:
        """The id that every atom of the feed lies below; None without a bound. No fact is older than its id."""
        return None if self.until is None else first_after(self.until)

    @property
    def floor(self) -> str | None:
        """The id that no atom of the feed lies below; None without a bound."""
        if self.since is None:
            return None
        try:
            return first_after(self.since - LATEST_WRITE)
        except OverflowError:
            return None  # the calendar's first day

    def takes(self, fact: Fact) -> bool:
        """Tell whether an atom's time and author are what the feed shows."""
        at = fact.first_written_at
        return (
            (self.since is None or at >= self.since)
            and (self.until is None or at <= self.until)
            and (self.exclude_author is None or self.exclude_author != _principal_of(fact))
        )


def _principal_of(fact: Fact) -> str:
    return provenance_of(fact.revision, atom_of(fact.revision)).principal
