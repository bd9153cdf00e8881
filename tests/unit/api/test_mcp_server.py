"""``POST /mcp``: what the protocol asks, through events as API Gateway makes them."""

import json

import pytest
from palimpsest.api.operations import methods_at
from palimpsest.api.requests import MAX_BODY_BYTES

from tests.builders import build_caller
from tests.tools import HOST, FakeTools

NEWEST = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def tools():
    return FakeTools()


def message(method, *, id=1, **params):  # noqa: A002 - the protocol's own name for it
    made = {"jsonrpc": "2.0", "id": id, "method": method}
    return {**made, "params": params} if params else made


def initialize(version):
    client = {"name": "a client", "version": "1"}
    return message("initialize", protocolVersion=version, capabilities={}, clientInfo=client)


def call(name, **arguments):
    return message("tools/call", name=name, arguments=arguments)


def newest(method, *, name=None, **params):
    """Return a message of the stateless protocol, and the headers that go with it."""
    headers = {"mcp-protocol-version": NEWEST, "mcp-method": method}
    if name is not None:
        headers["mcp-name"] = name
        params["name"] = name
    return message(method, _meta=ENVELOPE, **params), headers


def ask_newest(tools, method, **params):
    body, headers = newest(method, **params)
    return tools.post(body, headers=headers)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_version_that_is_known_is_agreed_to(tools, version):
    answer = tools.post(initialize(version))

    assert answer.status == 200
    assert answer.body["result"]["protocolVersion"] == version
    assert answer.body["result"]["serverInfo"]["name"] == "palimpsest"
    assert "mcp-session-id" not in {name.lower() for name in answer.headers}


@pytest.mark.parametrize("version", ["1999-01-01", "2199-01-01"])
def test_a_client_of_an_unknown_version_is_offered_the_newest_that_has_a_handshake(tools, version):
    answer = tools.post(initialize(version))

    assert answer.body["result"]["protocolVersion"] == "2025-11-25"


def test_an_unknown_version_in_the_header_is_refused(tools):
    answer = tools.post(message("ping"), headers={"mcp-protocol-version": "1999-01-01"})

    assert answer.status == 400
    assert answer.body["error"]["code"] == -32602


def test_an_unknown_version_of_the_stateless_kind_is_told_which_are_served(tools):
    envelope = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2199-01-01"}
    headers = {"mcp-protocol-version": "2199-01-01", "mcp-method": "tools/list"}

    answer = tools.post(message("tools/list", _meta=envelope), headers=headers)

    assert answer.status == 400
    assert answer.body["error"]["data"] == {"supported": [NEWEST], "requested": "2199-01-01"}


def test_the_newest_protocol_needs_no_handshake(tools):
    discovered = ask_newest(tools, "server/discover")
    listed = ask_newest(tools, "tools/list")
    called = ask_newest(tools, "tools/call", name="list_facts", arguments={})

    assert discovered.body["result"]["supportedVersions"] == [NEWEST]
    assert len(listed.body["result"]["tools"]) == len(tools.runs)
    # Which tools are offered depends on who asks: nobody else may be shown a kept list.
    assert listed.body["result"]["cacheScope"] == "private"
    assert called.body["result"]["structuredContent"] == {"data": [], "hasMore": False}


def test_headers_that_say_something_else_than_the_body_are_refused(tools):
    body, headers = newest("tools/call", name="list_facts", arguments={})

    answer = tools.post(body, headers={**headers, "mcp-name": "get_fact"})

    assert answer.status == 400


