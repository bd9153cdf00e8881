import hashlib
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from botocore.credentials import Credentials

from tests.gate.signing import SigningClient
from tests.integration.opensearch.gate_world import GateWorld

BODY = '{"query": {"match_all": {}}}'


def search(client: SigningClient, body: str = BODY) -> httpx.Response:
    return client.request("POST", "/_search?size=0", body)


def test_a_well_signed_request_passes(nextgen: GateWorld) -> None:
    answer = search(nextgen.client)

    assert answer.status_code == 200
    (passed,) = nextgen.open_gate.gate.passed
    assert passed.path == "/_search"
    assert passed.signature.headers == {
        "host",
        "x-amz-content-sha256",
        "x-amz-date",
        "x-amz-security-token",
    }


def test_a_path_and_a_query_that_need_escaping_are_signed_as_sent(nextgen: GateWorld) -> None:
    answer = nextgen.client.request("GET", "/INDEX-a%2Bb/_doc/x%3Ay?_source=a%20b&preference=%2F")

    assert answer.json()["error"]["type"] == "index_not_found_exception"


@pytest.mark.parametrize(
    "wrongly",
    [
        pytest.param(lambda c: c.but(sent={"Authorization": ""}), id="unsigned"),
        pytest.param(lambda c: c.but(service="es"), id="another service"),
        pytest.param(lambda c: c.but(region="us-east-1"), id="another region"),
        pytest.param(lambda c: c.but(sent={"X-Amz-Content-SHA256": ""}), id="no hash"),
        pytest.param(
            lambda c: c.but(signed={"content-length": str(len(BODY))}), id="length signed"
        ),
        pytest.param(lambda c: c.but(signed={"accept-encoding": "gzip"}), id="encoding signed"),
        pytest.param(lambda c: c.but(sent={"Content-Encoding": "gzip"}), id="compressed"),
        pytest.param(lambda c: c.but(sent={"X-Amz-Security-Token": "other"}), id="another token"),
        pytest.param(lambda c: c.but(sent={"X-Amz-Date": "20200101T000000Z"}), id="expired"),
        pytest.param(lambda c: c.but(sent={"X-Amz-Date": "yesterday"}), id="no date"),
        pytest.param(
            lambda c: c.but(signed={"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}),
            id="payload unsigned",
        ),
        pytest.param(
            lambda c: c.but(credentials=Credentials("AKIDGATE", "wrong", "gate-session-token")),
            id="another secret",
        ),
        pytest.param(lambda c: c.but(credentials=Credentials("OTHER", "x", "y")), id="another key"),
    ],
)
def test_a_request_that_is_not_signed_as_serverless_wants_it_is_forbidden(
    nextgen: GateWorld, wrongly: Callable[[SigningClient], Any]
) -> None:
    answer = search(wrongly(nextgen.client))

    assert answer.status_code == 403
    assert answer.headers["x-aoss-response-hint"] == "X01:gw-helper-deny"
    assert nextgen.open_gate.gate.passed == []


def test_a_hash_of_another_body_is_forbidden(nextgen: GateWorld) -> None:
    other = hashlib.sha256(b"another body").hexdigest()

    answer = search(nextgen.client.but(signed={"x-amz-content-sha256": other}))

    assert answer.status_code == 403


def test_credentials_that_were_rotated_are_let_in_no_more(nextgen: GateWorld) -> None:
    before = search(nextgen.client)
    nextgen.open_gate.gate.credentials = Credentials("AKIDNEXT", "next", "next-token")

    after = search(nextgen.client)

    assert (before.status_code, after.status_code) == (200, 403)
