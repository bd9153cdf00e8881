"""What a function returned, as the HTTP response that API Gateway makes of it (format 2.0).

Source: "Create AWS Lambda proxy integrations for HTTP APIs", and the observations written down in
aws/aws-lambda-dotnet, `InvokeResponseExtensions.cs`: a result without `statusCode` is a 200 whose
body is the result, as `application/json`; a result with a `statusCode` that is otherwise of the
wrong shape is a 500.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

JSON_TYPE = "application/json"
DEFAULT_CONTENT_TYPE = "text/plain; charset=utf-8"
Kind = TypeVar("Kind", dict[str, object], list[object])
MIN_STATUS, MAX_STATUS = 200, 599


@dataclass(frozen=True)
class Response:
    """One HTTP response, whole.

    Args:
        status: The HTTP status.
        headers: Lower-case name and value; a name may repeat (`set-cookie`).
        body: Its bytes.
    """

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


def gateway_answer(status: int, message: str) -> Response:
    """Return an answer that API Gateway gives by itself, in its own shape."""
    body = json.dumps({"message": message}, separators=(",", ":")).encode()
    return Response(status, [("content-type", JSON_TYPE)], body)


def internal_error() -> Response:
    """Return what a failed function, or one that answers nonsense, looks like from outside."""
    return gateway_answer(500, "Internal Server Error")


def build_response(result: object) -> Response:
    """Return the response that a function's result stands for.

    Args:
        result: What the function returned, after a round trip through JSON.
    """
    if not isinstance(result, dict) or "statusCode" not in result:
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        return Response(200, [("content-type", JSON_TYPE)], text.encode())
    try:
        return _explicit(cast("dict[str, object]", result))
    except (TypeError, ValueError):
        return internal_error()


def _explicit(result: Mapping[str, object]) -> Response:
    status = result["statusCode"]
    if isinstance(status, bool) or not isinstance(status, int | str):
        raise TypeError("statusCode is no number")
    if not MIN_STATUS <= int(status) <= MAX_STATUS:
        raise ValueError("statusCode is out of range")
    headers = [
        (name.lower(), _header_value(value))
        for name, value in _optional(result.get("headers"), dict).items()
    ]
    if "content-type" not in dict(headers):
        headers.append(("content-type", DEFAULT_CONTENT_TYPE))
    cookies = _optional(result.get("cookies"), list)
    headers += [("set-cookie", _header_value(cookie)) for cookie in cookies]
    return Response(int(status), headers, _body(result))


def _body(result: Mapping[str, object]) -> bytes:
    body = result.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        raise TypeError("body is no text")
    if result.get("isBase64Encoded"):
        return base64.b64decode(body, validate=True)
    return body.encode()


def _header_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise TypeError("a header is no text")
    text = str(value)
    # A line break would end the header here, and a character beyond Latin-1 has no wire form.
    if any(character in text for character in "\r\n\0"):
        raise ValueError("a header holds a line break")
    text.encode("latin-1")
    return text


def _optional(value: object, kind: type[Kind]) -> Kind:
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise TypeError(f"a {kind.__name__} was expected")
    return value
