"""The official clients of the memory door behind one face: PyPI ``mnemoverse``, sync and async."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mnemoverse import AsyncMnemoClient, MnemoClient

# Over the client's own three tries: what is refused once is told at once.
ONE_TRY = 1


class MemoryClient(Protocol):
    """Calls one method of an official client and returns the model that it made of the answer."""

    def ask(self, method: str, *arguments: Any, **named: Any) -> Any: ...


@dataclass(frozen=True)
class SyncMemoryClient:
    """``mnemoverse.MnemoClient``."""

    url: str
    token: str

    def ask(self, method: str, *arguments: Any, **named: Any) -> Any:
        with MnemoClient(self.token, self.url, max_retries=ONE_TRY) as client:
            return getattr(client, method)(*arguments, **named)


@dataclass(frozen=True)
class AsyncMemoryClient:
    """``mnemoverse.AsyncMnemoClient``."""

    url: str
    token: str

    def ask(self, method: str, *arguments: Any, **named: Any) -> Any:
        async def asked() -> Any:
            async with AsyncMnemoClient(self.token, self.url, max_retries=ONE_TRY) as client:
                return await getattr(client, method)(*arguments, **named)

        return asyncio.run(asked())


KINDS: Mapping[str, Callable[[str, str], MemoryClient]] = {
    "mnemoverse-sync": SyncMemoryClient,
    "mnemoverse-async": AsyncMemoryClient,
}
