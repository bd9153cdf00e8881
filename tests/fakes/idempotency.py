"""Records of requests in memory."""

import threading
from dataclasses import dataclass, field, replace
from datetime import datetime

from palimpsest.domain.idempotency import HELD_FOR, KeptAnswer, Minted, Record, Repeatable
from palimpsest.ports.idempotency import Claim

from tests.fakes.faults import Faults


@dataclass
class FakeIdempotencyRecords:
    """See ``palimpsest.ports.idempotency.IdempotencyRecords``."""

    faults: Faults = field(default_factory=Faults)
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def claim(self, tenant_id: str, request: Repeatable, minted: Minted, *, now: datetime) -> Claim:
        with self.faults.strike(), self._lock:
            found = self.records.get((tenant_id, request.identity))
            if found is not None and not found.is_over(now):
                is_dead = found.answer is None and found.held_until <= now
                if not is_dead or found.body_hash != request.body_hash:
                    return Claim(record=found, is_mine=False)
                record = replace(
                    found,
                    held_until=now + HELD_FOR,
                    minted=replace(found.minted, is_taken_over=True),
                )
            else:
                record = Record(
                    body_hash=request.body_hash,
                    minted=minted,
                    held_until=now + HELD_FOR,
                    made_at=now,
                )
            self.records[tenant_id, request.identity] = record
            return Claim(record=record, is_mine=True)

    def keep(self, tenant_id: str, request: Repeatable, minted: Minted, answer: KeptAnswer) -> None:
        with self.faults.strike(), self._lock:
            found = self._mine(tenant_id, request, minted)
            if found is not None:
                self.records[tenant_id, request.identity] = replace(found, answer=answer)

    def let_go(
        self, tenant_id: str, request: Repeatable, minted: Minted, *, is_undone: bool
    ) -> None:
        with self.faults.strike(), self._lock:
            found = self._mine(tenant_id, request, minted)
            if found is None:
                return
            if is_undone:
                del self.records[tenant_id, request.identity]
            else:
                self.records[tenant_id, request.identity] = replace(found, held_until=found.made_at)

    def _mine(self, tenant_id: str, request: Repeatable, minted: Minted) -> Record | None:
        found = self.records.get((tenant_id, request.identity))
        is_mine = (
            found is not None
            and found.answer is None
            and found.minted.operation_id == minted.operation_id
        )
        return found if is_mine else None
