"""The npm client of the memory door (``@mnemoverse/mcp-memory-server``), unchanged, driven over stdio as a host drives it."""

import asyncio
import dataclasses
import re

import pytest
from mcp import Client, StdioServerParameters
from palimpsest.domain.api_keys import SECRET_BYTES, token_from_text

from tests.conformance.node_programs import MNEMOVERSE, NODE, clean_environment
from tests.polling import wait_until


@pytest.fixture
def call(tenant, tmp_path):
    """Return what calls tools of the client, one after the other, and returns their texts."""
    good = tenant.caller().token

    def call_all(*calls, key=good):
        environ = {
            **clean_environment(tmp_path),
            "MNEMOVERSE_API_URL": f"{tenant.laptop.run['url']}/api/v1",
            "MNEMOVERSE_API_KEY": key,
        }
        server = StdioServerParameters(command=str(NODE), args=[str(MNEMOVERSE)], env=environ)

        async def run():
            async with Client(server) as client:
                return [await client.call_tool(name, arguments) for name, arguments in calls]

        return [(result.is_error, result.content[0].text) for result in asyncio.run(run())]

    return call_all


def test_a_memory_is_written_read_rated_and_counted(call):
    content = "Ana drinks green tea in the morning."

    ((is_error, written),) = call(("memory_write", {"content": content, "domain": "tea"}))
    assert not is_error
    stored = re.fullmatch(r"Stored \(importance: \d\.\d\d\)\. ID: (\S+)", written)
    assert stored is not None, written
    atom_id = stored[1]
    found: list[tuple[bool, str]] = []

    def read():
        found[:] = call(("memory_read", {"query": "what does Ana drink", "domain": "tea"}))
        return content in found[0][1]

    wait_until(read, "the memory is found", seconds=90)
    (recent, feedback, stats) = call(
        ("memory_list_recent", {"domain": "tea"}),
        ("memory_feedback", {"atom_ids": [atom_id], "outcome": 1}),
        ("memory_stats", {}),
    )

    assert atom_id in found[0][1]
    assert content in recent[1]
    assert not feedback[0], feedback[1]
    assert "1" in feedback[1]
    assert not stats[0], stats[1]
    assert "tea" in stats[1]


def test_the_same_memory_again_is_not_stored_and_says_so(call):
    write = ("memory_write", {"content": "Ana plays chess.", "domain": "games"})

    (first, again) = call(write, write)

    assert first[1].startswith("Stored")
    assert again[1].startswith("NOT STORED")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "no API key is configured"),
        ("not a key", "does not have the shape of a Mnemoverse key"),
        ("unknown", "does not recognise this key at all"),
        ("revoked", "was revoked and will never work again"),
    ],
)
def test_a_key_that_is_not_good_is_told_by_what_is_wrong_with_it(
    call, tenant, connection, key, words
):
    keys = {"unknown": unknown_token(tenant), "revoked": revoked_token(tenant, connection)}

    ((is_error, text),) = call(("memory_stats", {}), key=keys.get(key, key))

    assert is_error
    assert words in text


def unknown_token(tenant):
    """Return a token of the right shape that nobody was given."""
    token = token_from_text(tenant.caller().token)
    return dataclasses.replace(token, secret=bytes(SECRET_BYTES)).to_text()


def revoked_token(tenant, connection):
    token = tenant.caller().token
    connection.revoke_key(tenant.id, token_from_text(token).key_id)
    return token
