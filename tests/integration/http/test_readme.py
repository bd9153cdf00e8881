"""The README's commands, as they are printed: run in a copy of this clone, on a port of its own."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.polling import wait_until

ROOT = Path(__file__).parents[3]
# What `make run` and the command line need of a clone.
NEEDED = ("Makefile", "bin", "cli", "functions", "layers", "local", "requirements", "template.yaml")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED_URL = "http://127.0.0.1:8787"
# Run elsewhere: the first starts what the others ask, the second is the suite that this test stands in.
NOT_HERE = ("make run\n", "make test\n")
SEPARATOR = "\x1e"
START_SECONDS = 60
PRINTED_ONCE = {"id", "createdAt", "tenantId"}


@dataclass(frozen=True)
class Block:
    """A fenced block; `is_answer` to the block before where no word stands between the two."""

    language: str
    text: str
    is_answer: bool


def blocks() -> list[Block]:
    """Return the README's blocks in their order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        language, inside = match.groups()
        found.append(Block(language, inside, is_answer=not text[end : match.start()].strip()))
        end = match.end()
    return found


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in which everything is installed already, so that nothing is fetched here."""
    folder = tmp_path_factory.mktemp("clone")
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").mkdir()
    for entry in Path(sys.prefix).iterdir():
        if entry.suffix != ".stamp":
            (folder / ".venv" / entry.name).symlink_to(entry)
    (folder / ".venv" / "laptop.stamp").touch()
    return folder


@pytest.fixture(scope="module")
def port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


@pytest.fixture(scope="module")
def service(clone: Path, port: str) -> Iterator[str]:
    """What `make run` prints once it answers."""
    output = clone / "output.txt"
    with output.open("w") as printed:
        process = subprocess.Popen(
            ["make", "run"],
            cwd=clone,
            env={**os.environ, "PORT": port},
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until(
            lambda: "no password" in output.read_text() or process.poll() is not None,
            "make run answers",
            seconds=START_SECONDS,
        )
        assert process.poll() is None, output.read_text()
        yield output.read_text()
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


@pytest.fixture(scope="module")
def outputs(clone: Path, port: str, service: str) -> dict[str, str]:
    """What each shell block prints, all in one shell, as in a reader's second terminal."""
    texts = [b.text for b in blocks() if b.language == "shell" and b.text not in NOT_HERE]
    script = f"\nprintf '{SEPARATOR}'\n".join(texts)
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace(PRINTED_URL, f"http://127.0.0.1:{port}")],
        cwd=clone,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return dict(zip(texts, run.stdout.split(SEPARATOR), strict=True))


def printed_once(value: Any) -> Any:
    """Return an answer without what is another one each time."""
    if not isinstance(value, dict):
        return value
    return {k: k if k in PRINTED_ONCE else printed_once(v) for k, v in value.items()}


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON values that stand one behind the other; curl ends none with a line."""
    rest = text.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        yield value
        rest = rest[end:].strip()


def test_the_first_command_says_where_it_answers_and_shows_a_token(service, port):
    assert f"Palimpsest answers at http://127.0.0.1:{port}" in service
    assert re.search(r"token +pal_[A-Za-z0-9_-]{86}\n", service)


def test_what_is_answered_is_what_is_printed(outputs):
    shown = [
        (before.text, json.loads(after.text))
        for before, after in pairwise(blocks())
        if after.language == "json" and after.is_answer
    ]

    assert shown
    for command, answer in shown:
        assert printed_once(json.loads(outputs[command])) == printed_once(answer)


def test_every_curl_line_answers_json_without_an_error(outputs):
    asked = {command: output for command, output in outputs.items() if "curl" in command}

    assert len(asked) >= 2
    for command, output in asked.items():
        answers = list(json_values(output))
        assert len(answers) == command.count("curl ")
        # One door wraps an error, the other tells in it whether to come again.
        assert not any({"error", "retryable"} & answer.keys() for answer in answers)


def test_keys_are_made_and_listed(outputs):
    (printed,) = (out for command, out in outputs.items() if "keys create" in command)

    token, _, table = printed.partition("\n")
    assert re.fullmatch(r"pal_[A-Za-z0-9_-]{86}", token)
    assert "agent:helper" in table
