import json
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from botocore.exceptions import ClientError, NoCredentialsError
from click.testing import CliRunner, Result
from palimpsest.domain.api_keys import ApiKey, token_from_text
from palimpsest.domain.callers import CallerKind, OrgAccess, OrgGrant, ProjectAccess, ProjectGrant
from palimpsest.domain.client_envs import ClientEnv
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError
from palimpsest.use_cases.create_key import CreateKey
from palimpsest.use_cases.list_keys import ListKeys
from palimpsest.use_cases.revoke_key import RevokeKey
from palimpsest_cli.commands import cli
from palimpsest_cli.connection import Connection
from palimpsest_cli.failures import TargetMissingError
from palimpsest_cli.targets import Choice

from tests.builders import OTHER_TENANT, TENANT, build_caller
from tests.fakes.api_keys import FakeApiKeyRepository
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.ids import FakeIds

KEY_ID = "01890a5d-ac96-774b-bcce-000000000001"
SECRET_HASH = "5ec4e7" * 10


@dataclass
class Terminal:
    """Runs commands over keys in memory, and remembers what they connected to."""

    api_keys: FakeApiKeyRepository = field(default_factory=FakeApiKeyRepository)
    tenant_id: str | None = TENANT
    choices: list[Choice] = field(default_factory=list)
    missing: Exception | None = None

    def __call__(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, ["keys", *arguments], obj=self.connect)

    def connect(self, choice: Choice) -> Connection:
        self.choices.append(choice)
        if self.missing is not None:
            raise self.missing
        clock = FakeClock()
        return Connection(
            create_key=CreateKey(api_keys=self.api_keys, clock=clock, ids=FakeIds()),
            list_keys=ListKeys(api_keys=self.api_keys),
            revoke_key=RevokeKey(api_keys=self.api_keys, clock=clock),
            tenant_id=self.tenant_id,
        )


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def _key(**fields) -> ApiKey:
    given = {"caller": build_caller(token_id=KEY_ID), "name": "", **fields}
    return ApiKey(id=KEY_ID, secret_hash=SECRET_HASH, created_at=NOON, **given)


def test_only_the_token_goes_to_the_standard_output(terminal):
    result = terminal("create", "--kind", "user", "--id", "ana")

    assert result.exit_code == 0
    [key] = terminal.api_keys.list_all(TENANT)
    assert token_from_text(result.stdout.strip()).secret_hash == key.secret_hash
    assert "shown this once" in result.stderr
    assert result.stdout.strip() not in result.stderr


def test_every_option_reaches_the_key(terminal):
    result = terminal(
        *("create", "--kind", "agent", "--id", "bot", "--admin", "--name", "the bot"),
        *("--project", "p:write:o", "--project", "q:read", "--org", "o:admin"),
        *("--conversation", "t", "--project-limit", "p", "--tool", "destructive"),
        *("--default-scope", '{"projectId": "p"}', "--expires-at", "2126-01-01T00:00:00Z"),
        *("--client-env", "cursor"),
    )

    assert result.exit_code == 0, result.stderr
    [key] = terminal.api_keys.list_all(TENANT)
    assert (key.name, key.expires_at.year) == ("the bot", 2126)
    assert key.caller == build_caller(
        "bot",
        kind=CallerKind.AGENT,
        is_tenant_admin=True,
        projects={
            "p": ProjectGrant(project_id="p", access=ProjectAccess.WRITE, org_id="o"),
            "q": ProjectGrant(project_id="q", access=ProjectAccess.READ),
        },
        orgs=(OrgGrant(org_id="o", access=OrgAccess.ADMIN),),
        conversations=frozenset({"t"}),
        project_limit="p",
        default_scope={"projectId": "p"},
        tools=frozenset({"destructive"}),
        token_id=key.id,
        client_env=ClientEnv.CURSOR,
    )


