from typing import Any

import pytest
from palimpsest.api.operations import OPERATIONS

from local.template import DEFAULT_ROUTE
from tests.events import (
    event_files,
    event_name,
    function_of,
    placeholders_of,
    read_event,
    read_expectations,
)
from tests.template import read_deployed_template, read_document

ROUTES = read_deployed_template().routes()
EVENTS = [event_name(path) for path in event_files()]
# Listed in events/README.md; the tests of the built functions give each a value.
PLACEHOLDERS = {
    "TENANT_ID",
    "FACT_ID",
    "ATOM_ID",
    "THEN",
    "ADMIN_TOKEN",
    "READER_TOKEN",
    "WRITER_TOKEN",
    "STRANGER_TOKEN",
    "EXPIRED_TOKEN",
    "REVOKED_TOKEN",
}


def test_the_template_routes_just_what_the_code_serves() -> None:
    served = {(o.route_key, function_of(f"{o.function}/")) for o in OPERATIONS}

    routed = {(r.key, r.function) for r in ROUTES if r.path != DEFAULT_ROUTE}

    assert routed == served


def test_whatever_no_route_takes_is_answered_by_the_service_itself() -> None:
    (default,) = [route for route in ROUTES if route.path == DEFAULT_ROUTE]

    assert default.function == "DescribeServiceFunction"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.key)
def test_every_route_has_an_event_file(route: Any) -> None:
    keys = {read_event(name)["routeKey"] for name in EVENTS}

    assert route.key in keys


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_file_is_an_event_of_a_route_of_its_function(name: str) -> None:
    event = read_event(name)
    (route,) = [route for route in ROUTES if route.key == event["routeKey"]]
    context = event["requestContext"]

    assert event["version"] == "2.0"
    assert route.function == function_of(name)
    assert context["routeKey"] == event["routeKey"]
    assert context["http"]["path"] == event["rawPath"]
    assert route.method in {"ANY", context["http"]["method"]}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_file_holds_known_placeholders_and_no_token(name: str) -> None:
    authorization = read_event(name)["headers"].get("authorization", "Bearer ${NO_TOKEN}")

    assert placeholders_of(name) <= PLACEHOLDERS
    assert authorization.startswith("Bearer ${")
    assert authorization.endswith("_TOKEN}")


def test_every_event_is_expected_to_be_answered_and_no_other_is() -> None:
    assert sorted(read_expectations()) == EVENTS


def test_the_api_has_no_authorizer_and_no_cors() -> None:
    # Our functions check tokens, so that the spec's three codes hold; tokens do not belong into a browser.
    api = read_document()["Resources"]["HttpApi"]["Properties"]

    assert not {"Auth", "CorsConfiguration"} & set(api)
    assert api["DefaultRouteSettings"]["ThrottlingRateLimit"].argument == "RequestsPerSecond"
    assert "$context.path" not in api["AccessLogSettings"]["Format"]
