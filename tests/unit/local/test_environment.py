import pytest

from local.environment import engine_environment, function_environment
from local.template import Template, TemplateError


def template(**functions):
    resources = {
        name: {
            "Type": "AWS::Serverless::Function",
            "Properties": {"Handler": "a.b", "Environment": {"Variables": variables}},
        }
        for name, variables in functions.items()
    }
    return Template({"Resources": resources})


def test_all_functions_share_one_environment():
    several = template(A={"X": "1", "KEYS": "secret"}, B={"X": "1", "Y": "2"})

    environment = function_environment(several, {"KEYS": "file:/k", "UNKNOWN": "z"})

    assert environment == {"X": "1", "KEYS": "file:/k", "Y": "2"}


def test_two_values_under_one_name_are_refused():
    with pytest.raises(TemplateError, match="B wants another X"):
        function_environment(template(A={"X": "1"}, B={"X": "2"}), {})


def test_nothing_of_the_shells_aws_reaches_an_engine_of_ours():
    shell = {"PATH": "/bin", "AWS_PROFILE": "mine", "AWS_ENDPOINT_URL": "x", "NO_PROXY": "corp"}

    environment = engine_environment(shell, "http://127.0.0.1:1", is_ours=True)

    assert environment == {
        "PATH": "/bin",
        "AWS_ACCESS_KEY_ID": "laptop",
        "AWS_SECRET_ACCESS_KEY": "laptop",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:1",
        "NO_PROXY": "corp,127.0.0.1,localhost",
        "no_proxy": "corp,127.0.0.1,localhost",
    }


def test_a_database_of_somebody_elses_gets_the_shells_credentials():
    shell = {"AWS_ACCESS_KEY_ID": "real", "AWS_REGION": "eu-west-1"}

    environment = engine_environment(shell, "http://db:8000", is_ours=False)

    assert environment["AWS_ACCESS_KEY_ID"] == "real"
    assert environment["AWS_REGION"] == "eu-west-1"
    assert environment["AWS_SECRET_ACCESS_KEY"] == "laptop"
    assert "AWS_CONFIG_FILE" not in environment
