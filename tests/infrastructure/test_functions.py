import ast
import re
import tomllib
from typing import Any

import pytest
from palimpsest.adapters.dynamodb.associations import EVENT_KEPT
from palimpsest.adapters.opensearch import mappings
from palimpsest.adapters.secrets import secrets_manager
from palimpsest.bootstrap import settings

from local.functions import LambdaFunction
from local.template import FunctionDefinition
from tests.infrastructure.source import floor
from tests.template import (
    ROOT,
    functions_of,
    names_in,
    read_deployed_template,
    read_document,
    resources_of,
)

DOCUMENT = read_document()
TEMPLATE = read_deployed_template()
DEFINITIONS = {definition.logical_id: definition for definition in TEMPLATE.functions()}
PROPERTIES = functions_of(DOCUMENT)
# Powertools reads these itself; they are no settings of ours.
FOREIGN_PREFIX = "POWERTOOLS_"
# What a collection is reached at, only AWS knows.
KNOWN_IN_AWS = {"INDEX_URI": "aoss-nextgen:https://collection.example"}
PYTHON = "3.13"

every_function = pytest.mark.parametrize("function", DEFINITIONS.values(), ids=DEFINITIONS.keys())


def settings_of(function: FunctionDefinition) -> Any:
    return getattr(settings, function.logical_id.removesuffix("Function") + "Settings")


@every_function
def test_every_handler_exists(function: FunctionDefinition) -> None:
    assert callable(LambdaFunction.load(function).handler)


@every_function
def test_a_function_finds_its_settings_in_its_environment_and_nothing_more(
    function: FunctionDefinition,
) -> None:
    wanted = {name.upper() for name in settings_of(function).model_fields}

    assert {n for n in function.variables if not n.startswith(FOREIGN_PREFIX)} == wanted


@every_function
def test_the_environment_of_the_template_is_fit_for_the_settings(
    function: FunctionDefinition,
) -> None:
    environment = TEMPLATE.environment(function, KNOWN_IN_AWS)

    settings.read_settings(settings_of(function), environment)


@every_function
def test_every_secret_is_named_in_the_form_that_the_settings_take(
    function: FunctionDefinition,
) -> None:
    environment = TEMPLATE.environment(function, KNOWN_IN_AWS)

    uris = {name: value for name, value in environment.items() if name.endswith("_KEYS_URI")}
    assert all(uri.startswith("secretsmanager:") for uri in uris.values())


def test_the_default_parameters_bound_what_the_settings_bound() -> None:
    shards = settings.ShardSettings.model_fields
    for name in ("container_shard_count", "tenant_shard_count"):
        parameter = DOCUMENT["Parameters"][name.title().replace("_", "")]
        bounds = {type(limit).__name__: limit for limit in shards[name].metadata}
        assert parameter["MinValue"] == bounds["Ge"].ge
        assert parameter["MaxValue"] == bounds["Le"].le


