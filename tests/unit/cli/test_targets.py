import json
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber
from palimpsest_cli.failures import TargetMissingError
from palimpsest_cli.targets import Choice, laptop_target, outputs_of, stack_environment

from tests.builders import TENANT

ENDPOINT = "http://127.0.0.1:1"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of a running service."""
    (tmp_path / "tenant").write_text(f"{TENANT}\n")
    (tmp_path / "engines.json").write_text(json.dumps({"dynamodb": {"endpoint": ENDPOINT}}))
    return tmp_path


def test_a_running_service_is_found_by_its_folder(data):
    target = laptop_target(data, {"PATH": "/bin"})

    assert target.tenant_id == TENANT
    assert target.environ["AWS_ENDPOINT_URL_DYNAMODB"] == ENDPOINT
    assert target.environ["STATE_TABLE_NAME"] == "StateTable"
    assert target.environ["FACTS_TABLE_NAME"] == "FactsTable"
    assert target.environ["INDEX_URI"] == f"sqlite:{data}/index.sqlite"
    assert target.environ["PATH"] == "/bin"


def test_the_shells_aws_account_does_not_reach_the_laptop(data):
    target = laptop_target(data, {"AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "s"})

    assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN"} & target.environ.keys()


def test_a_database_that_was_given_is_used(data):
    (data / "engines.json").unlink()

    target = laptop_target(data, {"DYNAMODB_ENDPOINT": "http://127.0.0.1:2"})

    assert target.environ["AWS_ENDPOINT_URL_DYNAMODB"] == "http://127.0.0.1:2"


@pytest.mark.parametrize("left", [None, "", "{}", "[]", '{"dynamodb": 7}'])
def test_a_folder_over_which_nothing_runs_is_told(data, left):
    (data / "engines.json").unlink()
    if left is not None:
        (data / "engines.json").write_text(left)

    with pytest.raises(TargetMissingError, match="No service runs over"):
        laptop_target(data, {})


def test_a_folder_that_is_not_there_is_told_and_not_made(tmp_path):
    with pytest.raises(TargetMissingError, match="No service runs over"):
        laptop_target(tmp_path / "absent", {"DYNAMODB_ENDPOINT": ENDPOINT})

    assert not (tmp_path / "absent").exists()


def test_a_stacks_account_is_the_shells_but_for_what_was_chosen():
    shell = {"PATH": "/bin", "AWS_PROFILE": "home", "AWS_REGION": "us-east-1"}

    assert stack_environment(Choice(stack="s"), shell) == shell
    assert stack_environment(Choice(stack="s", region="r", profile="work"), shell) == {
        "PATH": "/bin",
        "AWS_PROFILE": "work",
        "AWS_REGION": "r",
        "AWS_DEFAULT_REGION": "r",
    }


@pytest.fixture
def cloudformation():
    return boto3.client(
        "cloudformation",
        region_name="eu-central-1",
        aws_access_key_id="invented",
        aws_secret_access_key="invented",
    )


def _described(outputs: list[dict[str, str]]) -> dict[str, object]:
    stack = {
        "StackName": "s",
        "CreationTime": "2026-05-01T12:00:00Z",
        "StackStatus": "CREATE_COMPLETE",
        "Outputs": outputs,
    }
    return {"Stacks": [stack]}


def test_a_stack_tells_its_tables_and_its_index(cloudformation):
    outputs = [
        {"OutputKey": "ApiUrl", "OutputValue": "u"},
        {"OutputKey": "StateTableName", "OutputValue": "s-StateTable-1"},
        {"OutputKey": "IndexUri", "OutputValue": "opensearch:http://search"},
    ]

    with Stubber(cloudformation) as stubber:
        stubber.add_response("describe_stacks", _described(outputs), {"StackName": "s"})

        assert outputs_of(cloudformation, "s") == {
            "STATE_TABLE_NAME": "s-StateTable-1",
            "INDEX_URI": "opensearch:http://search",
        }


def test_a_stack_of_something_else_is_told(cloudformation):
    with Stubber(cloudformation) as stubber:
        stubber.add_response("describe_stacks", _described([]))

        with pytest.raises(TargetMissingError, match="no output StateTableName"):
            outputs_of(cloudformation, "s")


def test_an_unknown_stack_is_told_with_its_region(cloudformation):
    with Stubber(cloudformation) as stubber:
        stubber.add_client_error("describe_stacks", "ValidationError")

        with pytest.raises(TargetMissingError, match=r"no stack s in eu-central-1"):
            outputs_of(cloudformation, "s")


def test_a_missing_right_is_not_a_missing_stack(cloudformation):
    with Stubber(cloudformation) as stubber:
        stubber.add_client_error("describe_stacks", "AccessDenied")

        with pytest.raises(ClientError):
            outputs_of(cloudformation, "s")
