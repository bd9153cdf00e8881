"""What the commands work against: the service on this machine, or a stack in AWS."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from local.data_folder import DataFolder
from local.engines import ENDPOINT_VARIABLE
from local.environment import engine_environment, search_environment
from palimpsest_cli.failures import TargetMissingError

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient

DEFAULT_DATA = Path(".palimpsest")
STATE_TABLE = "STATE_TABLE_NAME"
STATE_TABLE_OUTPUT = "StateTableName"
# The stack's outputs that tell what the builders read from their environment.
OUTPUTS = {
    STATE_TABLE_OUTPUT: STATE_TABLE,
    "FactsTableName": "FACTS_TABLE_NAME",
    "IndexUri": "INDEX_URI",
    "EmbeddingsUri": "EMBEDDINGS_URI",
}
# The laptop's tables have the template's logical ids for names.
LAPTOP_TABLES = {STATE_TABLE: "StateTable", "FACTS_TABLE_NAME": "FactsTable"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What somebody chose on the command line.

    Attributes:
        data: A laptop's data folder; None when not given.
        stack: A CloudFormation stack's name; None when not given.
        region: Of the stack; None for the profile's.
        profile: Of the AWS configuration; None for the default one.
    """

    data: Path | None = None
    stack: str | None = None
    region: str | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where keys are.

    Attributes:
        environ: The whole environment under which boto3 and the builders find the table.
        tenant_id: Whose keys are meant when nobody says; None where there is no such thing.
    """

    environ: Mapping[str, str]
    tenant_id: str | None = None


def laptop_target(data: Path, environ: Mapping[str, str]) -> Target:
    """Return the service that runs over a data folder.

    Raises:
        TargetMissingError: If none does.
    """
    folder = DataFolder.at(data)
    given = environ.get(ENDPOINT_VARIABLE)
    try:
        tenant_id = (folder.path / "tenant").read_text("utf-8").strip()
        endpoint = given or _endpoint(folder.engines_path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TargetMissingError(
            f"No service runs over {folder.path}: start it with `make run`, or name a stack with --stack."
        ) from error
    found = engine_environment(environ, endpoint, is_ours=given is None)
    return Target(
        environ={**found, **LAPTOP_TABLES, **search_environment(folder)}, tenant_id=tenant_id
    )


def stack_environment(choice: Choice, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment under which boto3 speaks to the stack's account and region."""
    chosen = {
        "AWS_PROFILE": choice.profile,
        "AWS_REGION": choice.region,
        "AWS_DEFAULT_REGION": choice.region,  # the only one of the two that boto3 reads
    }
    return {**environ, **{name: value for name, value in chosen.items() if value is not None}}


def outputs_of(client: "CloudFormationClient", stack: str) -> dict[str, str]:
    """Return what a stack tells of itself, by the names of the variables. Needs ``cloudformation:DescribeStacks``.

    Raises:
        TargetMissingError: If there is no such stack, or it is not one of ours.
        BotoCoreError, ClientError: If AWS cannot be asked.
    """
    try:
        described = client.describe_stacks(StackName=stack)["Stacks"][0]
    except ClientError as error:
        # CloudFormation's answer for an unknown stack; a name that is no name has the same code.
        if error.response.get("Error", {}).get("Code") == "ValidationError":
            raise TargetMissingError(
                f"There is no stack {stack} in {client.meta.region_name}."
            ) from error
        raise
    told = {o.get("OutputKey", ""): o.get("OutputValue", "") for o in described.get("Outputs", [])}
    if not told.get(STATE_TABLE_OUTPUT):
        raise TargetMissingError(
            f"The stack {stack} has no output {STATE_TABLE_OUTPUT}: it is no Palimpsest."
        )
    return {variable: told[name] for name, variable in OUTPUTS.items() if told.get(name)}


def _endpoint(engines_path: Path) -> str:
    return str(json.loads(engines_path.read_text("utf-8"))["dynamodb"]["endpoint"])
