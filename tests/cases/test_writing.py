"""A write that is answered is there, once, and as it was sent: T50 to T53, T32, T26, T28 and T24."""

import json
import socket
from urllib.parse import quote

import pytest

from tests.polling import wait_until
from tests.tenants import (
    FACTS,
    MODES,
    RETRIEVE,
    Tenant,
    all_facts,
    retrieve,
    retrieved_ids,
    wait_until_indexed,
)


def send_and_hang_up(tenant: Tenant, method: str, path: str, body: bytes, key: str) -> None:
    """Send a request and close the connection before its answer comes."""
    host, port = tenant.laptop.run["url"].removeprefix("http://").split(":")
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nIdempotency-Key: {key}\r\n"
        f"Authorization: Bearer {tenant.admin.token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + body)


@pytest.mark.parametrize("operation", ["write", "supersede", "verify", "delete"])
def test_t50_a_request_whose_answer_was_lost_is_sent_again_and_done_once(tenant, operation):
    fact = tenant.write("old")
    path = f"{FACTS}/{fact['id']}"
    method, target, body, other = {
        "write": ("POST", FACTS, tenant.body("new"), tenant.body("other")),
        "supersede": ("POST", f"{path}/supersede", {"content": "new"}, {"content": "other"}),
        "verify": ("POST", f"{path}/verify", {}, {"expectVersion": 1}),
        "delete": ("DELETE", path, None, {"any": "other"}),
    }[operation]
    raw = b"" if body is None else json.dumps(body).encode()
    key = {"Idempotency-Key": "k-1"}

    send_and_hang_up(tenant, method, target, raw, "k-1")

    def again() -> object:
        answer = tenant.admin.ask(method, target, raw or None, headers=key)
        return answer if answer.headers.get("x-idempotent-replay") else None

    replayed = wait_until(again, "the first request is over")
    different = tenant.admin.ask(method, target, other, headers=key)
    assert replayed is not None
    assert different.status_code == 409
    assert different.json()["error"]["code"] == "idempotency-key-body-mismatch"
    history = tenant.admin.ask("GET", f"{path}/revisions").json()["data"]
    assert len(history) == (2 if operation in ("supersede", "verify") else 1)
    count = {"write": 2, "delete": 0}.get(operation, 1)
    assert len(all_facts(tenant.admin)) == count


def test_t51_what_was_answered_is_there(tenant):
    """Get and list have it at once; a search within a second, which ``tests/integration/local`` measures."""
    written = []
    for number in range(50):
        fact = tenant.write(f"Note number {number}.")
        written.append(fact)

        got = tenant.admin.ask("GET", f"{FACTS}/{fact['id']}")
        listed = tenant.admin.ask("GET", FACTS, query={"limit": "1"}).json()["data"]
        (newest,) = retrieve(tenant.admin, "list", limit=1)
        assert got.json() == fact
        assert listed == [fact]
        assert newest == {"fact": fact}

    wait_until_indexed(tenant, *written)
    for mode in MODES:
        assert set(retrieved_ids(tenant.admin, mode, "note")) == {fact["id"] for fact in written}


def test_t52_after_a_supersede_only_the_new_wording_is_found(tenant):
    fact = tenant.write("The dog sleeps in the kennel.")
    path = f"{FACTS}/{fact['id']}"
    tenant.write("The bank raised its interest rates.")
    verified = tenant.admin.ask("POST", f"{path}/verify").json()
    wait_until_indexed(tenant, verified)
    after_verify = retrieve(tenant.admin, "keyword", "kennel")
    by_old = retrieve(tenant.admin, "semantic", "The dog sleeps in the kennel.", limit=1)

    newer = tenant.admin.ask("POST", f"{path}/supersede", {"content": "Cleo plays the violin."})
    wait_until_indexed(tenant, newer.json())

    by_new = retrieve(tenant.admin, "semantic", "Cleo plays the violin.", limit=1)
    no_more = retrieve(tenant.admin, "semantic", "The dog sleeps in the kennel.")
    (rest,) = [one for one in no_more if one["fact"]["id"] == fact["id"]]
    assert [one["fact"] for one in after_verify] == [verified]
    assert by_old[0]["fact"] == verified
    assert by_new[0]["fact"] == newer.json()
    assert retrieve(tenant.admin, "keyword", "kennel") == []
    assert [one["fact"] for one in retrieve(tenant.admin, "keyword", "violin")] == [newer.json()]
    # The vector is the new content's: the old wording is nearer to its own than to this one.
    assert rest["fact"] == newer.json()
    assert rest["score"] < min(by_old[0]["score"], by_new[0]["score"])


def test_t53_two_alike_are_two(tenant):
    alike = ["Build 41 took 300 s", "Build 42 took 310 s", "Build 42 took 310 s"]

    facts = [tenant.write(text) for text in alike]
    wait_until_indexed(tenant, *facts)

    assert len(all_facts(tenant.admin)) == 3
    for mode in MODES:
        assert sorted(retrieved_ids(tenant.admin, mode, "build")) == sorted(f["id"] for f in facts)


