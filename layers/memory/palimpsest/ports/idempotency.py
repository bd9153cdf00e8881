"""Requests that were answered, or are being worked on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from palimpsest.domain.idempotency import KeptAnswer, Minted, Record, Repeatable


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a claim found.

    Attributes:
        record: What stands now.
        is_mine: Whether the claimant holds it and goes on; else the record says why not.
    """

    record: Record
    is_mine: bool


class IdempotencyRecords(Protocol):
    """Remembers requests by identity for a day, so that one key has one effect. Each tenant's apart from every other's.

    Every method may raise ``StoreUnavailableError``.
    """

    def claim(self, tenant_id: str, request: Repeatable, minted: Minted, *, now: datetime) -> Claim:
        """Take hold of an identity, if nobody has it. Atomic: of any number of claimants at once one gets it.

        A record that is over, by its day, counts as absent. A hold that is over, with the same body, is taken over with the
        ids that were minted for it.

        Args:
            tenant_id: The caller's.
            request: What is claimed.
            minted: Ids for it, if it is new.
            now: The clock.
        """
        ...

    def keep(self, tenant_id: str, request: Repeatable, minted: Minted, answer: KeptAnswer) -> None:
        """Keep the answer under a hold of one's own. Does nothing if the hold is somebody else's by now."""
        ...

    def let_go(
        self, tenant_id: str, request: Repeatable, minted: Minted, *, is_undone: bool
    ) -> None:
        """End a hold of one's own without an answer. Does nothing if it is somebody else's by now.

        Args:
            tenant_id: The caller's.
            request: What was claimed.
            minted: Its ids.
            is_undone: True if it is sure that nothing was changed: the record goes. Else the ids stay, so that whoever
                comes next with this key can look for what was done.
        """
        ...
