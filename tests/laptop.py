"""The laptop's service as a process of its own: started, asked over HTTP, stopped or killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from local.processes import ProcessMark
from tests.polling import wait_until

ROOT = Path(__file__).parents[1]
PYTHON_PATH = os.pathsep.join(str(ROOT / part) for part in (".", "layers/memory", "cli"))
START_SECONDS = 60
# `make run`, without make.
COMMAND = ("-m", "local.run", "--port", "0", "--data")


@dataclass(frozen=True)
class Laptop:
    """A service that answers.

    Attributes:
        process: The gateway; its engine is ``engine``.
        data: The data folder.
        run: What ``run.json`` says: ``url``, ``token``, ``tenantId``.
        log: What it printed, this start and earlier ones.
        client: Speaks to it with its first token.
    """

    process: "subprocess.Popen[bytes]"
    data: Path
    run: dict[str, str]
    log: Path
    client: httpx.Client

    @property
    def engine(self) -> ProcessMark:
        """The database's process, as ``engines.json`` tells it."""
        engine: dict[str, Any] = json.loads((self.data / "engines.json").read_text())["dynamodb"]
        return ProcessMark(engine["pid"], engine["started"])

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(20)


@contextmanager
def running_laptop(
    data: Path, *, command: Sequence[str] = COMMAND, **environ: str
) -> Iterator[Laptop]:
    """Start a service over a data folder and wait until it answers; kill what is left at the end.

    Args:
        data: Its output goes beside it, into ``<data>.log``.
        command: For Python, without the data folder, which comes last.
        environ: Added to this process's environment.
    """
    log = data.with_name(f"{data.name}.log")
    stale = _read(data / "run.json")
    with log.open("a") as output:
        process = subprocess.Popen(
            [sys.executable, *command, str(data)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": PYTHON_PATH, **environ},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(
            lambda: _read(data / "run.json") not in {"", stale} or process.poll() is not None,
            "the service answers",
            seconds=START_SECONDS,
        )
        assert process.poll() is None, log.read_text()
        run = json.loads((data / "run.json").read_text())
        headers = {"authorization": f"Bearer {run['token']}"}
        with httpx.Client(base_url=run["url"], headers=headers, timeout=20) as client:
            yield Laptop(process, data, run, log, client)
    finally:
        process.kill()
        process.wait()


def failed_start(
    data: Path, *, command: Sequence[str] = COMMAND
) -> "subprocess.CompletedProcess[str]":
    """Start a service that cannot run, and return how it ended."""
    return subprocess.run(
        [sys.executable, *command, str(data)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        check=False,
        timeout=START_SECONDS,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""
