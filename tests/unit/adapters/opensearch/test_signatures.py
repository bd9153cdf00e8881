import hashlib

from botocore.credentials import Credentials
from palimpsest.adapters.opensearch.signatures import ServerlessSigner

SIGNER = ServerlessSigner(Credentials("AKID", "secret", "token"), "eu-central-1")
URL = "https://abc.eu-central-1.aoss.amazonaws.com:443/_bulk"


def test_only_the_host_and_what_amazon_names_is_signed() -> None:
    headers = SIGNER("POST", URL, b"{}")

    signed = headers["Authorization"].split("SignedHeaders=")[1].split(",")[0]
    assert signed == "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
    assert "/eu-central-1/aoss/aws4_request" in headers["Authorization"]


def test_the_hash_is_that_of_the_bytes_that_are_sent() -> None:
    texts = ("ä", "ä".encode(), None, b"")

    hashes = [SIGNER("POST", URL, text)["x-amz-content-sha256"] for text in texts]

    assert hashes == [hashlib.sha256(b).hexdigest() for b in ("ä".encode(), "ä".encode(), b"", b"")]
