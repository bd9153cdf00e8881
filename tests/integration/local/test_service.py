import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from local.dynoxide import running_dynoxide
from local.dynoxide_binary import find_binary
from local.processes import ProcessMark
from tests.laptop import failed_start, running_laptop
from tests.polling import wait_until

SMALL = ("-m", "tests.integration.local.program", "0")


def service(data, **environ):
    return running_laptop(data, command=SMALL, **environ)


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def refused_start(data, port=0):
    return failed_start(data, command=(*SMALL[:-1], str(port)))


def test_it_serves_keeps_and_finds_again(data):
    with service(data) as first:
        put = first.client.put("/things/a%20b", json={"a": "🦜"})
        code = first.stop()
    with service(data) as second:
        found = second.client.get("/things/a%20b")
        missing = second.client.get("/things/c")
        second.stop()

    assert (put.status_code, found.status_code, missing.status_code) == (201, 200, 404)
    assert found.json() == {"a": "🦜"}
    assert code == 0
    assert first.run["tenantId"] == second.run["tenantId"]
    said = first.log.read_text()
    assert said.index("Tables made: ThingsTable") < said.index("Tables: found again")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_its_children_and_its_run_file(data, number):
    with service(data) as running:
        engine = running.engine

        code = running.stop(number)

    assert code == 0
    assert not engine.is_running()
    assert not (data / "run.json").exists()
    assert not (data / "engines.json").exists()
    assert "Stopped." in running.log.read_text()
    assert "Traceback" not in running.log.read_text()


def test_a_request_under_way_is_answered_before_it_ends(data):
    with service(data) as running, ThreadPoolExecutor() as pool:
        slow = pool.submit(httpx.get, f"{running.run['url']}/slow", timeout=20)
        wait_until(lambda: connections(running) >= 1, "the request is under way")
        running.stop()

        assert slow.result().status_code == 200


def connections(running):
    """Return how many connections to the service stand, by Linux's own table."""
    port = int(running.run["url"].rsplit(":", 1)[1])
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    established = (line.split()[1] for line in lines if line.split()[3] == "01")
    return sum(address.endswith(f":{port:04X}") for address in established)


def test_after_a_kill_the_next_start_cleans_up_and_every_answered_write_is_there(data):
    with service(data) as first, ThreadPoolExecutor(8) as pool:
        answered = []

        def write(number):
            try:
                if first.client.put(f"/things/{number}", json=number).status_code == 201:
                    answered.append(number)
            except httpx.TransportError:
                return

        writes = [pool.submit(write, number) for number in range(500)]
        wait_until(lambda: len(answered) >= 50, "some writes are answered")
        first.process.kill()
        for task in writes:
            task.result()
        engine = first.engine

    assert (data / "run.json").exists()
    with service(data) as second:
        lost = [n for n in answered if second.client.get(f"/things/{n}").json() != n]
        new_engine = second.engine
        second.stop()

    assert 50 <= len(answered) < 500
    assert not lost
    assert new_engine != engine
    assert not engine.is_running()
    assert second.run["url"] != first.run["url"]


def test_a_left_over_engine_is_ended_by_the_next_start(data):
    binary = find_binary(os.environ, say=print)
    data.mkdir(mode=0o700)
    (data / "lock").touch()
    with running_dynoxide(data, binary=binary) as left:
        document = {
            "pid": left.mark.pid,
            "started": left.mark.started,
            "endpoint": left.endpoint,
            "data": str(left.database),
        }
        (data / "engines.json").write_text(json.dumps({"dynamodb": document}))

        with service(data) as running:
            gone = not left.mark.is_running()
            running.stop()

    assert gone
    assert f"Ending dynamodb (process {left.mark.pid})" in running.log.read_text()


@pytest.mark.parametrize("wrong", ["started", "data"])
def test_a_process_that_is_not_surely_ours_is_left_alone(data, wrong):
    data.mkdir(mode=0o700)
    (data / "lock").touch()
    database = str(data / "dynamodb.sqlite")
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", database])
    try:
        mark = ProcessMark.of(stranger.pid)
        document = {"pid": mark.pid, "started": mark.started, "data": database, "endpoint": "x"}
        document[wrong] = "another"
        (data / "engines.json").write_text(json.dumps({"dynamodb": document}))

        with service(data) as running:
            running.stop()

        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_second_service_over_one_folder_is_refused_and_disturbs_nothing(data):
    with service(data) as running:
        second = refused_start(data)

        assert second.returncode == 1
        assert f"is in use by process {running.process.pid}" in second.stderr
        assert running.client.get("/x").status_code == 200
        assert running.engine.is_running()
        assert (data / "run.json").exists()


def test_a_port_in_use_is_said_and_nothing_is_started(data):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        refused = refused_start(data, port)

    assert refused.returncode == 1
    assert f"port {port} cannot be used" in refused.stderr
    assert not (data / "dynamodb.sqlite").exists()


