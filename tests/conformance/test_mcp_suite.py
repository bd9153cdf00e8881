"""The official suite of the Model Context Protocol (npm ``@modelcontextprotocol/conformance``)."""

import pytest

from tests.conformance.scenarios import APPLY, DO_NOT_APPLY, known_scenarios, passed_checks
from tests.conformance.token_proxy import token_proxy


@pytest.mark.parametrize(("scenario", "checks"), APPLY.items())
def test_a_scenario_passes(scenario, checks, tenant, tmp_path):
    token = tenant.caller().token

    with token_proxy(tenant.laptop.run["url"], token) as url:
        passed = passed_checks(scenario, url, tmp_path)

    assert passed == (checks, checks)


def test_every_scenario_applies_or_there_is_a_reason_why_not(tmp_path):
    others = {name for names in DO_NOT_APPLY.values() for name in names}

    assert known_scenarios(tmp_path) == others | set(APPLY)
    assert not others & set(APPLY)
