"""The service over HTTP, as a command speaks to it: with a token, patiently, and under that token's own rules."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import httpx

from local.data_folder import DataFolder
from palimpsest_cli.failures import ServiceSilentError, TargetMissingError

# The service tells how long to wait, and it is short; what waits longer is not one of ours.
MAX_WAIT_SECONDS = 30.0
ATTEMPTS = 6
_FIRST_WAIT_SECONDS = 0.5
_TIMEOUT_SECONDS = 35.0  # API Gateway gives up after 30
_TRY_AGAIN = frozenset({429, 502, 503, 504})
_IN_FLIGHT = "idempotency-key-in-flight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a service is, and the token that is sent there."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of the service.

    Attributes:
        status: Of HTTP.
        body: The JSON that came; empty when it was none.
        is_replay: Whether it is the answer to an earlier request under the same key.
    """

    status: int
    body: Mapping[str, Any]
    is_replay: bool

    @property
    def is_good(self) -> bool:
        """Whether the service did what was asked."""
        return self.status < httpx.codes.BAD_REQUEST

    @property
    def code(self) -> str:
        """The error's code; the status where a gateway answered by itself."""
        return str(self._error.get("code", self.status))

    @property
    def message(self) -> str:
        """The error's sentence."""
        return str(self._error.get("message", "The answer came from something before the service."))

    @property
    def _error(self) -> Mapping[str, Any]:
        error = self.body.get("error")
        return error if isinstance(error, Mapping) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Asks one service.

    Attributes:
        client: Knows the service's address and the token.
        pause: Waits for so many seconds.
    """

    client: httpx.Client
    pause: Callable[[float], None] = time.sleep

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: str | None = None,
        key: str | None = None,
    ) -> Answer:
        """Send a request, again while the service is busy or does not answer.

        Args:
            method: What is sent again must be a GET, or have a key.
            path: From the root.
            query: Parameters.
            body: JSON.
            key: The ``Idempotency-Key``.

        Raises:
            ServiceSilentError: If the last attempt, too, was told to wait or found nobody.
        """
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if key is not None:
            headers["Idempotency-Key"] = key
        content = None if body is None else body.encode()
        why = ""
        for attempt in range(ATTEMPTS):
            wait = _FIRST_WAIT_SECONDS * 2**attempt
            try:
                response = self.client.request(
                    method, path, params=query, content=content, headers=headers
                )
            except httpx.TransportError as error:
                why = type(error).__name__
            else:
                answer = _answer(response)
                if response.status_code not in _TRY_AGAIN and answer.code != _IN_FLIGHT:
                    return answer
                why = answer.code
                wait = _told(response, wait)
            if attempt < ATTEMPTS - 1:
                self.pause(wait)
        raise ServiceSilentError(
            f"{self.client.base_url} does not answer ({why}); {ATTEMPTS} attempts were made."
        )


def find_address(url: str | None, token: str | None, data: Path) -> Address:
    """Return the address that was given, or that of the service over a data folder.

    Raises:
        TargetMissingError: If no service runs over it.
        click.UsageError: If the URL is none of HTTP.
    """
    if url is not None and not url.startswith(("http://", "https://")):
        raise click.UsageError("--url must begin with http:// or https://.")
    if url is not None and token is not None:
        return Address(url=url.rstrip("/"), token=token)
    folder = DataFolder.at(data)
    try:
        run = json.loads(folder.run_path.read_text("utf-8"))
        return Address(url=(url or str(run["url"])).rstrip("/"), token=token or str(run["token"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TargetMissingError(
            f"No service runs over {folder.path}: start it with `make run`, or give --url and --token."
        ) from error


def open_client(address: Address) -> httpx.Client:
    """Return a client for a service; to be closed."""
    return httpx.Client(
        base_url=address.url,
        headers={"Authorization": f"Bearer {address.token}"},
        timeout=_TIMEOUT_SECONDS,
    )


def _answer(response: httpx.Response) -> Answer:
    try:
        body = response.json()
    except ValueError:
        body = {}
    return Answer(
        status=response.status_code,
        body=body if isinstance(body, Mapping) else {},
        is_replay=response.headers.get("x-idempotent-replay") == "true",
    )


def _told(response: httpx.Response, otherwise: float) -> float:
    told = response.headers.get("retry-after", "")
    return min(float(told), MAX_WAIT_SECONDS) if told.isdecimal() else otherwise
