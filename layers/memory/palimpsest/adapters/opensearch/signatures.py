"""Signature Version 4 as OpenSearch Serverless wants it."""

import hashlib
from dataclasses import dataclass

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SERVICE = "aoss"


@dataclass(frozen=True, slots=True)
class ServerlessSigner:
    """Signs the host and what begins with `x-amz-`, the body's hash among them, and nothing else.

    A signed content-length is answered with 403 (developer guide, "Signing HTTP requests"; opensearch-py#1047), and proxies on
    the way change other headers. The library's own signers do not sign the hash in one version and sign too much in the next.

    Attributes:
        credentials: Asked anew for each request: a role's are renewed while a function is warm.
        region: Of the collection.
    """

    credentials: Credentials
    region: str

    def __call__(self, method: str, url: str, body: bytes | str | None = None) -> dict[str, str]:
        """Return the headers that prove who sends this."""
        content = body.encode() if isinstance(body, str) else body or b""
        headers = {"x-amz-content-sha256": hashlib.sha256(content).hexdigest()}
        request = AWSRequest(method, url, headers=headers, data=content)
        # Frozen: key and secret of one moment, also when another thread renews them just now.
        frozen = self.credentials.get_frozen_credentials()
        SigV4Auth(frozen, SERVICE, self.region).add_auth(request)
        return dict(request.headers.items())
