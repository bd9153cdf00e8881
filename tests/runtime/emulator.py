"""Built functions, run as Lambda runs them, without Docker.

sam carries Lambda's runtime interface emulator; together with Lambda's own runtime client (`awslambdaric`) it starts the
handler of a built function in a process of its own, with the layer where the runtime looks for it, and hands it one event
after the other. One function is one emulator, and answers one call at a time.
"""

import json
import os
import platform
import re
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from local.processes import start_child
from local.template import FunctionDefinition
from tests.polling import wait_until
from tests.template import ROOT

HOST = "127.0.0.1"
INVOKE_PATH = "/2015-03-31/functions/function/invocations"
HANDLER = "handler.lambda_handler"
BUILD = ROOT / ".aws-sam" / "build"
LAYER = BUILD / "MemoryLayer" / "python"
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "arm64", "aarch64": "arm64"}
INIT_LINE = re.compile(r"INIT REPORT\(durationMs: ([\d.]+)\)")
# Between asking for a free port and binding it, somebody else may take it.
PORT_ATTEMPTS = 5
START_PATIENCE_SECONDS = 20


@dataclass(frozen=True)
class BuiltFunction:
    """A built function that waits for events."""

    definition: FunctionDefinition
    url: str
    log: Path

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """Return what the handler returned; the emulator gives a raised error as an object with `errorType`."""
        # Beyond the function's own limit: the first call also starts the function.
        patience = self.definition.timeout_seconds + START_PATIENCE_SECONDS
        answer = httpx.post(
            self.url, content=json.dumps(event).encode(), timeout=patience, trust_env=False
        )
        assert answer.status_code == 200, self.last_words()
        return answer.json()

    @property
    def start_milliseconds(self) -> float | None:
        """How long the first event waited for the process, its imports and its module; None before it."""
        found = INIT_LINE.search(self.log.read_text(encoding="utf-8", errors="replace"))
        return float(found.group(1)) if found else None

    def last_words(self) -> str:
        """Return the end of what the function and the emulator wrote."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-30:])


def emulator_path() -> Path:
    """Return the emulator that sam carries for this machine."""
    name = f"aws-lambda-rie-{MACHINES[platform.machine().lower()]}"
    sam = ROOT / ".venv-sam"
    found = sorted(sam.glob(f"lib/python*/site-packages/samcli/local/rapid/{name}"))
    assert found, f"{name} is not in {sam}: run these tests through `make test-built`"
    return found[0]


def runtime_python() -> Path:
    """Return the Python of Lambda's version that holds nothing but Lambda's runtime client."""
    python = ROOT / ".venv-runtime" / "bin" / "python"
    assert python.exists(), f"{python} is not there: run these tests through `make test-built`"
    return python


@contextmanager
def running_function(
    definition: FunctionDefinition, environment: Mapping[str, str], folder: Path
) -> Iterator[BuiltFunction]:
    """Run one built function while the block runs.

    Args:
        definition: From the template.
        environment: What the template sets, and what boto3 needs; beyond it the function sees only what Lambda sets.
        folder: For its log.
    """
    code = BUILD / definition.logical_id
    assert (code / "handler.py").exists(), f"{code} is not built: run `make test-built`"
    log = folder / f"{definition.logical_id}.log"
    for _ in range(PORT_ATTEMPTS):
        port, runtime_port = _free_port(), _free_port()
        variables = {**_lambdas_own(definition, code), **environment}
        command = [
            *("/usr/bin/env", "-i", "-C", str(code)),
            *(f"{name}={value}" for name, value in variables.items()),
            str(emulator_path()),
            # Both, always: its defaults listen on every interface of the machine.
            *("--runtime-interface-emulator-address", f"{HOST}:{port}"),
            *("--runtime-api-address", f"{HOST}:{runtime_port}"),
            *(str(runtime_python()), "-m", "awslambdaric", HANDLER),
        ]
        child = start_child(command, log=log)
        try:
            if _listens(child, port):
                yield BuiltFunction(definition, f"http://{HOST}:{port}{INVOKE_PATH}", log)
                return
        finally:
            # It ends the function's process, too, and waits for it.
            child.terminate()
            child.wait(START_PATIENCE_SECONDS)
    raise AssertionError(log.read_text(encoding="utf-8", errors="replace"))


def _lambdas_own(definition: FunctionDefinition, code: Path) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        # Lambda looks into layers after the code, which the runtime client itself puts in front.
        "PYTHONPATH": str(LAYER),
        # A built folder stays as it was built: Lambda's are read-only.
        "PYTHONDONTWRITEBYTECODE": "1",
        "LAMBDA_TASK_ROOT": str(code),
        "AWS_LAMBDA_FUNCTION_NAME": definition.logical_id,
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(definition.timeout_seconds),
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(definition.memory_mb),
    }


def _listens(child: "subprocess.Popen[bytes]", port: int) -> bool:
    def asked() -> str | None:
        if child.poll() is not None:
            return "ended"
        with socket.socket() as probe:
            return "listens" if probe.connect_ex((HOST, port)) == 0 else None

    answer = wait_until(asked, "the emulator listens", seconds=START_PATIENCE_SECONDS)
    return answer == "listens"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
