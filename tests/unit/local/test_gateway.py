import asyncio
import json
import threading

import httpx
import pytest

from local.functions import LambdaFunction
from local.gateway import BODY_LIMIT_BYTES, Gateway, loopback_hosts
from local.template import FunctionDefinition, Route

URL = "http://localhost:8787"
DEFAULT_ROUTES = (Route("ANY", "$default", "F"),)


def gateway(handler, *, timeout_seconds=10, routes=DEFAULT_ROUTES):
    definition = FunctionDefinition("F", "m", "h", timeout_seconds, 128, {})
    functions = {"F": LambdaFunction(definition, handler)}
    return Gateway(routes, functions, hosts=loopback_hosts(8787))


def ask(application, method="GET", url="/", **request):
    async def once():
        transport = httpx.ASGITransport(app=application)
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            return await client.request(method, url, **request)

    return asyncio.run(once())


def echo(event, context):
    return {
        "statusCode": 200,
        "headers": {"content-type": "application/json"},
        "body": json.dumps({"event": event, "name": context.function_name}),
    }


def test_a_request_reaches_the_function_of_its_route_and_the_answer_comes_back():
    routes = [Route("POST", "/things/{thingId}", "F")]

    answer = ask(gateway(echo, routes=routes), "POST", "/things/a%20b?x=1", json={"a": "🦜"})

    event = answer.json()["event"]
    assert answer.status_code == 200
    assert answer.headers["apigw-requestid"] == event["requestContext"]["requestId"]
    assert event["routeKey"] == "POST /things/{thingId}"
    assert event["pathParameters"] == {"thingId": "a b"}
    assert event["queryStringParameters"] == {"x": "1"}
    assert json.loads(event["body"]) == {"a": "🦜"}


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost", "localhost:1", "127.0.0.1.evil.example:8787", ""]
)
def test_a_request_for_another_host_is_refused_with_a_reason(host):
    answer = ask(gateway(echo), headers={"host": host})

    assert answer.status_code == 421
    assert answer.json() == {"message": "Only for 127.0.0.1:8787, [::1]:8787, localhost:8787"}


@pytest.mark.parametrize(
    "host", ["localhost:8787", "127.0.0.1:8787", "[::1]:8787", "LOCALHOST:8787"]
)
def test_every_name_of_this_machine_is_answered(host):
    assert ask(gateway(echo), headers={"host": host}).status_code == 200


def test_on_port_80_the_port_may_be_left_out():
    assert "localhost" in loopback_hosts(80)
    assert "localhost" not in loopback_hosts(8787)


def raise_an_error(event, context):
    raise RuntimeError("a secret")


def exit_the_process(event, context):
    raise SystemExit(3)


def answer_no_json(event, context):
    return {"statusCode": 200, "body": object()}


def answer_a_lone_surrogate(event, context):
    return {"statusCode": 200, "body": "\ud800"}


def answer_too_much(event, context):
    return {"statusCode": 200, "body": "x" * 6_300_000}


@pytest.mark.parametrize(
    "handler",
    [raise_an_error, exit_the_process, answer_no_json, answer_a_lone_surrogate, answer_too_much],
)
def test_a_failed_function_is_an_internal_error_without_its_reason(handler):
    answer = ask(gateway(handler))

    assert answer.status_code == 500
    assert answer.json() == {"message": "Internal Server Error"}


def test_a_body_over_ten_megabytes_is_refused_by_the_gateway():
    answer = ask(gateway(echo), "POST", content=b"x" * (BODY_LIMIT_BYTES + 1))

    assert answer.status_code == 413
    assert answer.json() == {"message": "Request Entity Too Large"}


def test_an_event_over_six_megabytes_is_refused_although_the_body_is_smaller_than_ten():
    called = []

    answer = ask(
        gateway(lambda _event, _context: called.append(1)),
        "POST",
        content=b"x" * 6_300_000,
        headers={"content-type": "text/plain"},
    )

    assert answer.status_code == 413
    assert answer.json() == {"message": "Request Entity Too Large"}
    assert not called


@pytest.mark.parametrize(
    ("timeout_seconds", "integration_seconds", "status", "message"),
    [(0.05, 30, 500, "Internal Server Error"), (5, 0.05, 503, "Service Unavailable")],
)
def test_a_slow_function_is_left_alone(timeout_seconds, integration_seconds, status, message):
    done = threading.Event()
    definition = FunctionDefinition("F", "m", "h", timeout_seconds, 128, {})
    slow = LambdaFunction(definition, lambda _event, _context: done.wait(5))
    application = Gateway(
        [Route("ANY", "$default", "F")],
        {"F": slow},
        hosts=loopback_hosts(8787),
        integration_timeout_seconds=integration_seconds,
    )

    async def once():
        transport = httpx.ASGITransport(app=application)
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            answer = await client.get("/")
            done.set()
            return answer

    answer = asyncio.run(once())

    assert answer.status_code == status
    assert answer.json() == {"message": message}


def test_without_a_route_nothing_is_found():
    answer = ask(gateway(echo, routes=[Route("GET", "/a", "F")]), "GET", "/b")

    assert (answer.status_code, answer.json()) == (404, {"message": "Not Found"})


def test_a_path_that_cannot_be_decoded_is_refused_by_the_gateway():
    answer = ask(gateway(echo), "GET", "/a%25")

    assert (answer.status_code, answer.json()) == (400, {"message": "Bad Request"})


def test_an_answer_without_a_body_has_no_length():
    answer = ask(gateway(lambda _event, _context: {"statusCode": 204, "body": "x"}))

    assert answer.status_code == 204
    assert answer.content == b""
    assert "content-length" not in answer.headers


def test_the_context_is_lambdas():
    seen = []

    def handler(event, context):
        seen.append(context)
        event["changed"] = True

    ask(gateway(handler, timeout_seconds=7))

    (context,) = seen
    assert context.function_name == "F"
    assert context.memory_limit_in_mb == "128"
    assert context.invoked_function_arn == "arn:aws:lambda:us-east-1:123456789012:function:F"
    assert context.log_group_name == "/aws/lambda/F"
    assert 0 < context.get_remaining_time_in_millis() <= 7_000
    assert len(context.aws_request_id) == 36


def test_other_protocols_get_no_answer():
    async def once():
        await gateway(echo)({"type": "lifespan"}, None, None)

    assert asyncio.run(once()) is None


def test_a_fault_of_the_gateway_itself_is_an_internal_error():
    answer = ask(gateway(echo, routes=[Route("ANY", "$default", "NoSuchFunction")]))

    assert answer.status_code == 500
    assert answer.json() == {"message": "Internal Server Error"}


def test_a_caller_who_goes_away_gets_nothing_and_no_function_is_called():
    called: list[int] = []
    sent: list[object] = []
    scope = {"type": "http", "headers": [(b"host", b"localhost:8787")]}

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    application = gateway(lambda _event, _context: called.append(1))
    asyncio.run(application(scope, receive, send))

    assert not called
    assert not sent


def test_a_target_that_names_the_host_means_its_path():
    seen: list[str] = []
    scope = {
        "type": "http",
        "method": "GET",
        "http_version": "1.1",
        "headers": [(b"host", b"localhost:8787")],
        "raw_path": b"HTTP://localhost:8787/a/b",
        "query_string": b"",
        "client": None,
    }

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        return

    application = gateway(lambda event, _context: seen.append(event["rawPath"]))
    asyncio.run(application(scope, receive, send))

    assert seen == ["/a/b"]
