"""HTTP requests as API Gateway's HTTP APIs hand them to Lambda, payload format 2.0.

What is documented follows "Create AWS Lambda proxy integrations for HTTP APIs". What is not was
looked up in captures of the real service:

* hotsock/voker, `vokerhttp/testdata/` (July 2026): the path arrives decoded, then is cut at a
  decoded `?`, then is decoded once more; what cannot be decoded a second time is 400. Headers
  and query values that repeat are joined with a bare comma, `+` in a query is a space, cookies
  leave the headers.
* ministackorg/ministack#766 (June 2026): only `text/*`, `application/json`,
  `application/javascript` and `application/xml` arrive as text. Any other content type, none at
  all and `application/x-www-form-urlencoded` too, is base64.
"""

import base64
import re
import secrets
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, unquote

from local.routes import Match

TEXT_TYPES = frozenset({"application/json", "application/javascript", "application/xml"})
BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
# Headers between two hops, which end at the gateway (RFC 9110, section 7.6.1), and those that it
# sets itself. Cookies go apart.
DROPPED_HEADERS = frozenset(
    {
        "connection",
        "content-length",
        "cookie",
        "expect",
        "keep-alive",
        "proxy-authenticate",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "x-forwarded-proto",
    }
)
REQUEST_ID_LENGTH = 15
ACCOUNT_ID = "123456789012"
API_ID = "palimpsest"
STAGE = "$default"


class BadPathError(ValueError):
    """The path of a request cannot be decoded; API Gateway answers 400 by itself."""


@dataclass(frozen=True)
class Request:
    """One HTTP request, whole.

    Args:
        method: As sent.
        raw_path: Before the `?`, still percent-encoded.
        raw_query: After the `?`, as sent; empty if there is none.
        headers: In the order of arrival, names in any case, repeats kept.
        body: Its bytes; empty if there is none.
        source_ip: The caller's address.
        protocol: For example `HTTP/1.1`.
        request_id: Made by `new_request_id`.
    """

    method: str
    raw_path: str
    raw_query: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    source_ip: str
    protocol: str
    request_id: str


def decode_path(raw_path: str) -> str:
    """Return a path as routes are compared with it: decoded once and cut at a `?`.

    Raises:
        BadPathError: if a `%` is not followed by two hexadecimal digits.
    """
    return _decode(raw_path).partition("?")[0]


def build_event(request: Request, match: Match, now: datetime) -> dict[str, Any]:
    """Return the event that the chosen function gets.

    Keys without a value (`cookies`, `queryStringParameters`, `pathParameters`, `body`) are left
    out, as there.

    Args:
        request: What came.
        match: The route that answers, found with `decode_path(request.raw_path)`.
        now: Aware UTC.

    Raises:
        BadPathError: if the path cannot be decoded a second time.
    """
    path = _decode(decode_path(request.raw_path))
    headers = _join_headers(request)
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": match.route.key,
        "rawPath": path,
        "rawQueryString": request.raw_query,
        "headers": headers,
        "requestContext": _request_context(request, match, path, now),
        "isBase64Encoded": False,
    }
    if cookies := _cookies(request.headers):
        event["cookies"] = cookies
    if query := _join(parse_qsl(request.raw_query, keep_blank_values=True)):
        event["queryStringParameters"] = query
    if match.variables:
        event["pathParameters"] = {k: _decode(v) for k, v in match.variables.items()}
    if request.body:
        text = _text(request.body, headers.get("content-type", ""))
        event["isBase64Encoded"] = text is None
        event["body"] = base64.b64encode(request.body).decode() if text is None else text
    return event


def new_request_id() -> str:
    """Return an id in the form of API Gateway's, for example `ATfSmjLgPHcESJw=`."""
    alphabet = string.ascii_letters + string.digits
    return "".join(secrets.choice(alphabet) for _ in range(REQUEST_ID_LENGTH)) + "="


def _request_context(request: Request, match: Match, path: str, now: datetime) -> dict[str, object]:
    host = _first(request.headers, "host")
    domain = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
    return {
        "accountId": ACCOUNT_ID,
        "apiId": API_ID,
        "domainName": domain,
        "domainPrefix": domain.partition(".")[0],
        "http": {
            "method": request.method,
            "path": path,
            "protocol": request.protocol,
            "sourceIp": request.source_ip,
            "userAgent": _first(request.headers, "user-agent"),
        },
        "requestId": request.request_id,
        "routeKey": match.route.key,
        "stage": STAGE,
        "time": now.astimezone(UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(now.timestamp() * 1000),
    }


def _join_headers(request: Request) -> dict[str, str]:
    passed = [
        (name.lower(), value)
        for name, value in request.headers
        if name.lower() not in DROPPED_HEADERS
    ]
    added = [
        ("content-length", str(len(request.body))),
        ("x-forwarded-for", request.source_ip),
        ("x-forwarded-proto", "http"),
    ]
    return _join([*passed, *added])


def _join(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _cookies(headers: Iterable[tuple[str, str]]) -> list[str]:
    lines = (value for name, value in headers if name.lower() == "cookie")
    parts = (part.strip() for line in lines for part in line.split(";"))
    return [part for part in parts if part]


def _first(headers: Iterable[tuple[str, str]], wanted: str) -> str:
    return next((value for name, value in headers if name.lower() == wanted), "")


def _text(body: bytes, content_type: str) -> str | None:
    """Return a body as text, or None where it must travel as base64."""
    media_type = content_type.partition(";")[0].strip().lower()
    if not (media_type.startswith("text/") or media_type in TEXT_TYPES):
        return None
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _decode(text: str) -> str:
    if BROKEN_ESCAPE.search(text):
        raise BadPathError("a % in the path is not followed by two hexadecimal digits")
    return unquote(text)
