import re
import tomllib

import pytest

from tests.template import ROOT, read_document

ENVIRONMENTS = ("dev", "staging", "prod")
SAMCONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text())
PARAMETERS = read_document()["Parameters"]


def overrides(environment: str) -> dict[str, str]:
    pairs = SAMCONFIG[environment]["deploy"]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in pairs)


def test_the_environments_are_those_of_the_template() -> None:
    assert set(SAMCONFIG) - {"version", "default"} == set(ENVIRONMENTS)
    assert tuple(PARAMETERS["Environment"]["AllowedValues"]) == ENVIRONMENTS


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_gives_values_that_the_template_takes(environment: str) -> None:
    for name, value in overrides(environment).items():
        parameter = PARAMETERS[name]
        allowed = [str(each) for each in parameter.get("AllowedValues", [value])]
        assert value in allowed
        assert re.fullmatch(parameter.get("AllowedPattern", ".*"), value)
        assert int(value) <= parameter["MaxValue"] if "MaxValue" in parameter else True


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_is_named_alike_everywhere(environment: str) -> None:
    deploy = SAMCONFIG[environment]["deploy"]["parameters"]

    assert overrides(environment)["Environment"] == environment
    assert deploy["stack_name"] == f"palimpsest-{environment}"
    assert f"Environment={environment}" in deploy["tags"]
    # `.ci/deploy` builds the layer for it.
    assert overrides(environment)["Architecture"] in PARAMETERS["Architecture"]["AllowedValues"]


@pytest.mark.parametrize("environment", ["staging", "prod"])
def test_people_are_asked_before_their_data_is_touched(environment: str) -> None:
    assert SAMCONFIG[environment]["deploy"]["parameters"]["confirm_changeset"] is True
    assert "DeletionProtection" not in overrides(environment)
