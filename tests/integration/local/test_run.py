"""`make run` as it is: the real template, the real functions, the real database."""

import json
import shlex
import socket
import stat
import subprocess
import uuid

import pytest

from local.run import main
from tests.laptop import failed_start, running_laptop
from tests.polling import wait_until


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def write(laptop, content):
    body = {"type": "note", "scope": {"tenantId": laptop.run["tenantId"]}, "content": content}
    return laptop.client.post("/v1/memory/facts", json=body)


def test_the_first_token_is_a_users_who_is_admin_of_a_tenant_with_a_uuid(data):
    with running_laptop(data) as laptop:
        whoami = laptop.client.get("/v1/identity/whoami").json()
        kept = (data / "token").read_text().strip()
        mode = stat.S_IMODE((data / "token").stat().st_mode)
        laptop.stop()

    assert whoami["tenantId"] == laptop.run["tenantId"] == str(uuid.UUID(whoami["tenantId"]))
    assert whoami["userId"] == "local"
    assert whoami["tenantAdmin"] is True
    assert (kept, mode) == (laptop.run["token"], 0o600)


def test_the_printed_lines_write_a_fact_and_list_it(data):
    with running_laptop(data) as laptop:
        wait_until(lambda: "no password" in laptop.log.read_text(), "the lines are printed")
        lines = [line for line in laptop.log.read_text().splitlines() if "curl -s" in line]
        written, listed = (
            json.loads(subprocess.run(shlex.split(line), capture_output=True, check=True).stdout)
            for line in lines
        )
        laptop.stop()

    assert written["content"] == "Hello, Palimpsest"
    assert listed == {"data": [written], "hasMore": False}


def test_a_second_start_finds_everything_again_after_a_kill(data):
    with running_laptop(data) as first:
        fact = write(first, "kept").json()
        first.process.kill()
        first.process.wait()
    with running_laptop(data) as second:
        found = second.client.get(f"/v1/memory/facts/{fact['id']}").json()
        second.stop()

    assert found == fact
    assert second.run["token"] == first.run["token"]
    assert second.run["tenantId"] == first.run["tenantId"]


def test_a_token_that_opens_nothing_any_more_is_replaced(data):
    with running_laptop(data) as first:
        first.stop()
    (data / "token").write_text("pal_nonsense\n")

    with running_laptop(data) as second:
        answer = second.client.get("/v1/identity/whoami")
        second.stop()

    assert answer.status_code == 200
    assert second.run["token"] not in {"pal_nonsense", first.run["token"]}


def test_without_a_token_the_answer_is_the_services_own(data):
    with running_laptop(data) as laptop:
        del laptop.client.headers["authorization"]
        missing = laptop.client.get("/v1/memory/facts")
        unknown = laptop.client.get("/nowhere")
        health = laptop.client.get("/health")
        laptop.stop()

    assert (missing.status_code, missing.json()["error"]["code"]) == (401, "auth-missing")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "not-found")
    assert health.status_code == 200


def test_a_port_in_use_ends_the_command_with_a_line_and_code_1(data):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])

        refused = failed_start(data, command=("-m", "local.run", "--port", port, "--data"))

    assert refused.returncode == 1
    assert refused.stderr.startswith(f"palimpsest: port {port} cannot be used")
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_what_is_no_port_is_refused(port, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--port", port])

    assert ended.value.code == 2
    assert "--port" in capsys.readouterr().err
