"""The official Python client over streamable HTTP: it holds each result to the tool's output schema by itself."""

import json

import pytest
from mcp.shared.exceptions import MCPError

from tests.conformance.mcp_client import MODES, with_client

every_mode = pytest.mark.parametrize("mode", MODES)
DESTRUCTIVE = frozenset({"destructive"})


@pytest.fixture
def ask(tenant):
    """Return what asks the laptop as a caller who may destroy."""
    token = tenant.caller(tools=DESTRUCTIVE).token

    def ask_as(asking, **options):
        return with_client(tenant.laptop.run["url"], options.pop("token", token), asking, **options)

    return ask_as


@every_mode
def test_a_fact_lives_and_dies_through_tools(ask, mode):
    async def live(client):
        await client.list_tools()
        written = await client.call_tool("write_fact", {"type": "note", "content": {"n": 1}})
        fact = {"factId": written.structured_content["id"]}
        seen = [await client.call_tool("get_fact", fact)]
        seen.append(await client.call_tool("supersede_fact", {**fact, "content": {"n": 2}}))
        seen.append(await client.call_tool("verify_fact", fact))
        seen.append(await client.call_tool("list_facts", {"limit": 1}))
        seen.append(await client.call_tool("retrieve_facts", {"mode": "list"}))
        seen.append(await client.call_tool("delete_fact", fact))
        return written, seen

    written, seen = ask(live, mode=mode)

    assert written.structured_content["scope"]["userId"] == "ana"
    assert [result.is_error for result in seen] == [False] * 6
    got, superseded, verified, listed, retrieved, deleted = (r.structured_content for r in seen)
    assert got == written.structured_content
    assert superseded["content"] == {"n": 2}
    assert verified["trust"] == "verified"
    assert listed == {"data": [verified], "hasMore": False}
    assert retrieved == {"results": [{"fact": verified}]}
    assert deleted["invalidationReason"] == "deleted"


@every_mode
def test_a_fault_is_a_result_and_an_unknown_tool_an_error(ask, mode):
    async def fail(client):
        fault = await client.call_tool("list_facts", {"limit": 0})
        with pytest.raises(MCPError) as raised:
            await client.call_tool("drop_tables", {})
        return fault, raised.value

    fault, error = ask(fail, mode=mode)

    assert fault.is_error
    assert json.loads(fault.content[0].text)["fix"] == "Set limit between 1 and 100"
    assert error.error.message == "Unknown tool"


@every_mode
def test_the_newest_protocol_that_both_know_is_spoken(ask, mode):
    async def version(client):
        return client.protocol_version

    assert ask(version, mode=mode) == ("2025-11-25" if mode == "legacy" else "2026-07-28")


def test_a_header_narrows_what_a_client_can_reach(ask, tenant):
    token = tenant.caller("cleo", writes=("apollo",)).token

    async def write(client):
        return await client.call_tool("write_fact", {"type": "note", "content": 1})

    written = ask(write, token=token, x_palimpsest_project="apollo")

    assert written.structured_content["scope"] == {
        "tenantId": tenant.id,
        "userId": "cleo",
        "projectId": "apollo",
    }


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_token_that_is_not_good_opens_nothing(ask, mode):
    async def list_tools(client):
        return await client.list_tools()

    with pytest.raises(BaseException) as raised:  # noqa: PT011 - the kind is the client's own
        ask(list_tools, token="pal_nothing", mode=mode)

    # Its word for every answer that is no result; what ours is, other tests say.
    assert "Server returned an error response" in _texts(raised.value)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_no_stream_is_opened_and_no_session_ended(tenant, method):
    answer = tenant.caller().ask(method, "/mcp")

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"


def _texts(error):
    """Return what an error and those inside it say."""
    inside = getattr(error, "exceptions", ())
    return " ".join([str(error), *map(_texts, inside)])
