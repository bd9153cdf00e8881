"""A request and an answer as they pass the gate."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Request:
    """What the client sent.

    Attributes:
        method: In capitals.
        target: Path and query, byte for byte as on the wire.
        headers: By name in lower case.
        body: As on the wire.
    """

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def path(self) -> str:
        """The path, still escaped."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters; the last of a name wins."""
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @property
    def parts(self) -> list[str]:
        """The path's parts: `/a/_search` is `a` and `_search`."""
        return [part for part in self.path.split("/") if part]

    def document(self) -> Any:
        """The body as JSON; an empty one is an empty object."""
        return json.loads(self.body) if self.body else {}


@dataclass(frozen=True)
class Answer:
    """What the client gets."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, status: int, document: Any, headers: Mapping[str, str] | None = None) -> "Answer":
        """Return an answer that holds a JSON document."""
        kind = {"content-type": "application/json; charset=UTF-8"}
        return cls(status, json.dumps(document).encode(), {**kind, **(headers or {})})

    @classmethod
    def refusal(cls, status: int, kind: str, reason: str) -> "Answer":
        """Return an error in OpenSearch's shape."""
        return cls.of(status, error_document(status, kind, reason))

    def document(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def error_document(status: int, kind: str, reason: str) -> dict[str, Any]:
    """Return an error as OpenSearch writes it."""
    cause = {"type": kind, "reason": reason}
    return {"error": {"root_cause": [cause], **cause}, "status": status}


class RefusedError(Exception):
    """The gate does not let this request through."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body.decode(errors="replace"))
        self.answer = answer


def refuse(status: int, kind: str, reason: str) -> RefusedError:
    """Return the refusal, to be raised."""
    return RefusedError(Answer.refusal(status, kind, reason))
