from datetime import UTC, datetime

import pytest

from local.events import BadPathError, Request, build_event, decode_path, new_request_id
from local.routes import Match, find_route
from local.template import Route

NOW = datetime(2026, 7, 10, 19, 19, 5, 766000, tzinfo=UTC)
DEFAULT = Match(Route("ANY", "$default", "default"), {})


def request(raw_path="/", raw_query="", headers=(), body=b"", method="GET"):
    return Request(
        method=method,
        raw_path=raw_path,
        raw_query=raw_query,
        headers=[("host", "localhost:8787"), *headers],
        body=body,
        source_ip="127.0.0.1",
        protocol="HTTP/1.1",
        request_id="ATfSmjLgPHcESJw=",
    )


def test_a_whole_event_looks_like_api_gateways():
    sent = request(
        method="POST",
        raw_path="/capture/space%20value",
        raw_query="repeat=one&repeat=two&url=https%3A%2F%2Fa.b%2Fc&plus=a+b&coded=a%2Bb&empty=",
        headers=[
            ("User-Agent", "curl/8.7.1"),
            ("Content-Type", "application/json"),
            ("X-Probe", "first"),
            ("x-probe", "second"),
            ("Cookie", "session=abc123; theme=dark;"),
            ("Connection", "keep-alive"),
        ],
        body='{"unicode":"λ"}'.encode(),
    )

    event = build_event(sent, DEFAULT, NOW)

    assert event == {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": "/capture/space value",
        "rawQueryString": sent.raw_query,
        "cookies": ["session=abc123", "theme=dark"],
        "headers": {
            "host": "localhost:8787",
            "user-agent": "curl/8.7.1",
            "content-type": "application/json",
            "x-probe": "first,second",
            "content-length": "16",
            "x-forwarded-for": "127.0.0.1",
            "x-forwarded-proto": "http",
        },
        "queryStringParameters": {
            "repeat": "one,two",
            "url": "https://a.b/c",
            "plus": "a b",
            "coded": "a+b",
            "empty": "",
        },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "palimpsest",
            "domainName": "localhost",
            "domainPrefix": "localhost",
            "http": {
                "method": "POST",
                "path": "/capture/space value",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "curl/8.7.1",
            },
            "requestId": "ATfSmjLgPHcESJw=",
            "routeKey": "$default",
            "stage": "$default",
            "time": "10/Jul/2026:19:19:05 +0000",
            "timeEpoch": 1783711145766,
        },
        "body": '{"unicode":"λ"}',
        "isBase64Encoded": False,
    }


def test_what_is_not_there_is_left_out():
    event = build_event(request(), DEFAULT, NOW)

    absent = {"cookies", "queryStringParameters", "pathParameters", "body", "stageVariables"}
    assert not absent & set(event)
    assert event["isBase64Encoded"] is False
    assert event["headers"]["content-length"] == "0"


# Captured from the real service: hotsock/voker, vokerhttp/testdata/ingress-paths.json.
@pytest.mark.parametrize(
    ("sent", "delivered"),
    [
        ("/capture/plain", "/capture/plain"),
        ("/capture/space%20value", "/capture/space value"),
        ("/capture/question%3Fvalue", "/capture/question"),
        ("/capture/hash%23value", "/capture/hash#value"),
        ("/capture/slash%2Fvalue", "/capture/slash/value"),
        ("/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C", "/capture/unicode-λ-世界"),
        ("/capture/literal%252Fvalue", "/capture/literal/value"),
        ("/capture/literal%253Fvalue", "/capture/literal?value"),
        ("/capture/literal%2525value", "/capture/literal%value"),
    ],
)
def test_a_path_is_decoded_twice_and_cut_in_between(sent, delivered):
    event = build_event(request(sent), DEFAULT, NOW)

    assert event["rawPath"] == delivered
    assert event["requestContext"]["http"]["path"] == delivered


