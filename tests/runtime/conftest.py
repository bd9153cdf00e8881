import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from local.dynoxide import FAKE_CREDENTIAL, REGION, Engine, dynamodb_client
from local.tables import create_tables
from tests.events import (
    event_files,
    event_name,
    function_of,
    placeholders_of,
    read_event,
    read_expectations,
)
from tests.runtime.answers import Answered
from tests.runtime.emulator import LAYER, BuiltFunction, running_function
from tests.runtime.rights import Right, Watched, watching
from tests.runtime.tenants import build_tokens
from tests.template import read_deployed_template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

STATE_TABLE = "StateTable"
WRITER = "WriteFactsFunction"
ATOM_WRITER = "WriteMemoryFunction"
# Events of these answer with the only fact of their tenant, and so need one.
LISTS = ("list_facts/", "retrieve_facts/")
# Events of this one answer with the only atom.
ATOM_READS = "read_memory/"
# As `palimpsest.adapters.sqs.lessons` writes it.
LESSON = (
    '[{"eventId":"write:1","scope":{"tenantId":"01890a5d-ac96-774b-bcce-b302099a8057","userId":"ana"},'
    '"concepts":["honeycomb","rain"],"amount":0.3,"outcome":null,"at":"2026-05-01T12:00:00.000Z"}]'
)
started_in = pytest.StashKey[dict[str, float]]()


@pytest.fixture(scope="session")
def database(dynoxide: Engine) -> "DynamoDBClient":
    """The template's tables in a DynamoDB of this machine."""
    client = dynamodb_client(dynoxide.endpoint)
    create_tables(client, read_deployed_template().tables())
    return client


@pytest.fixture(scope="session")
def ways(dynoxide: Engine, database: "DynamoDBClient") -> Iterator[dict[str, Watched]]:
    """A watched way to the tables for every function, by its logical id."""
    with ExitStack() as stack:
        yield {
            definition.logical_id: stack.enter_context(watching(dynoxide.endpoint))
            for definition in read_deployed_template().functions()
        }


@pytest.fixture(scope="session")
def functions(
    ways: dict[str, Watched],
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[dict[str, BuiltFunction]]:
    """Every built function, by its logical id."""
    folder = tmp_path_factory.mktemp("functions")
    keys = folder / "keys.json"
    keys.write_text(json.dumps({"key": secrets.token_urlsafe(48)}))
    overrides = {
        "CURSOR_KEYS_URI": f"file:{keys}",
        "LEDGER_KEYS_URI": f"file:{keys}",
        # The layer alone: no search engine, no model.
        "INDEX_URI": "none",
        "EMBEDDINGS_URI": "none",
        "RECHECKS_URI": "none",
    }
    account = {
        "AWS_ACCESS_KEY_ID": FAKE_CREDENTIAL,
        "AWS_SECRET_ACCESS_KEY": FAKE_CREDENTIAL,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
    }
    template = read_deployed_template()
    with ExitStack() as stack:
        running = {}
        for definition in template.functions():
            way = {"AWS_ENDPOINT_URL_DYNAMODB": ways[definition.logical_id].endpoint}
            environment = template.environment(definition, overrides) | account | way
            function = running_function(definition, environment, folder)
            running[definition.logical_id] = stack.enter_context(function)
        yield running
        times = {name: function.start_milliseconds for name, function in running.items()}
        pytestconfig.stash[started_in] = {name: t for name, t in times.items() if t is not None}


@pytest.fixture(scope="session")
def answers(functions: dict[str, BuiltFunction], database: "DynamoDBClient") -> dict[str, Answered]:
    """What every event in `events/` is answered with, each in a tenant of its own."""
    expectations = read_expectations()
    given = {}
    for name in map(event_name, event_files()):
        values = build_tokens(database, STATE_TABLE)
        wanted = placeholders_of(name)
        if wanted & {"FACT_ID", "THEN"} or name.startswith(LISTS):
            values |= _written_fact(functions[WRITER], values)
        if "THEN" in wanted:
            _supersede(functions[WRITER], values)
        if "ATOM_ID" in wanted or name.startswith(ATOM_READS):
            values |= _written_atom(functions[ATOM_WRITER], values)
        function = functions[function_of(name)]
        answer = function.invoke(read_event(name, values))
        given[name] = Answered(answer, expectations[name], values, function)
    return given


@pytest.fixture(scope="session")
def lesson_answers(functions: dict[str, BuiltFunction]) -> list[Any]:
    """What a message with a lesson is answered with, twice, and one that nobody here wrote."""
    good = {"messageId": "m1", "eventSource": "aws:sqs", "body": LESSON}
    bad = {**good, "messageId": "m2", "body": "{}"}
    grower = functions["GrowAssociationsFunction"]
    return [grower.invoke({"Records": records}) for records in ([good], [good], [bad])]


@pytest.fixture(scope="session")
def used_rights(
    answers: dict[str, Answered], lesson_answers: list[Any], ways: dict[str, Watched]
) -> dict[str, set[Right]]:
    """What each function asked of DynamoDB while it answered all of these."""
    return {name: set(way.rights) for name, way in ways.items()}


def _written_fact(function: BuiltFunction, values: Mapping[str, str]) -> dict[str, str]:
    answer = function.invoke(read_event("write_facts/created", values))
    assert answer.get("statusCode") == 201, (answer, function.last_words())
    fact = json.loads(answer["body"])
    return {"FACT_ID": fact["id"], "THEN": fact["createdAt"]}


def _written_atom(function: BuiltFunction, values: Mapping[str, str]) -> dict[str, str]:
    answer = function.invoke(read_event("write_memory/written", values))
    assert answer.get("statusCode") == 200, (answer, function.last_words())
    return {"ATOM_ID": json.loads(answer["body"])["atom_id"]}


def _supersede(function: BuiltFunction, values: Mapping[str, str]) -> None:
    answer = function.invoke(read_event("write_facts/superseded", values))
    assert answer.get("statusCode") == 200, (answer, function.last_words())


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print what a cold start cost here and what the layer weighs, for whoever watches them grow."""
    if started := config.stash.get(started_in, None):
        layer = sum(file.stat().st_size for file in LAYER.rglob("*") if file.is_file())
        terminalreporter.section("built functions")
        for name, milliseconds in started.items():
            terminalreporter.write_line(f"{name:<28} cold start {milliseconds:8.0f} ms")
        terminalreporter.write_line(f"{'MemoryLayer':<28} unzipped   {layer / 1_000_000:8.1f} MB")
