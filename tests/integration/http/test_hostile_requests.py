"""Requests that nobody should send, over HTTP: paths, queries, headers, sizes; a clear refusal, never a 500."""

import json
import socket

import pytest
from palimpsest.domain.callers import CallerKind

from tests.laptop import Laptop
from tests.tenants import FACTS, all_facts

FACT_IDS = [
    "x", "null", "HEAD", "%00", "%0A", "%23", "%7B%7D", "%F0%9F%A6%9C", "%ED%A0%80", "%FF", "%252F", "%2E%2E", "*", "0" * 3000,
    "00000000-0000-0000-0000-000000000000", "01A22C9C-FA94-741A-A73C-FCBCB15B6CAD",
]  # fmt: skip

QUERIES = [
    "scope=%FF", "scope=x", "scope=[]", "scope=null", "scope=%7B", "scope=%7B%22projectId%22:null%7D",
    "scope=%7B%22projectId%22:%22%5Cud800%22%7D", "scope=%7B%22projectId%22:%22a%22,%22projectId%22:%22b%22%7D",
    "scope=" + "%5B" * 3000, "asOf=now", "asOf=", "asOf=%00", "asOf=99999-01-01T00:00:00Z", "cursor=x", "cursor=%F0%9F%92%A5",
    "cursor=" + "A" * 5000, "cursor=%00", "unknown=1", "%FF=1", "=1", "%00=1", "type=a&type=b", "scopeKind=x", "inherit=1",
]  # fmt: skip


def send_raw(laptop: Laptop, request: bytes) -> tuple[int, bytes]:
    """Return status and body of what is answered to bytes on the wire; the connection must be closed by the request."""
    host, port = laptop.run["url"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request.replace(b"HOST", f"{host}:{port}".encode()))
        with connection.makefile("rb") as answer:
            head, _, body = answer.read().partition(b"\r\n\r\n")
    return int(head.split()[1]), body


@pytest.mark.parametrize("fact_id", FACT_IDS, ids=[f[:16] for f in FACT_IDS])
def test_an_id_that_is_none_is_not_found_by_every_operation(tenant, fact_id):
    path = f"{FACTS}/{fact_id}"

    answers = [
        tenant.admin.ask("GET", path),
        tenant.admin.ask("GET", f"{path}/revisions"),
        tenant.admin.ask("POST", f"{path}/supersede", {"content": 1}),
        tenant.admin.ask("POST", f"{path}/verify"),
        tenant.admin.ask("DELETE", path),
    ]

    assert {(a.status_code, a.json()["error"]["code"]) for a in answers} == {
        (404, "fact-not-found")
    }


@pytest.mark.parametrize("query", QUERIES, ids=[q[:32] for q in QUERIES])
def test_a_query_that_makes_no_sense_is_refused(tenant, query):
    tenant.write("kept")

    answer = tenant.admin.ask("GET", f"{FACTS}?{query}")

    code = "scope-invalid" if query.startswith(("scopeKind", "inherit")) else "bad-input"
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize("megabytes", [2, 5, 8, 11])
def test_a_body_of_megabytes_is_too_large(tenant, megabytes):
    answer = tenant.admin.ask("POST", FACTS, tenant.body("a" * (megabytes << 20)))

    # Over 6 MB API Gateway and Lambda refuse by themselves, in their own shape (spec/facts.md §2).
    assert answer.status_code == 413
    assert all_facts(tenant.admin) == []


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded", "x", "application/json;charset=utf-16"],
)  # fmt: skip
def test_a_body_is_json_whatever_it_is_called(tenant, content_type):
    answer = tenant.admin.ask(
        "POST", FACTS, tenant.body("\U0001f99c"), headers={"content-type": content_type}
    )

    assert answer.status_code == 201
    assert answer.json()["content"] == "\U0001f99c"


def test_a_body_in_chunks_is_one_body(tenant, laptop):
    body = json.dumps(tenant.body("in chunks")).encode()
    headers = {"authorization": f"Bearer {tenant.admin.token}"}

    answer = laptop.client.post(
        FACTS, content=iter([body[:1], body[1:20], body[20:]]), headers=headers
    )

    assert answer.status_code == 201
    assert answer.json()["content"] == "in chunks"