def test_a_new_key_as_json_is_one_document_with_its_token(terminal):
    result = terminal("create", "--kind", "user", "--id", "ana", "--project", "p:read", "--json")

    document = json.loads(result.stdout)
    [key] = terminal.api_keys.list_all(TENANT)
    assert token_from_text(document["token"]).key_id == key.id
    assert document["key"] == {
        "id": key.id,
        "status": "active",
        "tenantId": TENANT,
        "caller": "user:ana",
        "role": "member",
        "projects": [{"projectId": "p", "access": "read"}],
        "createdAt": "2026-05-01T12:00:00.000Z",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--kind", "user"),
        ("--kind", "robot", "--id", "x"),
        ("--kind", "user", "--id", " "),
        ("--kind", "user", "--id", "\udcff"),
        ("--kind", "user", "--id", "x", "--project", "p"),
        ("--kind", "user", "--id", "x", "--tool", "fly"),
        ("--kind", "user", "--id", "x", "--client-env", "toaster"),
        ("--kind", "user", "--id", "x", "--tenant", "acme"),
        ("--kind", "user", "--id", "x", "--expires-in", "soon"),
        ("--kind", "user", "--id", "x", "--expires-at", "2020-01-01T00:00:00Z"),
        ("--kind", "user", "--id", "x", "--default-scope", "{"),
        ("--kind", "user", "--id", "x", "--default-scope", "[]"),
        ("--kind", "user", "--id", "x", "--default-scope", '{"projectId": "p"}'),
        ("--kind", "user", "--id", "x", "--project-limit", ""),
        ("--kind", "user", "--id", "x", "--region", "eu-central-1"),
        ("--kind", "user", "--id", "x", "--data", "d", "--stack", "s"),
    ],
)
def test_wrong_arguments_make_no_key_and_end_with_two(terminal, arguments):
    result = terminal("create", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr
    assert terminal.api_keys.list_all(TENANT) == []


def test_a_list_shows_no_secret(terminal):
    terminal.api_keys.add(_key(name="the [red]importer[/red] \x1b[2J"))

    results = [terminal("list"), terminal("list", "--json")]

    assert [result.exit_code for result in results] == [0, 0]
    for result in results:
        assert KEY_ID in result.stdout
        assert SECRET_HASH not in result.stdout
        assert "\x1b" not in result.stdout
        assert "the [red]importer[/red]" in result.stdout


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, "active"),
        ({"revoked_at": NOON}, "revoked"),
        ({"expires_at": NOON}, "expired"),
        ({"expires_at": NOON, "revoked_at": NOON}, "revoked"),
        ({"expires_at": NOON + timedelta(days=36_500)}, "active"),
    ],
)
def test_a_list_tells_what_a_key_still_is(terminal, fields, status):
    terminal.api_keys.add(_key(**fields))

    assert status in terminal("list").stdout
    assert json.loads(terminal("list", "--json").stdout)[0]["status"] == status


def test_a_list_counts_grants(terminal):
    caller = replace(
        build_caller(reads=("p", "q"), conversations=frozenset({"t"})), project_limit="p"
    )
    terminal.api_keys.add(_key(caller=caller))

    assert "only project p, 2 projects, 1 conversation" in terminal("list").stdout


def test_an_empty_list_says_so_beside_the_output(terminal):
    assert terminal("list").stdout == ""
    assert json.loads(terminal("list", "--json").stdout) == []


def test_a_list_is_of_the_tenant_that_was_named(terminal):
    terminal.api_keys.add(_key())

    result = terminal("list", "--json", "--tenant", OTHER_TENANT.upper())

    assert json.loads(result.stdout) == []


def test_a_revoked_key_is_revoked_again_without_complaint(terminal):
    terminal.api_keys.add(_key())

    results = [terminal("revoke", KEY_ID), terminal("revoke", KEY_ID.upper())]

    assert [result.exit_code for result in results] == [0, 0]
    assert f"Revoked {KEY_ID} of user:ana." in results[0].stderr
    assert terminal.api_keys.find(TENANT, KEY_ID).revoked_at == NOON


def test_revoking_an_unknown_key_ends_with_three(terminal):
    result = terminal("revoke", "nothing")

    assert (result.exit_code, result.stderr) == (3, "Error: This tenant has no such key.\n")


def test_nothing_to_work_against_ends_with_three(terminal):
    terminal.missing = TargetMissingError("No service runs here.")

    result = terminal("list")

    assert (result.exit_code, result.stderr) == (3, "Error: No service runs here.\n")


@pytest.mark.parametrize("error", [StoreUnavailableError("Busy."), StoreFailedError("Refused.")])
def test_a_store_that_refuses_ends_with_four(terminal, error):
    terminal.api_keys.faults.fail_next(error)

    result = terminal("list")

    assert (result.exit_code, result.stderr) == (4, f"Error: {error}\n")


def test_what_aws_said_to_the_store_is_told(terminal):
    refused = StoreFailedError("The store refused.")
    refused.__cause__ = NoCredentialsError()
    terminal.api_keys.faults.fail_next(refused)

    result = terminal("list")

    assert result.stderr == "Error: The store refused. AWS: Unable to locate credentials\n"


def test_what_aws_said_about_the_stack_is_told(terminal):
    terminal.missing = ClientError({"Error": {"Code": "AccessDenied"}}, "DescribeStacks")

    result = terminal("list", "--stack", "s")

    assert result.exit_code == 4
    assert "AccessDenied" in result.stderr


def test_the_choice_of_target_is_passed_on(terminal):
    terminal("list", "--stack", "s", "--region", "eu-central-1", "--profile", "p")

    assert terminal.choices == [Choice(stack="s", region="eu-central-1", profile="p")]


def test_a_stack_needs_a_tenant(terminal):
    terminal.tenant_id = None

    result = terminal("list", "--stack", "s")

    assert result.exit_code == 2
    assert "--tenant is needed with --stack" in result.stderr
