"""The official inspector (npm ``@modelcontextprotocol/inspector``) in command-line mode."""

import json

import pytest

from tests.conformance.node_programs import INSPECTOR, run_program

# Its exit codes.
GOOD, AUTH_REQUIRED, TOOL_ERROR = 0, 3, 5


@pytest.fixture
def inspect(tenant, tmp_path):
    """Return what asks the laptop through the inspector, as a caller without the grant to destroy."""
    caller = tenant.caller()

    def ask(*arguments, token=caller.token):
        headers = () if token is None else ("--header", f"Authorization: Bearer {token}")
        target = (f"{tenant.laptop.run['url']}/mcp", "--transport", "http")
        return run_program(INSPECTOR, "--cli", *target, *headers, *arguments, folder=tmp_path)

    return ask


def test_tools_are_listed_and_no_schema_is_in_error(inspect):
    done = inspect("--method", "tools/list", "--strict")

    assert done.returncode == GOOD, done.stderr
    names = {tool["name"] for tool in json.loads(done.stdout)["tools"]}
    assert "write_fact" in names
    assert "delete_fact" not in names


def test_a_tool_is_called(inspect):
    done = inspect(
        *("--method", "tools/call", "--tool-name", "write_fact"),
        *("--tool-arg", "type=note", 'content="Ana plays chess."'),
    )

    assert done.returncode == GOOD, done.stderr
    assert json.loads(done.stdout)["structuredContent"]["content"] == "Ana plays chess."


def test_a_fault_is_shown(inspect):
    done = inspect("--method", "tools/call", "--tool-name", "list_facts", "--tool-arg", "limit=0")

    assert done.returncode == TOOL_ERROR
    assert "Set limit between 1 and 100" in done.stdout


def test_without_a_token_it_says_that_one_is_needed(inspect):
    done = inspect("--method", "tools/list", token=None)

    assert done.returncode == AUTH_REQUIRED, done.stdout + done.stderr
