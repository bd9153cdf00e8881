"""An OpenID Connect issuer on loopback, as far as this service asks one."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
AUDIENCE = "palimpsest"


@dataclass
class Issuer:
    """Signs tokens, and publishes the keys that it signs with.

    Attributes:
        url: Its address, and its name in ``iss``.
        keys: By key id; the first signs.
        is_down: Whether it answers 503.
        asked: Paths, in order.
    """

    url: str = ""
    keys: dict[str, tuple[str, Key]] = field(default_factory=dict)
    is_down: bool = False
    asked: list[str] = field(default_factory=list)

    def add_key(self, key_id: str, algorithm: str = "RS256") -> None:
        """Make a key; it signs from now on."""
        key: Key = (
            rsa.generate_private_key(public_exponent=65537, key_size=2048)
            if algorithm.startswith("RS")
            else ec.generate_private_key(ec.SECP256R1())
        )
        self.keys = {key_id: (algorithm, key), **self.keys}

    def issue(self, claims: dict[str, Any], **options: Any) -> str:
        """Return a token; ``claims`` win over the usual ones, and ``None`` takes one away."""
        key_id, (algorithm, key) = next(iter(self.keys.items()))
        usual = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "ana",
            "exp": datetime.now(UTC) + timedelta(hours=1),
        }
        given = {k: v for k, v in {**usual, **claims}.items() if v is not None}
        signed = {"key": key, "algorithm": algorithm, "headers": {"kid": key_id}, **options}
        return jwt.encode(given, **signed)

    def document(self, path: str) -> Any:
        """Return what stands at a path."""
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        return {"keys": [_public(key_id, *key) for key_id, key in self.keys.items()]}


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    """Run an issuer with one RSA key."""
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.asked.append(self.path)
            body = json.dumps(issuer.document(self.path)).encode()
            self.send_response(503 if issuer.is_down else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.url = f"http://127.0.0.1:{server.server_port}"
    issuer.add_key("k-1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _public(key_id: str, algorithm: str, key: Key) -> dict[str, Any]:
    maker = jwt.get_algorithm_by_name(algorithm)
    document: dict[str, Any] = maker.to_jwk(key.public_key(), as_dict=True)
    return {**document, "kid": key_id, "use": "sig", "alg": algorithm}
