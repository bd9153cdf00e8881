"""Whether the memory door's store answers, for anybody who asks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.api import memory_read_operations as operations
from palimpsest.api.problems import refusal_of
from palimpsest.api.requests import Answer, PublicEndpoint, Request
from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.domain.json_text import write_json


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHealthApi:
    """Routes of the function ``read_memory`` that take no token.

    Attributes:
        check_health: Tells whether the store answers.
        version: Of the software.
    """

    check_health: Callable[[], bool]
    version: str

    def public_endpoints(self) -> Mapping[str, PublicEndpoint]:
        """Return what answers anybody, by route key."""
        return {
            operations.HEALTH.route_key: self.health,
            operations.READY.route_key: self.health,
        }

    def health(self, request: Request) -> Answer:
        """Say whether the store answers; when it does not, in the shape of a refusal, too."""
        if self.check_health():
            known = {"status": "ok", "database": True, "version": self.version}
            return Answer(status=200, body=write_json(known))
        refusal = refusal_of(StoreUnavailableError("The store does not answer."))
        told = {
            "status": "unavailable",
            "database": False,
            "version": self.version,
            "code": refusal.code,
            "message": refusal.message,
            "requestId": request.request_id,
            "retryable": True,
        }
        return Answer(status=refusal.status, body=write_json(told), headers=refusal.headers)