@pytest.mark.parametrize("sent", ["/capture/percent%25done", "/capture/%zz", "/capture/%", "/%2"])
def test_a_path_that_cannot_be_decoded_twice_is_refused(sent):
    with pytest.raises(BadPathError):
        build_event(request(sent), DEFAULT, NOW)


# Not captured anywhere: these pass unchanged, as in every other part of the path.
@pytest.mark.parametrize(
    ("sent", "delivered"),
    [
        ("/a+b", "/a+b"),
        ("/a;b=c", "/a;b=c"),
        ("//a//b", "//a//b"),
        ("/a/", "/a/"),
        ("/a%00b", "/a\0b"),
        ("/%F0%9F%A6%9C", "/🦜"),
        ("/%FF", "/\ufffd"),
        ("/../a/./b", "/../a/./b"),
    ],
)
def test_other_characters_of_a_path_stay(sent, delivered):
    assert build_event(request(sent), DEFAULT, NOW)["rawPath"] == delivered


@pytest.mark.parametrize(
    ("sent", "thing_id"),
    [
        ("/things/a%20b", "a b"),
        ("/things/%F0%9F%A6%9C", "🦜"),
        ("/things/a%00", "a\0"),
        ("/things/a%252Fb", "a/b"),
        ("/things/a%3Fb", "a"),
        ("/things/a+b", "a+b"),
    ],
)
def test_path_parameters_are_decoded(sent, thing_id):
    route = Route("GET", "/things/{thingId}", "get")
    match = find_route([route], "GET", decode_path(sent))
    assert match is not None

    event = build_event(request(sent), match, NOW)

    assert event["routeKey"] == "GET /things/{thingId}"
    assert event["pathParameters"] == {"thingId": thing_id}


def test_an_encoded_slash_divides_segments_before_routes_are_compared():
    route = Route("GET", "/things/{thingId}", "get")

    assert find_route([route], "GET", decode_path("/things/a%2Fb")) is None


# Which types arrive as text was seen on the real service: ministackorg/ministack#766.
@pytest.mark.parametrize(
    ("content_type", "is_text"),
    [
        ("application/json", True),
        ("application/json; charset=utf-8", True),
        ("Application/JSON", True),
        ("text/plain", True),
        ("text/csv;header=present", True),
        ("application/xml", True),
        ("application/javascript", True),
        ("application/x-www-form-urlencoded", False),
        ("application/problem+json", False),
        ("application/octet-stream", False),
        ("image/png", False),
        ("", False),
        (None, False),
    ],
)
def test_only_some_content_types_arrive_as_text(content_type, is_text):
    headers = [] if content_type is None else [("content-type", content_type)]

    event = build_event(request(headers=headers, body=b"{}"), DEFAULT, NOW)

    assert event["isBase64Encoded"] is not is_text
    assert event["body"] == ("{}" if is_text else "e30=")


def test_a_body_that_is_no_utf_8_is_base64_whatever_its_type():
    headers = [("content-type", "application/json")]

    event = build_event(request(headers=headers, body=b'{"a":"\xff"}'), DEFAULT, NOW)

    assert (event["body"], event["isBase64Encoded"]) == ("eyJhIjoi/yJ9", True)


def test_a_repeated_query_name_and_one_without_a_value():
    event = build_event(request(raw_query="a&a=1&%61=2,3&b=%00&c=%F0%9F%A6%9C;d"), DEFAULT, NOW)

    assert event["rawQueryString"] == "a&a=1&%61=2,3&b=%00&c=%F0%9F%A6%9C;d"
    assert event["queryStringParameters"] == {"a": ",1,2,3", "b": "\0", "c": "🦜;d"}


def test_a_proxys_forwarded_addresses_are_kept_before_the_callers():
    event = build_event(request(headers=[("X-Forwarded-For", "10.0.0.1")]), DEFAULT, NOW)

    assert event["headers"]["x-forwarded-for"] == "10.0.0.1,127.0.0.1"


def test_request_ids_are_new_each_time_and_look_like_api_gateways():
    first, second = new_request_id(), new_request_id()

    assert first != second
    assert len(first) == 16
    assert first.endswith("=")
