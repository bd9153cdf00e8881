import pytest

from local.routes import find_route
from local.template import Route

ROUTES = [
    Route("ANY", "$default", "default"),
    Route("ANY", "/things/{proxy+}", "under"),
    Route("GET", "/things", "list"),
    Route("ANY", "/things/{thingId}", "any"),
    Route("GET", "/things/{thingId}", "get"),
    Route("GET", "/things/special", "special"),
    Route("GET", "/{kind}/special", "kinds"),
    Route("GET", "/things/{thingId}/parts/{partId}", "part"),
    Route("GET", "/", "root"),
]


@pytest.mark.parametrize(
    ("method", "path", "function", "variables"),
    [
        ("GET", "/things", "list", {}),
        ("GET", "/things/7", "get", {"thingId": "7"}),
        ("GET", "/things/special", "special", {}),
        ("POST", "/things/special", "any", {"thingId": "special"}),
        ("GET", "/people/special", "kinds", {"kind": "people"}),
        ("GET", "/things/7/parts/8", "part", {"thingId": "7", "partId": "8"}),
        ("POST", "/things/7/parts/8", "under", {"proxy": "7/parts/8"}),
        ("GET", "/things/7/", "under", {"proxy": "7/"}),
        ("HEAD", "/things/7", "any", {"thingId": "7"}),
        ("GET", "/", "root", {}),
        ("HEAD", "/things", "default", {}),
        ("OPTIONS", "/things", "default", {}),
        ("GET", "/things/", "default", {}),
        ("GET", "//things", "default", {}),
        ("GET", "/Things", "default", {}),
        ("GET", "", "default", {}),
        ("OPTIONS", "*", "default", {}),
        ("GET", "/things/a;b=c+d", "get", {"thingId": "a;b=c+d"}),
        ("GET", "/things/\0", "get", {"thingId": "\0"}),
    ],
)
def test_the_most_specific_route_answers(method, path, function, variables):
    match = find_route(ROUTES, method, path)

    assert match is not None
    assert match.route.function == function
    assert match.variables == variables


def test_the_order_in_the_template_does_not_matter():
    for path in ("/things/special", "/things/7", "/things/7/8", "/nothing"):
        forwards = find_route(ROUTES, "GET", path)
        backwards = find_route(ROUTES[::-1], "GET", path)

        assert forwards == backwards


def test_without_a_default_route_nothing_answers():
    assert find_route(ROUTES[1:], "GET", "/nothing") is None
