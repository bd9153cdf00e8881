"""A proxy that adds a token: the conformance suite has no way to send one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_LEFT_OUT = {"connection", "authorization", "content-length", "transfer-encoding", "keep-alive"}


class _Forwarding(BaseHTTPRequestHandler):
    """Passes each request on, its ``Host`` and ``Origin`` too unless they name the proxy itself."""

    protocol_version = "HTTP/1.1"
    netloc: str
    token: str

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        connection = HTTPConnection(self.netloc, timeout=30)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in _LEFT_OUT:
                connection.putheader(name, self._as_meant(value))
        connection.putheader("Authorization", f"Bearer {self.token}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _LEFT_OUT:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        self.do_POST()

    def _as_meant(self, value: str) -> str:
        port = self.connection.getsockname()[1]
        for name in (f"127.0.0.1:{port}", f"localhost:{port}"):
            value = value.replace(name, self.netloc)
        return value

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def token_proxy(url: str, token: str) -> Iterator[str]:
    """Yield the address of a proxy to a service, which adds the token to each request."""
    handler = type("Handler", (_Forwarding,), {"netloc": urlsplit(url).netloc, "token": token})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
