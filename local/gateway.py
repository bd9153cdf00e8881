"""The gateway: an ASGI application that stands where API Gateway's HTTP API stands in AWS."""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import anyio
import anyio.to_thread
from starlette.types import Receive, Scope, Send

from local.events import BadPathError, Request, build_event, decode_path, new_request_id
from local.functions import EventTooLargeError, FunctionFailedError, LambdaFunction
from local.responses import Response, build_response, gateway_answer, internal_error
from local.routes import find_route
from local.template import Route

# "Quotas for configuring and running an HTTP API": payload size 10 MB, integration timeout 30 s.
BODY_LIMIT_BYTES = 10 * 1024 * 1024
INTEGRATION_TIMEOUT_SECONDS = 30
HTTP_PORT = 80
BODILESS_STATUSES = frozenset({204, 304})

logger = logging.getLogger(__name__)


class DisconnectedError(ConnectionError):
    """The caller went away before its request was whole."""


def loopback_hosts(port: int) -> frozenset[str]:
    """Return the `Host` values under which a service on `port` of this machine is meant."""
    names = ("localhost", "127.0.0.1", "[::1]")
    bare = set(names) if port == HTTP_PORT else set()
    return frozenset({f"{name}:{port}" for name in names} | bare)


class Gateway:
    """Turns each request into an event, calls the function, and turns its result into an answer.

    A request whose `Host` is another one is refused with 421: without that, a web page could
    point a name of its own at 127.0.0.1 and speak to the service from a browser here.

    Args:
        routes: From the template.
        functions: Every function that a route names, by logical id.
        hosts: Values of `Host` that are answered, lower case.
        integration_timeout_seconds: After which a function is not waited for any longer.
    """

    def __init__(
        self,
        routes: Sequence[Route],
        functions: Mapping[str, LambdaFunction],
        *,
        hosts: frozenset[str],
        integration_timeout_seconds: float = INTEGRATION_TIMEOUT_SECONDS,
    ) -> None:
        self._routes = routes
        self._functions = functions
        self._hosts = hosts
        self._timeout_seconds = integration_timeout_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; see ASGI, version 3."""
        if scope["type"] != "http":
            return
        request_id = new_request_id()
        try:
            response = await self._answer(scope, receive, request_id)
        except DisconnectedError:
            return
        except Exception:
            logger.exception("The gateway failed", extra={"request_id": request_id})
            response = internal_error()
        await _send(response, request_id, send)

    async def _answer(self, scope: Scope, receive: Receive, request_id: str) -> Response:
        headers = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in scope["headers"]]
        hosts = [value.lower() for name, value in headers if name == "host"]
        body = await _read(receive)
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return gateway_answer(421, f"Only for {', '.join(sorted(self._hosts))}")
        if body is None:
            return gateway_answer(413, "Request Entity Too Large")
        client = scope.get("client") or ("127.0.0.1", 0)
        request = Request(
            method=scope["method"],
            raw_path=_origin_form(scope["raw_path"].decode("latin-1")),
            raw_query=scope["query_string"].decode("latin-1"),
            headers=headers,
            body=body,
            source_ip=client[0],
            protocol=f"HTTP/{scope['http_version']}",
            request_id=request_id,
        )
        try:
            return await self._call(request)
        except BadPathError:
            return gateway_answer(400, "Bad Request")

    async def _call(self, request: Request) -> Response:
        match = find_route(self._routes, request.method, decode_path(request.raw_path))
        if match is None:
            return gateway_answer(404, "Not Found")
        event = build_event(request, match, datetime.now(UTC))
        function = self._functions[match.route.function]
        seconds = min(function.definition.timeout_seconds, self._timeout_seconds)
        try:
            with anyio.fail_after(seconds):
                # A thread cannot be stopped: one that is too late ends unheard.
                result = await anyio.to_thread.run_sync(
                    function.invoke, event, abandon_on_cancel=True
                )
        except EventTooLargeError:
            return gateway_answer(413, "Request Entity Too Large")
        except FunctionFailedError:
            return internal_error()
        except TimeoutError:
            if seconds < self._timeout_seconds:
                return internal_error()
            return gateway_answer(503, "Service Unavailable")
        return build_response(result)


def _origin_form(target: str) -> str:
    """Return the path of a target that may name scheme and host, too (RFC 9112, section 3.2.2)."""
    if not target.lower().startswith(("http://", "https://")):
        return target
    return "/" + target.partition("://")[2].partition("/")[2]


async def _read(receive: Receive) -> bytes | None:
    """Return the body, or None if it is too large; it is read to its end in any case.

    A client that is cut off while it still sends would see a broken connection and no answer.
    """
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= BODY_LIMIT_BYTES:
            chunks.append(chunk)
        else:
            chunks.clear()
        if not message.get("more_body", False):
            return None if size > BODY_LIMIT_BYTES else b"".join(chunks)


async def _send(response: Response, request_id: str, send: Send) -> None:
    body = b"" if response.status in BODILESS_STATUSES else response.body
    headers = [pair for pair in response.headers if pair[0] not in {"content-length", "connection"}]
    headers.append(("apigw-requestid", request_id))
    if response.status not in BODILESS_STATUSES:
        headers.append(("content-length", str(len(body))))
    await send(
        {
            "type": "http.response.start",
            "status": response.status,
            "headers": [(k.encode("latin-1"), v.encode("latin-1")) for k, v in headers],
        }
    )
    await send({"type": "http.response.body", "body": body})
