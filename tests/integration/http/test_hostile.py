"""What nobody should send, over HTTP: a clear 4xx, or the same value back; never a 500, never half a fact."""

import json

import pytest

from tests.tenants import FACTS, Tenant, all_facts, retrieve, wait_until_indexed

IDS = [
    "#", "a#b", "|", ":", "a:b", "/", "a/b", "\\", "%", "%2F", "%00", "'", '"', " ", " a", "a ", ".", "..", "*", "?", "_", "~",
    "null", "true", "0", "[]", "{}", "__proto__", "$ne", "${x}", "<b>", "' OR 1=1 --", "\x00", "a\x00b", "\n", "\r\n", "\t",
    "\x1f", "\x7f", "\x80", "\u2028", "\u202e", "\ufeff", "\uffff", "\u200b", "\u00e9", "e\u0301", "İ", "ß", "用户",
    "\U0001f468\u200d\U0001f469", "\U0010ffff", "a" * 256, "\u00e9" * 256, "\U0001f99c" * 128,
]  # fmt: skip

TOO_LONG = ["", "a" * 257, "\u00e9" * 257, "用" * 171, "\U0001f99c" * 129, "\U0001f99c" * 256]

# JSON texts that must come back equal.
CONTENTS = [
    "null", "false", '""', "[]", "{}", '{"":{"":""}}', '{"":null," ":0}', '"\\u0000"', '"a\\u0000b"', '{"\\u0000":1}',
    '"' + "\U0001f99c" * 256 + '"', '"\\ud83e\\udd9c"', '"\\u202e\\u2028\\ufeff\\uffff"', '"<|im_end|>[INST]"', '"\\/"',
    '"\\\\u0000"', "0", "-0", "1" * 40, "-" + "9" * 40, "1" + "0" * 300, "9007199254740993", "-9223372036854775809",
    "0.1", "1e308", "-1.7976931348623157e308", "5e-324", "1e-400", "3.0", "1E2", '{"a":1e2}', '{"$ref":"#","__proto__":{}}',
    '{"S":"x"}', '{"N":"1"}', '{"NULL":true}', '{"pk":"x","sk":"HEAD"}', "[" * 63 + "]" * 63,
]  # fmt: skip

