"""Open erasures: what must not be read, and for whom nothing new is stored, from the moment an erasure is accepted.

The erasure itself is another function's work. What stands here is the rule that every read and every write asks.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from palimpsest.domain.errors import ErasureInProgressError
from palimpsest.domain.facts import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenErasure:
    """One erasure that has begun and not ended.

    Attributes:
        erasure_id: Its id in the ledger.
        fact_id: The one fact that it names; None when it names a person or a conversation.
        pseudonyms: The person's or conversation's, under every key that was listed when it began, and without one.
    """

    erasure_id: str
    fact_id: str | None = None
    pseudonyms: frozenset[str] = frozenset()


OpenErasures = tuple[OpenErasure, ...]


def is_being_erased(fact_id: str, named: Iterable[str], open_erasures: OpenErasures) -> bool:
    """Tell whether an open erasure covers a fact.

    Args:
        fact_id: The fact's id.
        named: Pseudonyms of everybody whom it names, or will name.
        open_erasures: All of the tenant's.
    """
    everybody = frozenset(named)
    return any(e.fact_id == fact_id or e.pseudonyms & everybody for e in open_erasures)


def check_not_being_erased(
    fact: Fact, named_now: Iterable[str], open_erasures: OpenErasures
) -> None:
    """Let a change pass unless it would store something for somebody who is being erased.

    Args:
        fact: As it stands, or as it would first be written.
        named_now: Pseudonyms, under every listed key, of everybody whom the new revision names.
        open_erasures: All of the tenant's.

    Raises:
        ErasureInProgressError: If it would.
    """
    if is_being_erased(fact.id, fact.named.union(named_now), open_erasures):
        raise ErasureInProgressError(
            "A person, conversation or fact that this names is being erased."
        )
