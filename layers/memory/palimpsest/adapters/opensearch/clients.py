"""The OpenSearch client: signed for Serverless, or plain for a server of one's own."""

from urllib.parse import urlsplit

from botocore.credentials import Credentials
from opensearchpy import OpenSearch, Urllib3HttpConnection

from palimpsest.adapters.opensearch.signatures import ServerlessSigner


def plain_client(url: str, *, timeout_seconds: float) -> OpenSearch:
    """Return a client of a server that asks for no signature.

    Args:
        url: May hold `user:password@`.
        timeout_seconds: For one request, connecting included.
    """
    return _client(url, http_auth=None, timeout_seconds=timeout_seconds)


def serverless_client(
    url: str, credentials: Credentials, region: str, *, timeout_seconds: float
) -> OpenSearch:
    """Return a client that signs as OpenSearch Serverless wants it.

    Args:
        url: The collection's endpoint.
        credentials: Asked anew for each request, so that a role's may be renewed.
        region: The collection's.
        timeout_seconds: As ``plain_client``.
    """
    signer = ServerlessSigner(credentials, region)
    return _client(url, http_auth=signer, timeout_seconds=timeout_seconds)


def _client(url: str, *, http_auth: object, timeout_seconds: float) -> OpenSearch:
    parts = urlsplit(url)
    is_https = parts.scheme == "https"
    own = (parts.username, parts.password) if parts.username and parts.password else None
    return OpenSearch(
        hosts=[{"host": parts.hostname, "port": parts.port or (443 if is_https else 9200)}],
        http_auth=http_auth or own,
        use_ssl=is_https,
        verify_certs=is_https,
        connection_class=Urllib3HttpConnection,
        timeout=timeout_seconds,
        # We try again ourselves: this one knows neither 402 nor 429, and nothing of a deadline.
        max_retries=0,
        # Signatures over compressed bodies were refused (VectorDBBench#802).
        http_compress=False,
        pool_maxsize=16,
    )
