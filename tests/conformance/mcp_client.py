"""The official Python client (PyPI ``mcp``) against a laptop, driven from tests that are not asynchronous."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

Result = TypeVar("Result")
# How it comes to a protocol: a handshake, the newest without one, or whichever it finds.
MODES = ("legacy", "2026-07-28", "auto")


def with_client(
    url: str,
    token: str,
    ask: Callable[[Client], Awaitable[Result]],
    *,
    mode: str = "auto",
    **headers: str,
) -> Result:
    """Connect, ask, and return what came of it.

    Args:
        url: The laptop's.
        token: Whose.
        ask: What to do with the connected client.
        mode: One of ``MODES``.
        headers: Sent with each request, ``_`` for ``-``.
    """
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def run() -> Result:
        given = {"authorization": f"Bearer {token}", **named}
        async with (
            httpx2.AsyncClient(headers=given, trust_env=False) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
        ):
            return await ask(client)

    return asyncio.run(run())
