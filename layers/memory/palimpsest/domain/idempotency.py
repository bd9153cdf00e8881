"""One key, one effect: what a request that is sent again is answered (spec/facts.md §12)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from palimpsest.domain.callers import Caller
from palimpsest.domain.json_text import write_json

# spec/facts.md §12.
KEPT_FOR = timedelta(hours=24)
MAX_KEPT_BYTES = 300 * 1024

# Longer than any function may run (HTTP APIs end a request after 30 s), so that a hold that is over has no living owner.
HELD_FOR = timedelta(seconds=35)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatable:
    """A request that may be sent again, as its sender names it.

    Attributes:
        identity: Of caller, operation and key: hex SHA-256.
        body_hash: Hex SHA-256 of the body's bytes.
    """

    identity: str
    body_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Minted:
    """Ids that stand from before a request's first attempt, the same on all of them.

    Attributes:
        new_id: Of the fact or revision that it makes.
        operation_id: Stands on the revision that it makes, or closes.
        is_taken_over: Somebody may have gone this way before and died: look for what they did first.
    """

    new_id: str
    operation_id: str
    is_taken_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer below 400, kept to be given again.

    Attributes:
        status: Of the first answer.
        body: Its text; None when it was too large to keep.
        fact_ids: Every fact in it.
        readable_until: The first instant at which a revision in it is over; None when none ends.
        at: When it was given.
    """

    status: int
    body: str | None
    fact_ids: tuple[str, ...]
    readable_until: datetime | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is kept under one identity.

    Attributes:
        body_hash: Of the request that came first.
        minted: Its ids.
        held_until: While now is before it and there is no answer, somebody is at work.
        made_at: When the request first came; ``KEPT_FOR`` counts from here.
        answer: Once it was given.
    """

    body_hash: str
    minted: Minted
    held_until: datetime
    made_at: datetime
    answer: KeptAnswer | None = None

    def is_over(self, now: datetime) -> bool:
        """Tell whether it is to be treated as if it was not there."""
        return self.made_at + KEPT_FOR <= now


def identity_of(
    caller: Caller, operation: tuple[str, str], query: Sequence[tuple[str, str]], key: str
) -> str:
    """Return the identity of a request: the same key from somebody else, or for another operation, is another request.

    Args:
        caller: Who asks.
        operation: Method and path.
        query: Parameters; their order does not matter.
        key: The sender's.
    """
    parts = [caller.tenant_id, caller.name, caller.project_limit, *operation, sorted(query), key]
    return hashlib.sha256(write_json(parts).encode()).hexdigest()