def test_runtime_layer_and_tools_speak_of_one_python() -> None:
    layer = DOCUMENT["Resources"]["MemoryLayer"]["Properties"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    finder = (ROOT / ".ci" / "find-python").read_text()
    makefile = (ROOT / "layers" / "memory" / "Makefile").read_text()

    assert {function["Runtime"] for function in PROPERTIES.values()} == {f"python{PYTHON}"}
    assert layer["CompatibleRuntimes"] == [f"python{PYTHON}"]
    assert re.findall(r"^wanted=(.*)$", finder, re.MULTILINE) == [PYTHON]
    assert re.findall(r"^VERSION := (.*)$", makefile, re.MULTILINE) == [PYTHON]
    assert project["requires-python"] == ">=3.11,<3.14"


@pytest.mark.parametrize("function", PROPERTIES)
def test_a_function_has_a_log_group_of_its_own(function: str) -> None:
    groups = resources_of(DOCUMENT, "AWS::Logs::LogGroup")
    (own,) = names_in(PROPERTIES[function]["LoggingConfig"]["LogGroup"])

    assert own in groups
    others = [n for n, p in PROPERTIES.items() if p["LoggingConfig"]["LogGroup"].argument == own]
    assert others == [function]


@pytest.mark.parametrize("function", sorted({route.function for route in TEMPLATE.routes()}))
def test_a_function_ends_before_the_gateway_gives_up(function: str) -> None:
    # An HTTP API waits 30 seconds (API Gateway quotas); our own answer must come first.
    assert DEFINITIONS[function].timeout_seconds < 30


@every_function
def test_a_function_outlives_a_key_list_that_does_not_come(function: FunctionDefinition) -> None:
    waited = secrets_manager.ATTEMPTS * (
        secrets_manager.CONNECT_SECONDS + secrets_manager.READ_SECONDS
    )

    if any(name.endswith("_KEYS_URI") for name in function.variables):
        assert waited <= function.timeout_seconds - 5


def test_a_search_gives_up_before_its_function_does() -> None:
    function = DEFINITIONS["RetrieveFactsFunction"]

    # What is left is for the table, the answer and a start from cold.
    assert int(str(function.variables["SEARCH_SECONDS"])) <= function.timeout_seconds - 5


@pytest.mark.parametrize("function", [n for n, p in PROPERTIES.items() if "INDEX_URI" in str(p)])
def test_an_index_is_made_before_anybody_uses_it(function: str) -> None:
    resources = DOCUMENT["Resources"]

    # Its own function is the one that makes it.
    if resources["SearchIndex"]["Properties"]["ServiceToken"].argument != f"{function}.Arn":
        assert resources[function]["DependsOn"] == "SearchIndex"


def test_another_layout_of_the_index_calls_for_another_index() -> None:
    # CloudFormation asks for it only where a property has changed.
    assert DOCUMENT["Resources"]["SearchIndex"]["Properties"]["Layout"] == mappings.LAYOUT


@pytest.mark.parametrize(
    ("model", "is_taken"),
    [
        ("amazon.titan-embed-text-v2:0", True),
        ("cohere.embed-v4:0", True),
        ("", True),
        ("us.cohere.embed-v4:0", False),
    ],
)
def test_a_model_is_one_that_the_functions_have_a_right_to(model: str, is_taken: bool) -> None:
    pattern = DOCUMENT["Parameters"]["EmbeddingModel"]["AllowedPattern"]

    # An inference profile needs the rights to itself and to its model in each of its regions.
    assert bool(re.search(pattern, model)) is is_taken


QUEUES = {
    next(names_in(event["Properties"]["Queue"])): (function, event["Properties"])
    for function, properties in PROPERTIES.items()
    for event in properties.get("Events", {}).values()
    if event["Type"] == "SQS"
}


@pytest.mark.parametrize("queue", QUEUES)
def test_a_message_is_not_given_out_again_while_the_function_may_still_work_on_it(
    queue: str,
) -> None:
    function, _ = QUEUES[queue]
    properties = DOCUMENT["Resources"][queue]["Properties"]

    # AWS Lambda developer guide, "Using Lambda with Amazon SQS": six times the function's time-out.
    assert properties["VisibilityTimeout"] == 6 * DEFINITIONS[function].timeout_seconds


def test_a_second_look_comes_later_than_an_index_shows_its_writes() -> None:
    assert DOCUMENT["Resources"]["RecheckQueue"]["Properties"]["DelaySeconds"] >= 60


@pytest.mark.parametrize("queue", QUEUES)
def test_a_queue_is_encrypted_and_what_it_gives_up_is_kept_and_watched(queue: str) -> None:
    resources = DOCUMENT["Resources"]
    properties = resources[queue]["Properties"]
    dead = properties["RedrivePolicy"]["deadLetterTargetArn"].argument.partition(".")[0]
    alarms = resources_of(DOCUMENT, "AWS::CloudWatch::Alarm").values()
    watched = [d["Value"].argument for a in alarms for d in a["Properties"]["Dimensions"]]

    assert QUEUES[queue][1]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert properties["SqsManagedSseEnabled"] is True
    assert resources[dead]["Properties"]["SqsManagedSseEnabled"] is True
    # Two weeks, the longest that SQS keeps anything.
    assert resources[dead]["Properties"]["MessageRetentionPeriod"] == 14 * 86_400
    assert f"{dead}.QueueName" in watched


def test_the_marker_of_an_event_outlives_every_message_about_it() -> None:
    resources = DOCUMENT["Resources"]
    kept = sum(
        resources[queue]["Properties"]["MessageRetentionPeriod"]
        for queue in ("LessonQueue", "LessonFailuresQueue")
    )

    assert EVENT_KEPT.total_seconds() > kept


@pytest.mark.parametrize("function", PROPERTIES)
def test_a_function_is_traced_and_has_memory_enough_to_start_quickly(function: str) -> None:
    assert PROPERTIES[function]["Tracing"] == "Active"
    assert PROPERTIES[function]["MemorySize"] >= 512


def test_lambda_finds_the_level_of_our_lines() -> None:
    nodes = [node for source in floor("bootstrap") for node in ast.walk(source.tree)]

    made = {
        ast.unparse(n) for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == "Logger"
    }

    # Where the time is not RFC 3339, it takes every level for INFO.
    assert made == {"Logger(use_rfc3339=True)"}


@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_every_function_is_watched(metric: str) -> None:
    alarms = [
        resource["Properties"]
        for resource in resources_of(DOCUMENT, "AWS::CloudWatch::Alarm").values()
        if resource["Properties"]["MetricName"] == metric
    ]

    watched = [d["Value"].argument for alarm in alarms for d in alarm["Dimensions"]]

    assert sorted(watched) == sorted(PROPERTIES)
