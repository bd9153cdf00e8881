"""What the index should hold of a fact, decided from the fact as it stands and nothing else.

A stream tells *that* a fact was written, in order, at least once. What is then done follows from the table as it is read
afterwards, so that a notice that comes twice, late or out of turn does no harm: the last one to be heard finds the truth.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from palimpsest.domain.erasures import OpenErasures, is_being_erased
from palimpsest.domain.facts import Fact, Revision
from palimpsest.domain.reading import has_readable_past


class Shelf(StrEnum):
    """Where a fact's newest revision stands in the index.

    Attributes:
        CURRENT: Among the current facts.
        HISTORY: In the history, since another fact replaced it; nothing of the fact is among the current ones.
    """

    CURRENT = "current"
    HISTORY = "history"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKey:
    """Which fact."""

    tenant_id: str
    fact_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """That a fact was written, swept or erased.

    Attributes:
        key: Which fact.
        replaced: The revision that this very write replaced by a next one; None if it replaced none.
        gone: The fact as it last stood, where it was taken away altogether: swept or erased.
    """

    key: FactKey
    replaced: Revision | None = None
    gone: Fact | None = None


def shelf_of(fact: Fact | None, *, now: datetime, open_erasures: OpenErasures) -> Shelf | None:
    """Return where a search may find the fact's newest revision; None if nowhere: nothing of the fact stays in the index.

    Args:
        fact: As the table has it; None if it has none.
        now: The time of day.
        open_erasures: The tenant's.
    """
    if (
        fact is None
        or not has_readable_past(fact, now=now)
        or is_being_erased(fact.id, fact.named, open_erasures)
    ):
        return None
    return Shelf.HISTORY if fact.is_replaced else Shelf.CURRENT
