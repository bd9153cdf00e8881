"""One function's HTTP application: from event to answer, with everything that must happen on the way.

API Gateway has matched the route already, so a table by route key is all the routing there is
(docs/decisions/0004). Whatever happens, the answer has the shape of its door and the request's id.
"""

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aws_lambda_powertools import Logger

from palimpsest.api.doors import door_at
from palimpsest.api.idempotency import REPEATABLE_METHODS, answer_repeatable
from palimpsest.api.problems import CRASH, problem_of, refusal_of
from palimpsest.api.requests import (
    Answer,
    Endpoint,
    PublicEndpoint,
    Request,
    from_event,
    request_id_of,
)
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import PalimpsestError
from palimpsest.use_cases.answer_once import AnswerOnce


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """Answers the events of one function.

    Attributes:
        authenticate: From a token's text to its caller; raises ``NotAuthenticatedError``.
        logger: One line for each request: ids, counts and durations, never content.
        endpoints: By route key; each is called with a known caller.
        public_endpoints: By route key; these know no caller.
        answer_once: Keeps answers for requests that come with an ``Idempotency-Key``; None in functions that take none.
    """

    authenticate: Callable[[str], Caller]
    logger: Logger
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    public_endpoints: Mapping[str, PublicEndpoint] = field(default_factory=dict)
    answer_once: AnswerOnce | None = None

    def __call__(self, event: Mapping[str, Any], _context: object) -> dict[str, Any]:
        """Return API Gateway's response (payload format 2.0) to its event."""
        started = time.perf_counter()
        request_id = request_id_of(event)
        fields: dict[str, object] = {"request_id": request_id, "route": event["routeKey"]}
        answer = self._answer(event, request_id, fields)
        fields["status"] = answer.status
        fields["duration_ms"] = round((time.perf_counter() - started) * 1000, 1)
        self.logger.info("request_answered", extra=fields)
        return {
            "statusCode": answer.status,
            "headers": {
                "Content-Type": "application/json",
                "Cache-Control": "no-store",
                "X-Request-Id": request_id,
                **answer.headers,
            },
            "body": answer.body,
            "isBase64Encoded": False,
        }

    def _answer(
        self, event: Mapping[str, Any], request_id: str, fields: dict[str, object]
    ) -> Answer:
        try:
            return self._dispatch(from_event(event))
        except PalimpsestError as error:
            fields["code"] = problem_of(error)[1]
            fields["error"] = type(error).__name__
            if error.__cause__ is not None:
                fields["cause"] = type(error.__cause__).__name__
            return door_at(event["rawPath"]).refuse(refusal_of(error), request_id)
        except Exception as error:  # noqa: BLE001 - the edge: a crash is an answer too
            # The message of an unknown error may quote what a caller wrote; its type and its place do not.
            fields["error"] = type(error).__name__
            fields["trace"] = traceback.format_tb(error.__traceback__)
            self.logger.error("request_crashed", extra=dict(fields))  # noqa: TRY400 - as said above
            return door_at(event["rawPath"]).refuse(CRASH, request_id)

    def _dispatch(self, request: Request) -> Answer:
        public = self.public_endpoints.get(request.route_key)
        if public is not None:
            return public(request)
        endpoint = self.endpoints[request.route_key]
        caller = self.authenticate(door_at(request.path).find_token(request))
        if self.answer_once is None or request.method not in REPEATABLE_METHODS:
            return endpoint(request, caller)
        return answer_repeatable(request, caller, endpoint, self.answer_once)
