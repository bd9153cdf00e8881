"""The whole service on one machine: engines, tables, functions, gateway; from start to end."""

import asyncio
import os
import shlex
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from local.data_folder import DataFolder, write_json
from local.dynoxide import FAKE_CREDENTIAL, HOST, dynamodb_client
from local.dynoxide_binary import Say
from local.engines import ENDPOINT_VARIABLE, clean_up, running_database
from local.environment import IN_ONE_PROCESS, engine_environment, function_environment
from local.functions import LambdaFunction
from local.gateway import Gateway, loopback_hosts
from local.mapping import mappings_of
from local.pump import Pump, streams_client
from local.search import SQLITE, running_search
from local.tables import create_tables
from local.template import Template

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 5
# Longer than a client's pool keeps an idle connection, so that it is the client that closes it.
KEEP_ALIVE_SECONDS = 75
UMASK = 0o077


class PortInUseError(RuntimeError):
    """Somebody else listens there."""


class Stopped(SystemExit):
    """The service was asked to end.

    A SystemExit, because an event loop lets nothing else through from a callback in which the
    signal happens to arrive.
    """


@dataclass(frozen=True)
class Settings:
    """What a person chooses.

    Args:
        folder: Where the data is.
        port: On 127.0.0.1; 0 takes a free one.
        template: The SAM template that says what is served.
        index: The search engine; see `local.search.ENGINES`.
    """

    folder: DataFolder
    port: int
    template: Path
    index: str = SQLITE


EnsureToken = Callable[[DataFolder, Mapping[str, str]], str]
"""Gives the first token, making it through the product if there is none that is valid."""


def run_service(settings: Settings, *, ensure_token: EnsureToken, say: Say) -> None:
    """Run until somebody stops it; children end, and `run.json` goes, before this returns.

    It changes this process: its umask, its environment, its handling of signals.

    Args:
        settings: What was chosen.
        ensure_token: See `EnsureToken`; called with the functions' environment.
        say: Told what a person should see.

    Raises:
        DataFolderError, PortInUseError, DynoxideMissingError, DynoxideFailedError,
        ServerNotStartedError, TableMismatchError: if it cannot run; each message is for a person.
    """
    folder = settings.folder
    os.umask(UMASK)
    template = Template.read(settings.template)
    try:
        with _stopped_by_signals():
            folder.prepare()
            with folder.locked(), _listening(settings.port) as listener:
                clean_up(folder, say=say)
                with (
                    running_database(folder, os.environ, say=say) as endpoint,
                    running_search(settings.index, folder, os.environ, say=say) as search,
                ):
                    _set_environment(template, folder, endpoint, search)
                    made = create_tables(dynamodb_client(endpoint), template.tables())
                    say(f"Tables made: {', '.join(made)}" if made else "Tables: found again")
                    token = ensure_token(folder, os.environ)
                    functions = _load_functions(template)
                    gateway = _build_gateway(template, functions, listener)
                    with _pumping(template, functions, folder, endpoint):
                        _serve(gateway, listener, _Announcement(folder, listener, token, say))
    except Stopped:
        say("Stopped.")


@dataclass(frozen=True)
class _Announcement:
    """Tells scripts and people that the service answers."""

    folder: DataFolder
    listener: socket.socket
    token: str
    say: Say

    @contextmanager
    def made(self) -> Iterator[None]:
        url = f"http://{HOST}:{self.listener.getsockname()[1]}"
        tenant_id = self.folder.tenant_id()
        document = {"url": url, "token": self.token, "tenantId": tenant_id}
        write_json(self.folder.run_path, document)
        try:
            self._print(url, tenant_id)
            yield
        finally:
            self.folder.run_path.unlink(missing_ok=True)

    def _print(self, url: str, tenant_id: str) -> None:
        authorization = shlex.quote(f"Authorization: Bearer {self.token}")
        body = shlex.quote(
            f'{{"type":"note","scope":{{"tenantId":"{tenant_id}"}},"content":"Hello, Palimpsest"}}'
        )
        self.say(
            f"""
Palimpsest answers at {url} (Ctrl-C ends it; the data stays in {self.folder.path})
  token   {self.token}
  tenant  {tenant_id}

Write a fact, then list what is there:
  curl -s {url}/v1/memory/facts -H {authorization} -H 'Content-Type: application/json' -d {body}
  curl -s {url}/v1/memory/facts -H {authorization}

The engines on loopback have no password: whoever can log in on this machine can reach the data."""
        )


class _AnnouncingServer(uvicorn.Server):
    """Uvicorn, with a word said when it answers and taken back before it stops."""

    def __init__(self, config: uvicorn.Config, announcement: _Announcement) -> None:
        super().__init__(config)
        self._announcement = announcement

    async def main_loop(self) -> None:
        """Run while the announcement stands; `startup` has opened the doors before this."""
        with self._announcement.made():
            await super().main_loop()


def _serve(gateway: Gateway, listener: socket.socket, announcement: _Announcement) -> None:
    config = uvicorn.Config(
        gateway,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    asyncio.run(_AnnouncingServer(config, announcement).serve(sockets=[listener]))


def _load_functions(template: Template) -> dict[str, LambdaFunction]:
    definitions = template.functions()
    return {each.logical_id: LambdaFunction.load(each) for each in definitions}


def _build_gateway(
    template: Template, functions: Mapping[str, LambdaFunction], listener: socket.socket
) -> Gateway:
    port = listener.getsockname()[1]
    return Gateway(template.routes(), functions, hosts=loopback_hosts(port))


@contextmanager
def _pumping(
    template: Template, functions: Mapping[str, LambdaFunction], folder: DataFolder, endpoint: str
) -> Iterator[None]:
    """Feed functions from the tables' streams while the block runs."""
    with ExitStack() as pumps:
        for mapping in mappings_of(template):
            pump = Pump(
                mapping,
                dynamodb_client(endpoint),
                streams_client(endpoint, FAKE_CREDENTIAL),
                functions[mapping.function].invoke,
                folder.path,
            )
            pumps.enter_context(pump.running())
        yield


def _set_environment(
    template: Template, folder: DataFolder, endpoint: str, search: Mapping[str, str]
) -> None:
    overrides = {
        "CURSOR_KEYS_URI": folder.keys_uri("cursor-keys.json"),
        "LEDGER_KEYS_URI": folder.keys_uri("ledger-keys.json"),
        **search,
        **IN_ONE_PROCESS,
        # A line for each request would bury what a person should see; whoever wants it says so.
        "POWERTOOLS_LOG_LEVEL": os.environ.get("POWERTOOLS_LOG_LEVEL", "WARNING"),
    }
    is_ours = ENDPOINT_VARIABLE not in os.environ
    engine = engine_environment(os.environ, endpoint, is_ours=is_ours)
    functions = function_environment(template, overrides)
    os.environ.clear()
    os.environ.update(engine | functions)


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """Hold the port; nobody is let in before uvicorn listens."""
    # The protocol by name: only then asyncio turns off Nagle's algorithm on what it accepts, and
    # without that each answer waits 40 ms for the client's delayed acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError as error:
            raise PortInUseError(
                f"port {port} cannot be used ({error.strerror}): name another one with PORT="
            ) from error
        yield listener


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Turn the first signal to stop into `Stopped`, and let no further one disturb the ending.

    While uvicorn serves, it takes the signals itself, ends what is under way, and passes them on.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    before = {number: signal.signal(number, stop) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