@pytest.mark.parametrize(
    "text",
    ["a\x00b", "\u202egnp.exe", "\U0001f99c" * 3, "<|im_start|>system", "\ufffe", "e\u0301", "\x1b[31m", "\u2028", "\x7f"],
)  # fmt: skip
def test_t32_a_hostile_text_comes_back_as_it_was_from_all_reads(tenant, text):
    content = {"text": f"word {text}", text: [text]}

    fact = tenant.write(content)
    wait_until_indexed(tenant, fact)

    reads = [
        tenant.admin.ask("GET", f"{FACTS}/{fact['id']}").json(),
        *all_facts(tenant.admin),
        *tenant.admin.ask("GET", f"{FACTS}/{fact['id']}/revisions").json()["data"],
        *(one["fact"] for mode in MODES for one in retrieve(tenant.admin, mode, "word")),
    ]
    assert fact["content"] == content
    assert reads == [fact] * 7


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00\\ud800", "a\\udfffb"])
def test_t32_a_lone_surrogate_is_refused_and_nothing_is_half_written(tenant, text):
    fact = tenant.write("kept")
    path = f"{FACTS}/{fact['id']}/supersede"
    body = json.dumps(tenant.body("TEXT")).replace("TEXT", text).encode()

    answers = [
        tenant.admin.ask("POST", FACTS, body),
        tenant.admin.ask("POST", path, f'{{"content":"{text}"}}'.encode()),
        tenant.admin.ask("POST", RETRIEVE, f'{{"mode":"keyword","query":"{text}"}}'.encode()),
    ]

    assert {(a.status_code, a.json()["error"]["code"]) for a in answers} == {(400, "bad-input")}
    assert all_facts(tenant.admin) == [fact]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("colour", 1), ("Type", "note"), ("expect_version", 1), ("type", 1), ("type", None), ("scope", "x"), ("subjects", {}),
        ("subjects", [{"kind": "cat", "id": "x"}]), ("retention", {"keepDays": "1"}), ("retention", {"forever": True}),
        ("source", {"kind": "carrier-pigeon", "freshness": {}, "refresh": {"strategy": "manual"}}), ("contentHash", 7),
        ("causedByLogId", [7]), ("validFrom", 7),
    ],
)  # fmt: skip
def test_t26_a_field_that_does_not_fit_a_write_is_named(tenant, field, value):
    answer = tenant.admin.ask("POST", FACTS, {**tenant.body("x"), field: value})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "bad-input")
    assert field in error["message"]
    assert all_facts(tenant.admin) == []


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("colour=red", "colour"), ("Type=note", "Type"), ("filter=x", "filter"), ("type[]=a", "type[]"),
        ("type=a&type=b", "type"), ("scope=[1]", "scope"), ('scope={"projectId":1}', "projectId"),
        ('scope={"projectId":["a"]}', "projectId"),
        ('scope={"userId":{"$ne":"ana"}}', "userId"), ("scopeKind=team&scopeId=x", "scopeKind"), ("inherit=maybe", "inherit"),
        ("scopeId=x", "scopeId"), ("sort=createdAt", "sort"), ("offset=10", "offset"),
    ],
)  # fmt: skip
def test_t26_a_parameter_that_does_not_fit_a_list_is_named(tenant, query, named):
    answer = tenant.admin.ask("GET", f"{FACTS}?{quote(query, safe='=&')}")

    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mode", "fuzzy"), ("mode", None), ("mode", ["list"]), ("query", 7), ("query", None), ("type", []), ("type", ["note"]),
        ("scope", "x"), ("scope", {"projectId": {"$in": ["a"]}}), ("filter", {}), ("embeddingModel", 7), ("k", 3),
    ],
)  # fmt: skip
def test_t26_a_field_that_does_not_fit_a_retrieval_is_named(tenant, field, value):
    answer = tenant.admin.ask("POST", RETRIEVE, {"mode": "keyword", "query": "x", field: value})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "bad-input")
    assert field in error["message"]


def test_t28_a_type_that_is_not_given_is_no_filter_and_one_is_exact(tenant):
    facts = {name: tenant.write("The plan.", type=name) for name in ("note", "notes", "Note")}
    wait_until_indexed(tenant, *facts.values())
    everything = {fact["id"] for fact in facts.values()}

    assert {f["id"] for f in all_facts(tenant.admin)} == everything
    assert {f["id"] for f in all_facts(tenant.admin, type="")} == everything
    for name, fact in facts.items():
        assert all_facts(tenant.admin, type=name) == [fact]
    for mode in MODES:
        assert set(retrieved_ids(tenant.admin, mode, "plan")) == everything
        for name, fact in facts.items():
            assert retrieved_ids(tenant.admin, mode, "plan", type=name) == [fact["id"]]


def test_t24_numbers_are_compared_as_numbers_where_they_are_compared(tenant):
    """Only for being equal: facts have no other comparison and no order but that of time."""
    facts = {n: tenant.write("x", scope={"level": n}) for n in (9, 10, 100, 9007199254740993)}
    text = tenant.write("x", scope={"level": "10"})
    wait_until_indexed(tenant, *facts.values(), text)

    for number, fact in facts.items():
        assert all_facts(tenant.admin, scope=json.dumps({"level": number})) == [fact]
        for mode in ("list", "keyword", "semantic"):
            found = retrieved_ids(tenant.admin, mode, "x", scope={"level": number})
            assert found == [fact["id"]]
    assert all_facts(tenant.admin, scope='{"level":"10"}') == [text]
    assert all_facts(tenant.admin, scope='{"level":{"$gte":10}}') == []
