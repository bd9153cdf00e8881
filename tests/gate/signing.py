"""A client that signs as OpenSearch Serverless wants it, or wrongly where a test says so."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.gate.gate import REGION


@dataclass(frozen=True)
class SigningClient:
    """Sends signed requests to a gate.

    Attributes:
        url: Of the gate.
        credentials: To sign with.
        service: Named in the signature.
        region: Named in the signature.
        signed: More headers to send and to sign.
        sent: Headers that are sent as they are after signing; an empty value drops one.
    """

    url: str
    credentials: Credentials
    service: str = "aoss"
    region: str = REGION
    signed: Mapping[str, str] = field(default_factory=dict)
    sent: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float = 30.0

    def but(self, **changes: Any) -> "SigningClient":
        """Return a client that does one thing differently."""
        return replace(self, **changes)

    def request(self, method: str, target: str, body: bytes | str = b"") -> httpx.Response:
        """Send one request; the body must be the bytes or the text to send."""
        content = body.encode() if isinstance(body, str) else body
        headers = {"x-amz-content-sha256": hashlib.sha256(content).hexdigest(), **self.signed}
        url = f"{self.url}{target}"
        signed = AWSRequest(method, url, headers=headers, data=content)
        SigV4Auth(self.credentials, self.service, self.region).add_auth(signed)
        wire = {**dict(signed.headers.items()), "content-type": "application/json"}
        wire = {name.lower(): value for name, value in wire.items()}
        wire.update({name.lower(): value for name, value in self.sent.items()})
        wire = {name: value for name, value in wire.items() if value}
        return httpx.request(
            method, url, content=content, headers=wire, timeout=self.timeout_seconds
        )
