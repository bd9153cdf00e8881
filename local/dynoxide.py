"""dynoxide as a child of this process: DynamoDB on 127.0.0.1 over one SQLite file.

with running_dynoxide(folder, binary=find_binary(os.environ, say=print)) as engine:
    client = boto3.client("dynamodb", endpoint_url=engine.endpoint, **FAKE_CREDENTIALS)
    create_tables(client, template.tables())
"""

import http.client
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from local.processes import ProcessMark, start_child

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

HOST = "127.0.0.1"
DATABASE_NAME = "dynamodb.sqlite"
LOG_NAME = "dynoxide.log"
START_PATIENCE_SECONDS = 20
STOP_PATIENCE_SECONDS = 10
POLL_SECONDS = 0.01
# Between asking for a free port and binding it, somebody else may take it.
PORT_ATTEMPTS = 5
REGION = "us-east-1"
# dynoxide takes any; boto3 refuses to work without.
FAKE_CREDENTIAL = "laptop"
# With a stream on, each write looks for the highest sequence number of its table without an
# index, and so slows by 1 ms for each 1,000 records (dynoxide 1.2.1 and 3.2.0). With this, flat.
SEQUENCE_INDEX = """
CREATE INDEX IF NOT EXISTS palimpsest_stream_sequence
ON _stream_records(table_name, CAST(sequence_number AS INTEGER))
"""


class DynoxideFailedError(RuntimeError):
    """The engine did not start, or ended on its way; the message ends with its own words."""


@dataclass(frozen=True)
class Engine:
    """An engine that answers.

    Args:
        endpoint: For `AWS_ENDPOINT_URL_DYNAMODB`.
        database: Its SQLite file, with its whole path, as on its command line.
        mark: Its process.
    """

    endpoint: str
    database: Path
    mark: ProcessMark


def dynamodb_client(endpoint: str) -> "DynamoDBClient":
    """Return a client for an engine that asks for no credentials."""
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id=FAKE_CREDENTIAL,
        aws_secret_access_key=FAKE_CREDENTIAL,
        # No proxy of the shell's stands between two processes of one machine.
        config=Config(proxies={}),
    )


@contextmanager
def running_dynoxide(
    folder: Path, *, binary: Path, keep_open: Sequence[int] = ()
) -> Iterator[Engine]:
    """Run the engine over the data in `folder` while the block runs.

    What was answered is on disk: the next start over the same folder finds it, also after a
    `kill -9`. One engine a folder; who calls this sees to it.

    Args:
        folder: Holds its file and its log; must exist.
        binary: The program.
        keep_open: File descriptors that the engine inherits, for a lock that lives as long as it.

    Raises:
        DynoxideFailedError: if it does not answer in `START_PATIENCE_SECONDS`.
    """
    database = folder.resolve() / DATABASE_NAME
    if not database.exists():
        # The index must be there before the engine starts; the first start makes its tables.
        with _started(database, binary, keep_open):
            pass
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(SEQUENCE_INDEX)
    with _started(database, binary, keep_open) as engine:
        yield engine


@contextmanager
def _started(database: Path, binary: Path, keep_open: Sequence[int]) -> Iterator[Engine]:
    log = database.with_name(LOG_NAME)
    for attempt in range(PORT_ATTEMPTS):
        port = _free_port()
        command = [str(binary), "--db-path", str(database), "--host", HOST, "--port", str(port)]
        child = start_child(command, log=log, keep_open=keep_open)
        try:
            if _answers(child, port):
                yield Engine(f"http://{HOST}:{port}", database, ProcessMark.of(child.pid))
                return
            if child.poll() is None or attempt == PORT_ATTEMPTS - 1:
                raise DynoxideFailedError(f"dynoxide does not answer:\n{_last_words(log)}")
        finally:
            _stop(child)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _answers(child: "subprocess.Popen[bytes]", port: int) -> bool:
    deadline = time.monotonic() + START_PATIENCE_SECONDS
    while child.poll() is None and time.monotonic() < deadline:
        with closing(http.client.HTTPConnection(HOST, port, timeout=1)) as connection:
            try:
                connection.request("GET", "/")
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                time.sleep(POLL_SECONDS)
                continue
            # The program's own header: somebody else may have taken the port.
            if (answer.getheader("server") or "").startswith("Dynoxide"):
                return True
        time.sleep(POLL_SECONDS)
    return False


def _stop(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    try:
        child.wait(STOP_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _last_words(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:])