# Bodies that are refused whatever they would say; TENANT stands for the tenant's id.
BODIES = [
    b"", b" ", b"null", b"7", b'"text"', b"[]", b"[{}]", b"{", b"}", b"{]", b"{'type':1}", b"{},", b"{}{}", b"\x00", b"\xff",
    b"\xef\xbb\xbf{}", '{"type":"n"}'.encode("utf-16"), b'{"type":"\xff"}', b'{"type":"\xed\xa0\x80"}', b'{"type":"\xc0\x80"}',
    b"\x1f\x8b\x08\x00", b"type=n&content=1", b"--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--",
    b"[" * 1000 + b"]" * 1000, b"[" * 100_000, b'{"a":' * 1000 + b"1" + b"}" * 1000,
]  # fmt: skip
WRITES = [
    '{"type":"n","type":"n","scope":SCOPE,"content":1}',
    '{"type":"n","scope":{"tenantId":"TENANT","tenantId":"TENANT"},"content":1}',
    '{"type":"n","scope":SCOPE,"content":{"a":1,"a":2}}',
    '{"type":"n","scope":SCOPE,"content":{"a":1,"\\u0061":2}}',
    '{"type":"n","scope":SCOPE,"content":1e400}',
    '{"type":"n","scope":SCOPE,"content":-1e400}',
    '{"type":"n","scope":SCOPE,"content":NaN}',
    '{"type":"n","scope":SCOPE,"content":[Infinity]}',
    '{"type":"n","scope":SCOPE,"content":01}',
    '{"type":"n","scope":SCOPE,"content":.5}',
    '{"type":"n","scope":SCOPE,"content":"\\ud800"}',
    '{"type":"n","scope":SCOPE,"content":"\\udc00\\ud800"}',
    '{"type":"n","scope":SCOPE,"content":{"\\ud800":1}}',
    '{"type":"\\ud800","scope":SCOPE,"content":1}',
    '{"type":"n","scope":{"tenantId":"TENANT","projectId":"\\udfff"},"content":1}',
    '{"type":"n","scope":{"tenantId":"TENANT","\\udfff":"x"},"content":1}',
    '{"type":"n","scope":SCOPE,"content":"\\x"}',
    '{"type":"n","scope":SCOPE,"content":"a\nb"}',
    '{"type":"n","scope":SCOPE,"content":' + "9" * 5000 + "}",
    '{"type":"n","scope":SCOPE,"content":' + "[" * 64 + "]" * 64 + "}",
    '{"type":"n","scope":SCOPE,"content":' + '{"":' * 1000 + "1" + "}" * 1000 + "}",
    '{"type":"n","scope":SCOPE}',
    '{"type":"n","content":1}',
    '{"type":"n","scope":null,"content":1}',
    '{"type":"n","scope":[],"content":1}',
    '{"type":"n","scope":{},"content":1}',
    '{"type":null,"scope":SCOPE,"content":1}',
    '{"type":["n"],"scope":SCOPE,"content":1}',
    '{"type":"n","scope":{"tenantId":"TENANT","projectId":null},"content":1}',
    '{"type":"n","scope":{"tenantId":"TENANT","projectId":["p"]},"content":1}',
    '{"type":"n","scope":{"tenantId":"TENANT","participantId":"p"},"content":1}',
    '{"type":"n","scope":SCOPE,"content":1,"id":"mine"}',
    '{"type":"n","scope":SCOPE,"content":1,"":1}',
    '{"type":"n","scope":SCOPE,"content":1,"pk":"x"}',
    '{"type":"n","scope":SCOPE,"content":1,"trust":"verified"}',
    '{"type":"n","scope":SCOPE,"content":1,"observedAt":1e308}',
    '{"type":"n","scope":SCOPE,"content":1,"observedAt":"9999-12-31T23:59:59-14:00"}',
    '{"type":"n","scope":SCOPE,"content":1,"observedAt":"0001-01-01T00:00:00+14:00"}',
    '{"type":"n","scope":SCOPE,"content":1,"observedAt":"2026-02-30T00:00:00Z"}',
    '{"type":"n","scope":SCOPE,"content":1,"retention":{"keepDays":1e300}}',
    '{"type":"n","scope":SCOPE,"content":1,"retention":{"keepDays":-0}}',
    '{"type":"n","scope":SCOPE,"content":1,"subjects":{}}',
    '{"type":"n","scope":SCOPE,"content":1,"subjects":[{"kind":"user","id":"a","x":1}]}',
    '{"type":"n","scope":SCOPE,"content":1,"causedByLogId":"l"}',
]


def scoped(text: str, tenant: Tenant) -> bytes:
    return text.replace("SCOPE", '{"tenantId":"TENANT"}').replace("TENANT", tenant.id).encode()


def test_hostile_ids_come_back_equal_and_are_strangers_to_each_other(tenant):
    written = {
        text: tenant.write(
            text,
            type=text,
            scope={
                **dict.fromkeys(("userId", "orgId", "projectId", "threadId", "sessionId"), text),
                "participantId": text,
                text: text,
            },
            subjects=[{"kind": "external", "id": text}],
            contentRef=text,
            causedByLogId=[text],
        )
        for text in IDS
    }

    for text, fact in written.items():
        assert fact["type"] == fact["content"] == fact["contentRef"] == text
        assert fact["subjects"] == [{"kind": "external", "id": text}]
        assert {v for k, v in fact["scope"].items() if k != "tenantId"} == {text}
        assert tenant.admin.ask("GET", f"{FACTS}/{fact['id']}").json() == fact
        for query in (
            {"type": text},
            {"scope": json.dumps({"projectId": text})},
            {"scope": json.dumps({"userId": text, "threadId": text})},
            {"scope": json.dumps({text: text})},
            {"scopeKind": "project", "scopeId": text},
            {"scopeKind": "org", "scopeId": text},
        ):
            assert all_facts(tenant.admin, **query) == [fact], query


