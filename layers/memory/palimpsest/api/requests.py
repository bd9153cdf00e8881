"""Requests as API Gateway hands them over (HTTP API, payload format 2.0), read once and strictly."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl

from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError, Place, TooLargeError
from palimpsest.domain.facts import Revision
from palimpsest.domain.idempotency import Minted
from palimpsest.domain.json_text import JsonValue, parse_json

# spec/facts.md §7. A fact is at most 256 KB as it is stored; JSON may spell a byte with six (\u0041), so a body is given room.
MAX_BODY_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request.

    Attributes:
        method: Upper case.
        path: As it came, percent-encoded.
        route_key: The route that API Gateway chose, such as ``GET /v1/memory/facts/{factId}``, or ``$default``.
        path_parameters: Decoded, by name.
        query: Decoded parameters in the order that they came, repeats included.
        headers: By lower-case name.
        domain: The name of the API that it was sent to, without a port.
        body: The bytes; empty when there was none.
        request_id: API Gateway's; what the answer and the log name it by.
        minted: Ids that stand already, for a request that came with an ``Idempotency-Key``.
    """

    method: str
    path: str
    route_key: str
    path_parameters: Mapping[str, str] = field(default_factory=dict)
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    domain: str = ""
    body: bytes = b""
    request_id: str
    minted: Minted | None = None

    def parameters(self, allowed: frozenset[str]) -> dict[str, str]:
        """Return the query's parameters by name.

        Raises:
            BadInputError: If one is not allowed here, or is given twice: neither may silently widen or narrow a request.
        """
        found: dict[str, str] = {}
        for name, value in self.query:
            if name not in allowed:
                raise BadInputError(
                    f"There is no parameter {_shown(name)} here.",
                    field=_shown(name),
                    place=Place.QUERY,
                )
            if name in found:
                raise BadInputError(
                    f"The parameter {name} is given twice.", field=name, place=Place.QUERY
                )
            found[name] = value
        return found

    def without(self, name: str) -> "Request":
        """Return the request without one of its parameters."""
        return replace(self, query=tuple(pair for pair in self.query if pair[0] != name))

    def under(self, minted: Minted) -> "Request":
        """Return the request under ids that stand already."""
        return replace(self, minted=minted)

    def json_body(self, *, max_bytes: int = MAX_BODY_BYTES) -> JsonValue:
        """Return the body's JSON value.

        Raises:
            TooLargeError: If it is over ``max_bytes``.
            BadInputError: If it is not UTF-8, or not the JSON that ``parse_json`` takes.
        """
        if len(self.body) > max_bytes:
            raise TooLargeError(max_bytes)
        try:
            text = self.body.decode()
        except UnicodeDecodeError as error:
            raise BadInputError("The body is not valid UTF-8.") from error
        return parse_json(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer.

    Attributes:
        status: The status code.
        body: JSON text.
        headers: Beyond ``Content-Type`` and ``X-Request-Id``, which every answer has.
        revisions: Those in it; asked about before it is given a second time.
    """

    status: int
    body: str
    revisions: tuple[Revision, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


# What answers a route: public ones know no caller, the others always do.
PublicEndpoint = Callable[[Request], Answer]
Endpoint = Callable[[Request, Caller], Answer]


def from_event(event: Mapping[str, Any]) -> Request:
    """Read an API Gateway event.

    Raises:
        BadInputError: If the query string is not UTF-8 behind its percent signs. Everything else is left as it came, for
            whoever needs it to refuse.
    """
    context = event["requestContext"]
    return Request(
        method=context["http"]["method"],
        path=event["rawPath"],
        route_key=event["routeKey"],
        path_parameters=event.get("pathParameters") or {},
        query=_query(event.get("rawQueryString") or ""),
        headers={name.lower(): value for name, value in (event.get("headers") or {}).items()},
        domain=context.get("domainName", ""),
        body=_body(event),
        request_id=request_id_of(event),
    )


def request_id_of(event: Mapping[str, Any]) -> str:
    """Return the id that API Gateway gave the request."""
    return str(event["requestContext"]["requestId"])


def _query(raw: str) -> tuple[tuple[str, str], ...]:
    # `queryStringParameters` joins repeats with commas, which JSON in `scope` is full of; the raw string is unambiguous.
    try:
        return tuple(parse_qsl(raw, keep_blank_values=True, errors="strict"))
    except (UnicodeDecodeError, ValueError) as error:
        raise BadInputError("The query string is not valid UTF-8.", place=Place.QUERY) from error


def _body(event: Mapping[str, Any]) -> bytes:
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise BadInputError("The body is not valid base64.") from error


def _shown(name: str) -> str:
    """Return a name from outside, short enough to stand in a message."""
    return name[:64]
