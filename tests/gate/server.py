"""The gate on a port of this machine."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.gate.exchange import Request
from tests.gate.gate import ConnectionLostError, Gate
from tests.gate.rules import Rules
from tests.gate.visibility import GateClock


@dataclass(frozen=True)
class OpenGate:
    """A gate that listens.

    Attributes:
        url: Where.
        gate: To set its faults and credentials, and to see what passed.
        clock: What its delay is measured by.
        rules: What it pretends to be.
    """

    url: str
    gate: Gate
    clock: GateClock
    rules: Rules

    def settle(self) -> None:
        """Let every write so far be seen."""
        self.clock.advance(self.rules.delay_seconds)


@contextmanager
def open_gate(upstream: str, rules: Rules) -> Iterator[OpenGate]:
    """Yield a gate in front of a server.

    Args:
        upstream: URL of a real OpenSearch.
        rules: The kind of collection.
    """
    clock = GateClock()
    gate = Gate(upstream, rules, clock)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(gate))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield OpenGate(f"http://127.0.0.1:{server.server_port}", gate, clock, rules)
    finally:
        gate.faults.release()
        server.shutdown()
        thread.join()
        server.server_close()
        gate.close()


def _handler(gate: Gate) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Headers and body are written apart: without this each small answer waits 40 ms for an ACK.
        disable_nagle_algorithm = True

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                answer = gate.handle(Request(self.command, self.path, headers, body))
            except ConnectionLostError:
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815 - http.server's names

        def log_message(self, *_: object) -> None:
            """Say nothing: a test looks at `Gate.passed`."""

    return Handler