def test_a_request_that_breaks_off_writes_nothing(tenant, laptop):
    body = json.dumps(tenant.body("half")).encode()
    head = (
        f"POST {FACTS} HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer {tenant.admin.token}\r\n"
        f"Content-Length: {len(body) + 1}\r\n\r\n"
    )
    host, port = laptop.run["url"].removeprefix("http://").split(":")

    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.replace("HOST", f"{host}:{port}").encode() + body)

    assert all_facts(tenant.admin) == []


@pytest.mark.parametrize(
    "target",
    [
        b"/v1/memory/facts/%", b"/v1/memory/facts/%zz", b"/v1/memory/facts/%25zz", b"/v1/memory/facts/%2", b"/%", b"/\xff",
        b"/v1/memory/facts/" + b"a" * 100_000, b"/v1/memory/facts?x=" + b"a" * 100_000, b"/v1/memory/facts/a b",
        b"/v1/memory//facts", b"/v1/memory/facts/", b"/v1/memory/facts/a/b/c", b"/V1/MEMORY/FACTS", b"/v1/../etc/passwd", b"*",
        b"v1/memory/facts", b"//evil.example/v1/memory/facts",
    ],
    ids=lambda target: str(target[:32]),
)  # fmt: skip
def test_a_broken_path_is_a_clear_refusal(tenant, laptop, target):
    token = tenant.admin.token.encode()
    request = (
        b"GET %s HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
    )

    status, body = send_raw(laptop, request % (target, token))

    assert 400 <= status < 500
    assert body


@pytest.mark.parametrize(
    "line",
    [
        b"X-Long: " + b"a" * 100_000, b"Authorization : x", b"Content-Length: -1", b"Content-Length: 1, 2", b"X\x00: 1",
        b"Transfer-Encoding: gzip", b"Host: evil.example",
    ],
    ids=lambda line: str(line[:24]),
)  # fmt: skip
def test_a_broken_header_is_a_clear_refusal(laptop, line):
    request = b"GET /v1/memory/facts HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n%s\r\n\r\n"

    status, _ = send_raw(laptop, request % line)

    assert 400 <= status < 500 or status == 501


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Basic cm9vdA==", "bearer x", "Bearer pal_", "Bearer " + "A" * 9000, b"Bearer \xff\xfe",
     "Bearer null", "Bearer pal_" + "A" * 86, "Bearer a b", "Bearer ../..", "Bearer 9bb6b8d4-f004-40ce-8a5a-0021970f0d6e"],
)  # fmt: skip
def test_a_token_that_is_none_is_said_to_be_missing(laptop, header):
    answer = laptop.client.get(FACTS, headers={b"authorization": header})

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "auth-missing")


@pytest.mark.parametrize("key", ["", "k" * 257, "k" * 9000])
def test_an_idempotency_key_that_is_none_is_refused(tenant, key):
    answer = tenant.admin.ask("POST", FACTS, tenant.body(), headers={"Idempotency-Key": key})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
    assert all_facts(tenant.admin) == []


def test_hostile_idempotency_keys_are_keys_of_their_own(tenant, laptop):
    keys = [b"a", b"A", b"a#b", b"a/b", b"%61", b"\xe9", b"\xff", b'"', b"{}", b"k" * 256]
    body = json.dumps(tenant.body()).encode()
    headers = {b"authorization": f"Bearer {tenant.admin.token}".encode()}

    for key in (*keys, *keys):
        answer = laptop.client.post(
            FACTS, content=body, headers={**headers, b"idempotency-key": key}
        )
        assert answer.status_code == 201, key

    assert len(all_facts(tenant.admin)) == len(keys)


@pytest.mark.parametrize("run_id", [b"r#1", b"\xe9", b"\xff\xfe", b"a b", b'"', b"r" * 256])
def test_an_agents_run_comes_back_as_it_was_sent(tenant, laptop, run_id):
    agent = tenant.caller("bot", kind=CallerKind.AGENT, writes=("apollo",))
    body = json.dumps(tenant.body(scope={"projectId": "apollo"})).encode()
    headers = {b"authorization": f"Bearer {agent.token}".encode(), b"x-run-id": run_id}

    answer = laptop.client.post(FACTS, content=body, headers=headers)

    assert answer.status_code == 201
    assert answer.json()["generatedBy"] == {"runId": run_id.decode("latin-1")}


def test_nothing_that_was_sent_stands_in_the_services_log(laptop):
    # Only warnings and worse are logged here, and nothing above was either.
    log = laptop.log.read_text()

    assert "Traceback" not in log
    assert "request_crashed" not in log