def test_a_folder_with_other_files_is_refused_and_left_as_it_was(tmp_path):
    (tmp_path / "diary.txt").touch()
    tmp_path.chmod(0o755)

    refused = refused_start(tmp_path)

    assert refused.returncode == 1
    assert "holds other files" in refused.stderr
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_nobody_else_can_read_what_is_kept(data):
    with service(data) as running:
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data.iterdir()}
        folder_mode = stat.S_IMODE(data.stat().st_mode)
        run = running.run
        keys = {n: json.loads((data / n).read_text()) for n in modes if n.endswith("-keys.json")}
        running.stop()

    assert folder_mode == 0o700
    assert set(modes.values()) == {0o600}
    assert {"run.json", "engines.json", "dynamodb.sqlite", "tenant", "lock"} <= set(modes)
    assert set(run) == {"url", "token", "tenantId"}
    assert re.fullmatch(r"[0-9a-f-]{36}", run["tenantId"])
    assert set(keys) == {"cursor-keys.json", "ledger-keys.json"}
    for document in keys.values():
        (key,) = document["keys"]
        assert re.fullmatch(r"[A-Za-z0-9_-]{43}", key)


def test_keys_are_made_once(data):
    with service(data) as first:
        before = {p.name: p.read_text() for p in data.glob("*-keys.json")}
        first.stop()
    with service(data) as second:
        after = {p.name: p.read_text() for p in data.glob("*-keys.json")}
        second.stop()

    assert before == after


def test_the_functions_find_their_names_and_not_the_shells(data):
    with service(data, AWS_PROFILE="mine", HTTP_PROXY="http://127.0.0.1:9") as running:
        environ = running.client.get("/x").json()["environ"]
        put = running.client.put("/things/a", json=1)
        running.stop()

    assert environ["CURSOR_KEYS_URI"] == f"file:{data}/cursor-keys.json"
    assert environ["LEDGER_KEYS_URI"] == f"file:{data}/ledger-keys.json"
    assert environ["AWS_ENDPOINT_URL_DYNAMODB"].startswith("http://127.0.0.1:")
    assert environ["AWS_PROFILE"] is None
    assert put.status_code == 201


def test_a_database_that_is_given_is_used_and_left_running(data, tmp_path):
    binary = find_binary(os.environ, say=print)
    with running_dynoxide(tmp_path, binary=binary) as given:
        with service(data, DYNAMODB_ENDPOINT=given.endpoint) as running:
            environ = running.client.get("/x").json()["environ"]
            put = running.client.put("/things/a", json=1)
            running.stop()
        still_runs = given.mark.is_running()

    assert environ["AWS_ENDPOINT_URL_DYNAMODB"] == given.endpoint
    assert put.status_code == 201
    assert not (data / "dynamodb.sqlite").exists()
    assert still_runs


def test_the_printed_lines_work(data):
    with service(data) as running:
        wait_until(lambda: "no password" in running.log.read_text(), "the lines are printed")
        lines = [line for line in running.log.read_text().splitlines() if "curl -s" in line]
        answers = [
            json.loads(subprocess.run(shlex.split(line), capture_output=True, check=True).stdout)
            for line in lines
        ]
        running.stop()

    post, get = (answer["event"] for answer in answers)
    assert post["requestContext"]["http"]["method"] == "POST"
    assert json.loads(post["body"])["scope"]["tenantId"] == running.run["tenantId"]
    assert post["headers"]["authorization"] == "Bearer pal_invented"
    assert get["rawPath"] == "/v1/memory/facts"


def test_http_as_it_really_is_on_the_wire(data):
    with service(data) as running:
        chunked = running.client.post("/x", content=iter([b"a", b"b"]))
        head = running.client.head("/x?a=1")
        options = running.client.options("/x")
        wrong_host = running.client.get("/x", headers={"host": "evil.example"})
        raw = raw_request(running, b"GET //a/%E4%B8%96;b=c?q=%F0%9F%A6%9C+1&q= HTTP/1.1")
        absolute = raw_request(running, b"GET http://localhost/a/b?c=d HTTP/1.1")
        running.stop()

    assert absolute["event"]["rawPath"] == "/a/b"
    assert absolute["event"]["rawQueryString"] == "c=d"
    assert chunked.json()["event"]["body"] == "YWI="
    assert chunked.json()["event"]["headers"]["content-length"] == "2"
    assert (head.status_code, head.content) == (200, b"")
    assert options.json()["event"]["requestContext"]["http"]["method"] == "OPTIONS"
    assert wrong_host.status_code == 421
    event = raw["event"]
    assert event["rawPath"] == "//a/世;b=c"
    assert event["rawQueryString"] == "q=%F0%9F%A6%9C+1&q="
    assert event["queryStringParameters"] == {"q": "🦜 1,"}


def test_an_answer_does_not_wait_for_the_clients_acknowledgement(data):
    with service(data) as running:
        waits = [running.client.get("/x").elapsed.total_seconds() for _ in range(20)]
        running.stop()

    # Nagle's algorithm against a delayed acknowledgement is 40 ms each time on Linux.
    assert min(waits) < 0.03


def raw_request(running, first_line):
    host, port = running.run["url"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        head = f"\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
        connection.sendall(first_line + head.encode())
        with connection.makefile("rb") as answer:
            return json.loads(answer.read().partition(b"\r\n\r\n")[2])
