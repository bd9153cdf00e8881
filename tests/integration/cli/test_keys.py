"""The command line as a person starts it: another process, a real table, no double in between."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from palimpsest.adapters.dynamodb.api_keys import DynamoDBApiKeyRepository
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.domain.errors import TokenRevokedError
from palimpsest.use_cases.authenticate import Authenticate

from local.data_folder import write_file, write_json
from local.dynoxide import Engine, dynamodb_client
from local.tables import create_tables
from local.template import Template
from tests.builders import TENANT

ROOT = Path(__file__).parents[3]

STACK = """<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>
<member><StackName>memory</StackName><CreationTime>2026-05-01T12:00:00Z</CreationTime>
<StackStatus>CREATE_COMPLETE</StackStatus><Outputs><member><OutputKey>StateTableName</OutputKey>
<OutputValue>StateTable</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>"""


@pytest.fixture(scope="module")
def client(dynoxide: Engine):
    client = dynamodb_client(dynoxide.endpoint)
    tables = Template.read(ROOT / "template.yaml").tables()
    create_tables(client, [table for table in tables if table.logical_id == "StateTable"])
    yield client
    client.delete_table(TableName="StateTable")


@pytest.fixture
def data(client, dynoxide: Engine, tmp_path: Path) -> Path:
    """What `make run` leaves while it runs."""
    write_file(tmp_path / "tenant", f"{TENANT}\n")
    write_json(tmp_path / "engines.json", {"dynamodb": {"endpoint": dynoxide.endpoint}})
    return tmp_path


@pytest.fixture
def cloudformation() -> Iterator[str]:
    """An address that describes one stack, as AWS does."""

    class Described(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/xml")
            self.end_headers()
            self.wfile.write(STACK.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing on the tests' terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Described) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def palimpsest(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "bin/palimpsest", "keys", *arguments],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_key_is_made_used_listed_and_revoked(client, data):
    folder = ("--data", str(data))

    created = palimpsest("create", *folder, "--kind", "user", "--id", "ana", "--project", "p:write")

    assert created.returncode == 0, created.stderr
    token = created.stdout.strip()
    authenticate = Authenticate(
        api_keys=DynamoDBApiKeyRepository(client, state_table="StateTable"), clock=SystemClock()
    )
    caller = authenticate(token)
    assert (caller.tenant_id, caller.name, list(caller.projects)) == (TENANT, "user:ana", ["p"])
    listed = palimpsest("list", *folder, "--json")
    assert caller.token_id in [key["id"] for key in json.loads(listed.stdout)]
    assert palimpsest("revoke", *folder, str(caller.token_id)).returncode == 0
    with pytest.raises(TokenRevokedError):
        authenticate(token)


def test_a_stack_in_aws_is_found_by_its_name(client, dynoxide, cloudformation):
    account = {
        "AWS_ENDPOINT_URL_CLOUDFORMATION": cloudformation,
        "AWS_ENDPOINT_URL_DYNAMODB": dynoxide.endpoint,
        "AWS_ACCESS_KEY_ID": "laptop",
        "AWS_SECRET_ACCESS_KEY": "laptop",
        "AWS_CONFIG_FILE": os.devnull,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
    stack = ("--stack", "memory", "--region", "us-east-1", "--tenant", TENANT)

    created = palimpsest(
        "create", *stack, "--kind", "service", "--id", "importer", "--json", **account
    )

    assert created.returncode == 0, created.stderr
    key = json.loads(created.stdout)["key"]
    assert (key["tenantId"], key["caller"]) == (TENANT, "service:importer")
    assert key in json.loads(palimpsest("list", *stack, "--json", **account).stdout)


def test_an_engine_that_died_is_told_in_a_sentence(tmp_path):
    write_file(tmp_path / "tenant", f"{TENANT}\n")
    write_json(tmp_path / "engines.json", {"dynamodb": {"endpoint": "http://127.0.0.1:9"}})

    result = palimpsest("list", "--data", str(tmp_path))

    assert result.returncode == 4
    assert result.stderr.startswith("Error: The store is busy or did not answer in time.")
    assert "Traceback" not in result.stderr


def test_a_folder_without_a_service_is_told_in_a_sentence(tmp_path):
    result = palimpsest("list", "--data", str(tmp_path))

    assert result.returncode == 3
    assert result.stderr.startswith(f"Error: No service runs over {tmp_path}")
