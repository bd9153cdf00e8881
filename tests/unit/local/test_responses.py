import pytest

from local.responses import Response, build_response, internal_error


def test_a_whole_result_becomes_a_whole_response():
    response = build_response(
        {
            "statusCode": 201,
            "headers": {"Content-Type": "application/json", "X-Count": 3, "X-Flag": True},
            "cookies": ["a=1; Path=/", "b=2"],
            "body": '{"unicode":"λ"}',
        }
    )

    assert response == Response(
        201,
        [
            ("content-type", "application/json"),
            ("x-count", "3"),
            ("x-flag", "true"),
            ("set-cookie", "a=1; Path=/"),
            ("set-cookie", "b=2"),
        ],
        '{"unicode":"λ"}'.encode(),
    )


def test_a_base64_body_is_sent_as_its_bytes():
    response = build_response({"statusCode": 200, "body": "/wA=", "isBase64Encoded": True})

    assert response.body == b"\xff\x00"


def test_a_result_that_says_little_is_filled_up():
    response = build_response({"statusCode": "204", "headers": None, "body": None})

    assert response == Response(204, [("content-type", "text/plain; charset=utf-8")], b"")


@pytest.mark.parametrize(
    ("result", "body"),
    [
        ({"message": "hi"}, b'{"message": "hi"}'),
        ([1, 2], b"[1, 2]"),
        ("plain", b"plain"),
        (None, b"null"),
        (7, b"7"),
    ],
)
def test_without_a_status_the_whole_result_is_the_body(result, body):
    assert build_response(result) == Response(200, [("content-type", "application/json")], body)


@pytest.mark.parametrize(
    "result",
    [
        {"statusCode": None},
        {"statusCode": True},
        {"statusCode": "many"},
        {"statusCode": 99},
        {"statusCode": 1000},
        {"statusCode": 200, "body": {"a": 1}},
        {"statusCode": 200, "headers": ["a"]},
        {"statusCode": 200, "headers": {"a": ["b"]}},
        {"statusCode": 200, "headers": {"a": "b\r\nc: d"}},
        {"statusCode": 200, "headers": {"a": "🦜"}},
        {"statusCode": 200, "cookies": "a=1"},
        {"statusCode": 200, "body": "no base64!", "isBase64Encoded": True},
    ],
)
def test_nonsense_is_an_internal_error_as_from_api_gateway(result):
    assert build_response(result) == internal_error()
    assert internal_error().body == b'{"message":"Internal Server Error"}'
