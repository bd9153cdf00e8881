"""What a function asks of DynamoDB, written down on its way there, as the rights that AWS would want for it."""

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.runtime.emulator import HOST

# A transaction needs the right of each of its parts (DynamoDB developer guide, "Using IAM with transactions").
PARTS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
    "Get": "GetItem",
}

Right = tuple[str, str]
"""An action and what it is done to: `("dynamodb:Query", "FactsTable/index/byTime")`."""


@dataclass(frozen=True)
class Watched:
    """A way to DynamoDB on which everything is written down."""

    endpoint: str
    rights: set[Right] = field(default_factory=set)


def rights_of(operation: str, request: Mapping[str, Any]) -> set[Right]:
    """Return the rights that a call needs."""
    if "TransactItems" in request:
        parts = [part for item in request["TransactItems"] for part in item.items()]
        return {(f"dynamodb:{PARTS[kind]}", part["TableName"]) for kind, part in parts}
    if "RequestItems" in request:
        return {(f"dynamodb:{operation}", table) for table in request["RequestItems"]}
    index = f"/index/{request['IndexName']}" if "IndexName" in request else ""
    return {(f"dynamodb:{operation}", f"{request['TableName']}{index}")}


@contextmanager
def watching(endpoint: str) -> Iterator[Watched]:
    """Stand in front of the DynamoDB at `endpoint` while the block runs."""
    server = ThreadingHTTPServer((HOST, 0), _Passage)
    watched = Watched(f"http://{HOST}:{server.server_port}")
    server.target, server.rights = urlsplit(endpoint), watched.rights  # type: ignore[attr-defined]  # what a handler is told, it is told through its server
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield watched
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Passage(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        operation = self.headers["X-Amz-Target"].rpartition(".")[2]
        target, rights = self.server.target, self.server.rights  # type: ignore[attr-defined]  # see watching
        rights.update(rights_of(operation, json.loads(body)))
        with closing(http.client.HTTPConnection(target.hostname, target.port)) as connection:
            connection.request("POST", "/", body, dict(self.headers.items()))
            answer = connection.getresponse()
            content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {
                "content-length",
                "transfer-encoding",
                "connection",
                "date",
                "server",
            }:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing: pytest shows what the tests say."""