def test_a_tool_is_listed_with_its_schemas_and_hints(tools):
    listed = tools.post(message("tools/list")).body["result"]["tools"]

    (tool,) = [each for each in listed if each["name"] == "delete_fact"]
    assert tool["annotations"] == {
        "title": "Delete a fact",
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert tool["inputSchema"]["required"] == ["factId"]
    assert tool["outputSchema"]["properties"]["version"] == {
        "description": "1, then one more per supersede or verify.",
        "minimum": 1,
        "type": "integer",
    }


def test_a_caller_is_listed_what_it_may_call(tools):
    listed = tools.post(message("tools/list"), caller=build_caller("eve")).body["result"]["tools"]

    assert "delete_fact" not in {tool["name"] for tool in listed}
    refused = tools.post(call("delete_fact", factId="x"), caller=build_caller("eve"))
    assert refused.body["result"]["isError"] is True


def test_where_memory_is_not_enabled_nothing_is_listed():
    tools = FakeTools(is_enabled=False)

    assert tools.post(message("tools/list")).body["result"]["tools"] == []
    called = tools.post(call("list_facts")).body["result"]
    assert called["isError"] is True
    assert "Set `ENABLE_MEMORY=true`" in called["content"][0]["text"]


def test_a_call_is_answered_in_both_forms(tools):
    answer = tools.post(call("write_fact", type="note", content="Ana plays chess."))

    result = answer.body["result"]
    assert result["isError"] is False
    assert json.loads(result["content"][0]["text"])["c"] == "Ana plays chess."
    assert result["structuredContent"]["content"] == "Ana plays chess."


def test_a_fault_is_a_result_without_a_structured_form(tools):
    result = tools.post(call("list_facts", limit=0)).body["result"]

    assert result["isError"] is True
    assert "Limit outside 1-100 range" in result["content"][0]["text"]
    # A client would hold it to the output schema, which is that of a good answer.
    assert "structuredContent" not in result


def test_a_tool_that_is_not_there_is_the_protocols_error(tools):
    answer = tools.post(call("secret"))

    assert answer.body["error"] == {"code": -32602, "message": "Unknown tool"}


@pytest.mark.parametrize("arguments", [[], "secret", 1])
def test_arguments_that_are_no_object_are_the_protocols_error(tools, arguments):
    answer = tools.post(message("tools/call", name="list_facts", arguments=arguments))

    assert answer.body["error"]["code"] == -32602
    assert "secret" not in answer.text


def test_a_tool_can_be_called_without_arguments(tools):
    answer = tools.post(message("tools/call", name="list_facts"))

    assert answer.body["result"]["isError"] is False


def test_a_ping_is_answered_without_a_handshake(tools):
    assert tools.post(message("ping")).body == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_notification_is_taken_and_not_answered(tools):
    answer = tools.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert (answer.status, answer.text) == (202, "")


def test_a_method_that_is_not_there_is_the_protocols_error(tools):
    assert tools.post(message("prompts/list")).body["error"]["code"] == -32601


def test_a_session_id_means_nothing(tools):
    answer = tools.post(message("ping"), headers={"mcp-session-id": "wrong"})

    assert answer.status == 200


def test_a_batch_is_refused_and_nothing_of_it_is_done(tools):
    answer = tools.post([call("write_fact", type="note", content="secret")])

    assert answer.status == 400
    assert answer.body["error"]["code"] == -32600
    assert tools.call("list_facts").value["data"] == []
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "text",
    [
        "{secret",
        '{"jsonrpc":"2.0","id":1,"method":"ping","method":"secret"}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"secret":NaN}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_json_is_refused_without_being_quoted(tools, text):
    answer = tools.post(text)

    assert answer.status == 400
    assert answer.body["error"]["code"] == -32700
    assert answer.body["id"] is None
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "secret"},
        {"id": 1, "method": "ping", "params": "secret"},
    ],
)
def test_what_is_no_message_is_refused_without_being_quoted(tools, body):
    answer = tools.post(body)

    assert answer.status == 400
    assert answer.body["error"] == {"code": -32602, "message": "Validation error"}
    assert "secret" not in answer.text


@pytest.mark.parametrize("bad", [None, True, 1.5, 1.0, {"secret": 1}, ["secret"]])
def test_a_request_whose_id_nobody_could_answer_to_is_refused_and_not_done(tools, bad):
    answer = tools.post({**call("write_fact", type="note", content=1), "id": bad})

    assert answer.status == 400
    assert answer.body == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "The id must be text or a whole number."},
    }
    assert tools.call("list_facts").value["data"] == []


def test_an_answer_to_a_request_that_had_no_id_is_taken(tools):
    answer = tools.post({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "no"}})

    assert (answer.status, answer.text) == (202, "")


def test_a_body_that_is_too_large_is_refused(tools):
    answer = tools.post(call("write_fact", type="note", content="x" * MAX_BODY_BYTES))

    assert answer.status == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "elsewhere.example"}, 421),
        ({"host": None}, 421),
        ({"origin": "https://elsewhere.example"}, 403),
        ({"origin": f"http://{HOST}"}, 403),
        ({"origin": f"https://{HOST}.elsewhere.example"}, 403),
        ({"origin": "null"}, 403),
        ({"accept": "text/html"}, 406),
        ({"accept": None}, 406),
        ({"content-type": "text/plain"}, 400),
        ({"origin": f"https://{HOST}"}, 200),
        ({"host": f"{HOST}:443"}, 200),
        ({"accept": "*/*"}, 200),
    ],
)
def test_headers_are_checked(tools, headers, status):
    assert tools.post(message("ping"), headers=headers).status == status


@pytest.mark.parametrize(
    ("origin", "status"), [("http://127.0.0.1:8787", 200), ("http://elsewhere.example", 403)]
)
def test_a_page_of_the_laptop_itself_may_ask_but_no_other(tools, origin, status):
    answer = tools.post(
        message("ping"), domain="127.0.0.1", headers={"host": "127.0.0.1:8787", "origin": origin}
    )

    assert answer.status == status


@pytest.mark.parametrize("token", [None, "Bearer unknown", "Basic YTpi"])
def test_without_a_good_token_there_is_no_answer(tools, token):
    answer = tools.post(initialize("2025-11-25"), headers={"authorization": token})

    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.code == "auth-missing"


def test_no_stream_and_no_session_are_served():
    # GET opens a stream and DELETE ends a session elsewhere: the service answers 405 to both.
    assert methods_at("/mcp") == ["POST"]
