"""Starting and stopping the real OpenSearch on loopback.

    with running(ServerOptions(data=Path(".palimpsest-opensearch")), os.environ) as server:
        print(server.url)

The server listens on 127.0.0.1 only and asks for no password. It dies with the thread that started
it (on Linux, by the parent-death signal), so start it from a thread that lives long enough.
"""

import json
import os
import shutil
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx

from local.opensearch.distribution import cache_folder, get_distribution
from local.opensearch.java import find_java
from local.opensearch.leftovers import forget, note_down, owned_folder

TEMPLATES = Path(__file__).parent / "config"

# A clean stop flushes its indexes; after this long it is ended without.
STOP_SECONDS = 20.0

# Between two looks at a server that is starting.
POLL_SECONDS = 0.1

# Without the slower of Java's two compilers: half the processor time of a start, and slower searches
# later. For tests, not for measuring.
QUICK_START = ("-XX:TieredStopAtLevel=1",)


class ServerNotStartedError(RuntimeError):
    """The server ended or did not answer in time; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Where and how large.

    Attributes:
        data: Folder of the indexes, the configuration and the log; made when it is missing.
        port: HTTP port on 127.0.0.1; 0 takes a free one.
        heap_mb: Java heap; the process takes some 50 MB more than this.
        start_seconds: How long a start may take; 10 s is usual on two cores.
        java_options: More for the command line, as `QUICK_START`.
    """

    data: Path
    port: int = 0
    heap_mb: int = 512
    start_seconds: float = 120.0
    java_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers.

    Attributes:
        url: Its base URL, without a slash at the end.
        pid: Its process, or None for one that we did not start.
    """

    url: str
    pid: int | None


@contextmanager
def given_or_running(options: ServerOptions, environ: Mapping[str, str]) -> Iterator[Server]:
    """Yield the server of `OPENSEARCH_URL` where that is set, else one of our own.

    Raises:
        ServerNotStartedError: if the given one does not answer, or ours does not start.
    """
    url = environ.get("OPENSEARCH_URL", "").rstrip("/")
    if not url:
        with running(options, environ) as server:
            yield server
        return
    _wait(
        lambda: _is_ready(url) or None,
        options.start_seconds,
        lambda: f"The server of OPENSEARCH_URL does not answer within {options.start_seconds} s",
    )
    yield Server(url=url, pid=None)


@contextmanager
def running(options: ServerOptions, environ: Mapping[str, str]) -> Iterator[Server]:
    """Yield a server that is ready, and stop it at the end.

    Raises:
        AssemblyError: if OpenSearch cannot be put together.
        JavaNotFoundError: if there is no fitting Java.
        FolderInUseError: if another launcher uses the data folder.
        ServerNotStartedError: if it ends early or is not ready in time.
    """
    java = find_java(environ)
    home = get_distribution(cache_folder(environ), environ)
    data = options.data.resolve()
    with owned_folder(data):
        _lay_out(data, options.port)
        with (data / "logs" / "server.log").open("wb") as log:
            process = subprocess.Popen(
                _as_nobody(_command(java, home, data, options)),
                cwd=data,
                env={"LC_ALL": "C.UTF-8", "PATH": environ.get("PATH", os.defpath)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C in the terminal is for the launcher, which then stops the server cleanly.
                start_new_session=True,
                umask=0o077,
            )
        note_down(data, process.pid, _temporary_folder(data))
        try:
            yield Server(url=_wait_until_ready(process, data, options), pid=process.pid)
        finally:
            _stop(process)
            forget(data)


def _lay_out(data: Path, port: int) -> None:
    """Write the configuration, and drop what an earlier run left for us to read."""
    folders = {name: data / name for name in ("config", "data", "logs", "tmp")}
    for folder in folders.values():
        folder.mkdir(exist_ok=True, mode=0o700)
    (data / "logs" / "http.ports").unlink(missing_ok=True)
    # JSON strings are YAML strings, so a blank or a quote in a path does no harm.
    values = {name: json.dumps(str(folder)) for name, folder in folders.items()}
    for template in TEMPLATES.iterdir():
        text = template.read_text(encoding="utf-8")
        if template.name == "opensearch.yml":
            text = string.Template(text).substitute(values, http_port=port)
        (folders["config"] / template.name).write_text(text, encoding="utf-8")


def _command(java: Path, home: Path, data: Path, options: ServerOptions) -> list[str]:
    return [
        str(java),
        f"-Xms{options.heap_mb}m",
        f"-Xmx{options.heap_mb}m",
        *options.java_options,
        _temporary_folder(data),
        f"-Dopensearch.path.home={home}",
        f"-Dopensearch.path.conf={data / 'config'}",
        "-Dopensearch.distribution.type=tar",
        "-Dopensearch.bundled_jdk=false",
        "-Djava.security.manager=allow",
        "-Djava.locale.providers=SPI,COMPAT",
        "-Dfile.encoding=UTF-8",
        "-Dlog4j2.disable.jmx=true",
        # Log4j's own shutdown hook runs beside OpenSearch's; with it a stop hangs for 30 s.
        "-Dlog4j.shutdownHookEnabled=false",
        "-cp",
        f"{home / 'lib'}/*",
        "org.opensearch.bootstrap.OpenSearch",
    ]


def _temporary_folder(data: Path) -> str:
    return f"-Djava.io.tmpdir={data / 'tmp'}"


def _as_nobody(command: list[str]) -> list[str]:
    """Let the command die with us, and not be root, which OpenSearch refuses.

    As root it becomes `nobody` but keeps one right of root's, to pass file permissions: else a data
    folder below a private one (mode 0700, as ours are) could not be reached.

    Raises:
        ServerNotStartedError: if we are root and there is no `setpriv`.
    """
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    is_root = os.geteuid() == 0
    if setpriv is None:
        if is_root:
            raise ServerNotStartedError(
                "OpenSearch does not run as root, and there is no setpriv (package util-linux) to "
                "become another user. Run this as an ordinary user."
            )
        return command
    other_user = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    other_user += ["--inh-caps=-all,+dac_override", "--ambient-caps=-all,+dac_override"]
    # Without this bit access(2), which Java asks before each file, would not count the kept right.
    other_user += ["--securebits=+no_setuid_fixup"]
    return [setpriv, *(other_user if is_root else []), "--pdeathsig=KILL", *command]


def _wait_until_ready(
    process: "subprocess.Popen[bytes]", data: Path, options: ServerOptions
) -> str:
    ports = data / "logs" / "http.ports"

    def find_url() -> str | None:
        if (status := process.poll()) is not None:
            raise ServerNotStartedError(f"OpenSearch ended with {status}:\n{_end_of_log(data)}")
        if not ports.exists():
            return None
        addresses = ports.read_text(encoding="utf-8").split()
        url = next((f"http://{one}" for one in addresses if one.startswith("127.")), None)
        return url if url is not None and _is_ready(url) else None

    return _wait(
        find_url,
        options.start_seconds,
        lambda: f"OpenSearch is not ready after {options.start_seconds} s:\n{_end_of_log(data)}",
    )


def _is_ready(url: str) -> bool:
    """Tell whether the server answers and each of its indexes has its primary shards."""
    try:
        answer = httpx.get(f"{url}/_cluster/health", timeout=5)
        return answer.is_success and answer.json().get("status") in {"yellow", "green"}
    except (httpx.HTTPError, ValueError):
        return False


Found = TypeVar("Found")


def _wait(find: Callable[[], Found | None], seconds: float, complain: Callable[[], str]) -> Found:
    deadline = time.monotonic() + seconds
    while (found := find()) is None:
        if time.monotonic() > deadline:
            raise ServerNotStartedError(complain())
        time.sleep(POLL_SECONDS)
    return found


def _end_of_log(data: Path) -> str:
    log = (data / "logs" / "server.log").read_text(encoding="utf-8", errors="replace")
    lines = [line for line in log.splitlines() if not line.startswith("\tat ")]
    return "\n".join(lines[-20:])


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
