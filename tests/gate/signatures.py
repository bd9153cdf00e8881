"""Who may pass: Signature Version 4 as OpenSearch Serverless wants it, recomputed with botocore.

Sources: developer guide, "Signing HTTP requests"; opensearch-py#1047 (signed content-length);
aws-es-proxy#132 (missing x-amz-content-sha256); VectorDBBench#802 (compression).
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.compat import HTTPHeaders
from botocore.credentials import Credentials

from tests.gate.exchange import Answer, RefusedError, Request

SERVICE = "aoss"
# As for every AWS service: a signature is good for five minutes either way.
CLOCK_SKEW = timedelta(minutes=5)

AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<date>\d{8})/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request, ?"
    r"SignedHeaders=(?P<headers>[^,]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)

# Signed ones must be there as they are; a proxy on the way changes the rest.
NEVER_SIGNED = frozenset(
    {"content-length", "connection", "accept", "accept-encoding", "user-agent"}
)
ALWAYS_SIGNED = frozenset({"host", "x-amz-content-sha256", "x-amz-date"})


@dataclass(frozen=True)
class Signature:
    """What an Authorization header says."""

    key: str
    region: str
    service: str
    headers: frozenset[str]
    signature: str


def check_signature(request: Request, credentials: Credentials, region: str) -> Signature:
    """Return the signature of a request that may pass.

    Raises:
        RefusedError: 403, with the hint that the service gives.
    """
    found = AUTHORIZATION.fullmatch(request.headers.get("authorization", ""))
    if found is None:
        raise _denied("unsigned")
    signed = frozenset(found["headers"].split(";"))
    signature = Signature(
        found["key"], found["region"], found["service"], signed, found["signature"]
    )
    _check_scope(signature, credentials, region)
    _check_headers(request, signature, credentials)
    if not hmac.compare_digest(_recompute(request, signature, credentials), signature.signature):
        raise _denied("the signature does not match")
    return signature


def _check_scope(signature: Signature, credentials: Credentials, region: str) -> None:
    if signature.service != SERVICE:
        raise _denied(f"signed for the service {signature.service}")
    if signature.region != region:
        raise _denied(f"signed for the region {signature.region}")
    if signature.key != credentials.access_key:
        raise _denied("the key is not known, or is expired")


def _check_headers(request: Request, signature: Signature, credentials: Credentials) -> None:
    if wrong := signature.headers & NEVER_SIGNED:
        raise _denied(f"signed headers that must not be: {sorted(wrong)}")
    if missing := ALWAYS_SIGNED - signature.headers:
        raise _denied(f"headers that must be signed are not: {sorted(missing)}")
    if request.headers.get("x-amz-content-sha256") != hashlib.sha256(request.body).hexdigest():
        raise _denied("x-amz-content-sha256 is not that of the body")
    if "content-encoding" in request.headers:
        raise _denied("a compressed body")
    if credentials.token is not None:
        token = request.headers.get("x-amz-security-token")
        if token != credentials.token or "x-amz-security-token" not in signature.headers:
            raise _denied("the session token is missing, unsigned or another one")
    _check_time(request)


def _check_time(request: Request) -> None:
    try:
        date = datetime.strptime(request.headers["x-amz-date"], "%Y%m%dT%H%M%S%z")
    except (KeyError, ValueError):
        raise _denied("x-amz-date is missing or malformed") from None
    if abs(datetime.now(UTC) - date) > CLOCK_SKEW:
        raise _denied("the signature is expired, or not yet good")


class _Recomputation(SigV4Auth):
    """botocore's own signer, told which headers the client signed instead of choosing them."""

    def __init__(self, signature: Signature, credentials: Credentials) -> None:
        super().__init__(credentials, SERVICE, signature.region)
        self._signed = signature.headers

    def headers_to_sign(self, request: AWSRequest) -> HTTPHeaders:
        chosen = HTTPHeaders()
        for name in self._signed:
            chosen[name] = request.headers.get(name, "")
        return chosen


def _recompute(request: Request, signature: Signature, credentials: Credentials) -> str:
    url = f"http://{request.headers['host']}{request.target}"
    again = AWSRequest(request.method, url, headers=dict(request.headers), data=request.body)
    again.context["timestamp"] = request.headers["x-amz-date"]
    signer = _Recomputation(signature, credentials)
    text = signer.string_to_sign(again, signer.canonical_request(again))
    return str(signer.signature(text, again))


def _denied(why: str) -> RefusedError:
    """The service tells nothing but the hint; ours adds the reason, for whoever reads a failing test."""
    body = {"status": 403, "error": {"type": "Forbidden", "reason": f"403 Forbidden: {why}"}}
    return RefusedError(Answer.of(403, body, {"x-aoss-response-hint": "X01:gw-helper-deny"}))
