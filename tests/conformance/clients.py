"""The official clients behind one face, so that each is asked the same things.

Every answer that one of them gets is held to the official document on the way.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import httpx
from kindgi.client import AsyncKindgi, Kindgi, KindgiApiError, apaginate, paginate
from palimpsest.domain.instants import to_text
from pydantic import BaseModel

from tests.conformance.contract import CONTRACT

Json = dict[str, Any]
COMMAND_SECONDS = 100


class RefusedError(Exception):
    """What a client made of an answer that is no good one.

    Attributes:
        kind: The client's own word for the family of errors.
        server_code: Ours; None where the client does not tell it.
        shown: The client's whole error.
    """

    def __init__(self, kind: str, server_code: str | None, shown: object) -> None:
        super().__init__(kind, server_code, shown)
        self.kind = kind
        self.server_code = server_code
        self.shown = shown


class FactsClient(Protocol):
    """What of the official clients concerns facts. Answers come as the JSON that they hold."""

    def write(self, body: Json) -> Json: ...
    def get(
        self, fact_id: str, *, version: int | None = None, as_of: str | None = None
    ) -> Json: ...
    def page(self, **query: Any) -> Json: ...
    def all(self, **query: Any) -> list[Json]: ...
    def revisions(self, fact_id: str) -> list[Json]: ...
    def supersede(self, fact_id: str, body: Json) -> Json: ...
    def verify(self, fact_id: str, *, expect_version: int | None = None) -> Json: ...
    def delete(self, fact_id: str, *, expect_version: int | None = None) -> Json: ...
    def retrieve(self, body: Json) -> list[Json]: ...


@dataclass(frozen=True)
class SyncClient:
    """``kindgi.client.Kindgi``."""

    url: str
    token: str

    def write(self, body: Json) -> Json:
        return self.ask(lambda c: c.memory.write_fact(body))

    def get(self, fact_id: str, *, version: int | None = None, as_of: str | None = None) -> Json:
        return self.ask(lambda c: c.memory.get_fact(fact_id, version=version, as_of=as_of))

    def page(self, **query: Any) -> Json:
        return self.ask(lambda c: c.memory.list_facts(**query))

    def all(self, **query: Any) -> list[Json]:
        return self.ask(lambda c: list(paginate(c.memory.list_facts, **query)))

    def revisions(self, fact_id: str) -> list[Json]:
        return self.ask(lambda c: c.memory.list_fact_revisions(fact_id).data)

    def supersede(self, fact_id: str, body: Json) -> Json:
        return self.ask(lambda c: c.memory.supersede_fact(fact_id, body))

    def verify(self, fact_id: str, *, expect_version: int | None = None) -> Json:
        return self.ask(lambda c: c.memory.verify_fact(fact_id, _expected(expect_version)))

    def delete(self, fact_id: str, *, expect_version: int | None = None) -> Json:
        return self.ask(lambda c: c.memory.delete_fact(fact_id, expect_version=expect_version))

    def retrieve(self, body: Json) -> list[Json]:
        return self.ask(lambda c: c.memory.retrieve(body).results)

    def ask(self, call: Callable[[Kindgi], Any]) -> Any:
        """Return what a call of the client answers, as JSON."""

        def checked(response: httpx.Response) -> None:
            response.read()
            _check(response)

        with (
            httpx.Client(event_hooks={"response": [checked]}) as http,
            Kindgi(self.url, token=self.token, max_retries=0, http_client=http) as client,
        ):
            try:
                return _json(call(client))
            except KindgiApiError as error:
                raise RefusedError(error.code, error.server_code, error) from error


@dataclass(frozen=True)
class AsyncClient:
    """``kindgi.client.AsyncKindgi``."""

    url: str
    token: str

    def write(self, body: Json) -> Json:
        return self.ask(lambda c: c.memory.write_fact(body))

    def get(self, fact_id: str, *, version: int | None = None, as_of: str | None = None) -> Json:
        return self.ask(lambda c: c.memory.get_fact(fact_id, version=version, as_of=as_of))

    def page(self, **query: Any) -> Json:
        return self.ask(lambda c: c.memory.list_facts(**query))

    def all(self, **query: Any) -> list[Json]:
        async def everything(client: AsyncKindgi) -> list[BaseModel]:
            return [fact async for fact in apaginate(client.memory.list_facts, **query)]

        return self.ask(everything)

    def revisions(self, fact_id: str) -> list[Json]:
        return self.ask(lambda c: c.memory.list_fact_revisions(fact_id))["data"]

    def supersede(self, fact_id: str, body: Json) -> Json:
        return self.ask(lambda c: c.memory.supersede_fact(fact_id, body))

    def verify(self, fact_id: str, *, expect_version: int | None = None) -> Json:
        return self.ask(lambda c: c.memory.verify_fact(fact_id, _expected(expect_version)))

    def delete(self, fact_id: str, *, expect_version: int | None = None) -> Json:
        return self.ask(lambda c: c.memory.delete_fact(fact_id, expect_version=expect_version))

    def retrieve(self, body: Json) -> list[Json]:
        return self.ask(lambda c: c.memory.retrieve(body))["results"]

    def ask(self, call: Callable[[AsyncKindgi], Awaitable[Any]]) -> Any:
        """Return what a call of the client answers, as JSON."""

        async def checked(response: httpx.Response) -> None:
            await response.aread()
            _check(response)

        async def asked() -> Any:
            async with (
                httpx.AsyncClient(event_hooks={"response": [checked]}) as http,
                AsyncKindgi(self.url, token=self.token, max_retries=0, http_client=http) as client,
            ):
                try:
                    return _json(await call(client))
                except KindgiApiError as error:
                    raise RefusedError(error.code, error.server_code, error) from error

        return asyncio.run(asked())


@dataclass(frozen=True)
class CommandLine:
    """``kindgi memory facts …`` of ``kindgi-cli``, each command as a process of its own.

    Attributes:
        home: A folder where the command finds no configuration of somebody else.
    """

    url: str
    token: str
    home: Path

    def write(self, body: Json) -> Json:
        return self._fact("memory.writeFact", 201, "write", f"--input={json.dumps(body)}")

    def get(self, fact_id: str, *, version: int | None = None, as_of: str | None = None) -> Json:
        flags = _flags({"revision": version, "as-of": as_of})
        return self._fact("memory.getFact", 200, "get", fact_id, *flags)

    def page(self, **query: Any) -> Json:
        flags = {name.replace("_", "-"): value for name, value in query.items()}
        return self._fact("memory.listFacts", 200, "list", *_flags(flags))

    def all(self, **query: Any) -> list[Json]:
        page = self.page(**query)
        found = list(page["data"])
        while page["hasMore"]:
            page = self.page(**query, cursor=page["nextCursor"])
            found += page["data"]
        return found

    def revisions(self, fact_id: str) -> list[Json]:
        found = self.run("revisions", fact_id)
        CONTRACT.check("memory.listFactRevisions", 200, {"data": found})
        return found

    def supersede(self, fact_id: str, body: Json) -> Json:
        given = dict(body)
        flags = _flags({"expect-version": given.pop("expectVersion", None)})
        text = f"--input={json.dumps(given)}"
        return self._fact("memory.supersedeFact", 200, "supersede", fact_id, text, *flags)

    def verify(self, fact_id: str, *, expect_version: int | None = None) -> Json:
        flags = _flags({"expect-version": expect_version})
        return self._fact("memory.verifyFact", 200, "verify", fact_id, *flags)

    def delete(self, fact_id: str, *, expect_version: int | None = None) -> Json:
        flags = _flags({"expect-version": expect_version})
        return self._fact("memory.deleteFact", 200, "delete", fact_id, *flags)

    def retrieve(self, body: Json) -> list[Json]:
        found = self.run("retrieve", f"--query={json.dumps(body)}")
        CONTRACT.check("memory.retrieve", 200, {"results": found})
        return found

    def run(self, *arguments: str) -> Any:
        """Return what a command printed."""
        done = subprocess.run(
            [Path(sys.executable).with_name("kindgi"), "memory", "facts", *arguments],
            cwd=self.home,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.home),
                "KINDGI_API_URL": self.url,
                "KINDGI_API_TOKEN": self.token,
                "NO_PROXY": "127.0.0.1",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        if done.returncode == 0:
            return json.loads(done.stdout)
        said = re.match(r"Error \[(?P<kind>[a-z-]+)\]", done.stderr)
        assert said is not None, done.stderr
        raise RefusedError(said["kind"], None, done.stderr)

    def _fact(self, operation: str, status: int, *arguments: str) -> Json:
        answer: Json = self.run(*arguments)
        CONTRACT.check(operation, status, answer)
        return answer


def _check(response: httpx.Response) -> None:
    operation = CONTRACT.operation_at(response.request.method, response.request.url.path)
    CONTRACT.check(operation, response.status_code, response.json())


def _expected(version: int | None) -> Json | None:
    return None if version is None else {"expectVersion": version}


def _flags(values: Mapping[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in values.items() if value is not None]


def _json(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_json(item) for item in answer]
    read = answer.model_dump(by_alias=True, exclude_unset=True)
    return json.loads(json.dumps(read, default=_text))


def _text(value: object) -> str:
    """Write what the client has read as more than text: a time, an id."""
    return to_text(value) if isinstance(value, datetime) else str(value)