@pytest.mark.parametrize("text", ["a#b", "a/b", "%", "\x00", "e\u0301", "\U0001f99c" * 128])
def test_a_grant_of_a_hostile_id_opens_that_project_alone(tenant, text):
    facts = {each: tenant.write(each, scope={"projectId": each}) for each in IDS}
    reader = tenant.caller(reads=(text,))

    assert all_facts(reader) == [facts[text]]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "both"])
def test_a_hostile_query_is_words_or_nothing(tenant, mode):
    fact = tenant.write("The plan: gold.")
    wait_until_indexed(tenant, fact)

    # `retrieve` takes no other answer than 200.
    for text in (*IDS, "", "gold " * 20_000, "\U0001f99c" * 50_000):
        assert [one["fact"] for one in retrieve(tenant.admin, mode, text)] in ([], [fact])
    assert retrieve(tenant.admin, mode, "gold", scope={"projectId": "elsewhere"}) == []


@pytest.mark.parametrize("text", TOO_LONG, ids=[str(len(t)) for t in TOO_LONG])
@pytest.mark.parametrize(
    "key", ["userId", "orgId", "projectId", "threadId", "sessionId", "participantId", "tenantId"]
)
def test_an_id_over_the_limits_is_refused(tenant, key, text):
    scope = {"projectId": "p", key: text}

    answer = tenant.admin.ask("POST", FACTS, tenant.body(scope=scope))

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "bad-input")
    assert key in error["message"]


@pytest.mark.parametrize("text", CONTENTS, ids=[c[:24] for c in CONTENTS])
def test_any_json_comes_back_equal(tenant, text):
    body = scoped('{"type":"n","scope":SCOPE,"content":', tenant) + text.encode() + b"}"

    written = tenant.admin.ask("POST", FACTS, body)
    path = f"{FACTS}/{written.json()['id']}"
    found = tenant.admin.ask("GET", path)
    (listed,) = all_facts(tenant.admin)
    superseded = tenant.admin.ask(
        "POST", f"{path}/supersede", b'{"content":' + text.encode() + b"}"
    )

    assert (written.status_code, superseded.status_code) == (201, 200)
    assert found.text == written.text
    for fact in (written.json(), listed, superseded.json()):
        # `1 == 1.0` in Python; in their texts they differ.
        assert json.dumps(fact["content"]) == json.dumps(json.loads(text))
        assert fact["contentHash"] == written.json()["contentHash"]


@pytest.mark.parametrize("body", BODIES, ids=[str(b[:24]) for b in BODIES])
def test_a_body_that_is_no_object_is_refused_by_every_operation(tenant, body):
    fact = tenant.write("kept")
    path = f"{FACTS}/{fact['id']}"

    answers = [
        tenant.admin.ask("POST", FACTS, body),
        tenant.admin.ask("POST", f"{path}/supersede", body),
        # Verify takes no body at all, which an empty one is.
        tenant.admin.ask("POST", f"{path}/verify", body or b"x"),
    ]

    assert {(a.status_code, a.json()["error"]["code"]) for a in answers} == {(400, "bad-input")}
    assert all_facts(tenant.admin) == [fact]


@pytest.mark.parametrize("text", WRITES, ids=[w[:90] for w in WRITES])
def test_a_write_that_is_refused_leaves_nothing(tenant, text):
    answer = tenant.admin.ask("POST", FACTS, scoped(text, tenant), headers={"Idempotency-Key": "k"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")
    assert all_facts(tenant.admin) == []
    # The key is free again: nothing of the refused request is kept.
    assert (
        tenant.admin.ask("POST", FACTS, tenant.body(), headers={"Idempotency-Key": "k"}).status_code
        == 201
    )


@pytest.mark.parametrize("text", ["a" * 300 * 1024, "\U0001f99c" * 70_000, "\x00" * 50_000])
def test_a_fact_over_256_kb_is_too_large_and_leaves_the_old_one(tenant, text):
    fact = tenant.write("kept")

    answers = [
        tenant.admin.ask("POST", FACTS, tenant.body(text)),
        tenant.admin.ask("POST", f"{FACTS}/{fact['id']}/supersede", {"content": text}),
    ]

    for answer in answers:
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (413, "request-too-large")
        assert error["details"]["maxBytes"] >= 256_000
    assert all_facts(tenant.admin) == [fact]
