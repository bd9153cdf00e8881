"""Answers to CloudFormation about a custom resource."""

import http.client
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 10


def send_answer(url: str, body: str) -> None:
    """Put an answer where CloudFormation waits for it.

    Args:
        url: The event's ``ResponseURL``: signed for a PUT without a content type.
        body: JSON text.

    Raises:
        OSError: If it cannot be sent; CloudFormation then waits until its own time-out.
    """
    parts = urlsplit(url)
    connection = http.client.HTTPSConnection(parts.netloc, timeout=TIMEOUT_SECONDS)
    try:
        content = body.encode()
        connection.putrequest("PUT", f"{parts.path}?{parts.query}")
        connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content)
        connection.getresponse().read()
    finally:
        connection.close()
