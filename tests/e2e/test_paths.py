"""One path for each function, through everything that is deployed: gateway, permissions, tables, stream and index."""

from uuid import uuid4

import pytest

from tests.e2e.conftest import FACTS
from tests.polling import wait_until

pytestmark = pytest.mark.e2e

# A cold start, the stream, and an index that slept.
INDEXED_SECONDS = 90


def test_the_service_says_what_it_is(service):
    health = service.get("/health", headers={"authorization": ""})
    document = service.get("/v1/openapi.json", headers={"authorization": ""})

    assert (health.status_code, health.json()["status"]) == (200, "ok")
    assert FACTS in document.json()["paths"]


def test_nobody_gets_in_without_a_token(service):
    answer = service.get(FACTS, headers={"authorization": "Bearer unknown"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "auth-missing")
    assert answer.headers["x-request-id"] == answer.json()["error"]["requestId"]


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/v1/nothing", 404), ("PUT", FACTS, 405)]
)
def test_what_is_not_served_has_the_envelope(service, method, path, status):
    answer = service.request(method, path)

    assert answer.status_code == status
    assert answer.json()["error"]["requestId"]


def test_a_fact_lives_from_write_to_delete(service, write):
    fact = write({"text": "Ana takes her tea without sugar"})
    path = f"{FACTS}/{fact['id']}"

    superseded = service.post(
        f"{path}/supersede", json={"content": "Coffee.", "expectVersion": 1}
    ).json()
    verified = service.post(f"{path}/verify").json()
    stale = service.post(f"{path}/verify", json={"expectVersion": 1})
    deleted = service.delete(path)

    assert (superseded["version"], superseded["content"]) == (2, "Coffee.")
    assert (verified["version"], verified["trust"]) == (3, "verified")
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "fact-changed")
    assert deleted.json()["invalidationReason"] == "deleted"
    assert service.get(path).status_code == 404
    assert service.get(path, params={"version": "1"}).json()["content"] == fact["content"]
    history = service.get(f"{path}/revisions").json()["data"]
    assert [revision["version"] for revision in history] == [3, 2, 1]


def test_a_list_is_walked_by_its_cursors(service, write):
    written = {write(n)["id"] for n in range(3)}

    met: set[str] = set()
    page = {"hasMore": True}
    while page["hasMore"] and not written <= met:
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else {}
        page = service.get(FACTS, params={"type": "e2e", "limit": "2", **cursor}).json()
        met |= {fact["id"] for fact in page["data"]}

    assert written <= met


def test_a_request_sent_again_is_done_once(service, write, tenant_id):
    fact = write("once")
    key = {"idempotency-key": str(uuid4())}
    path = f"{FACTS}/{fact['id']}/supersede"

    first = service.post(path, json={"content": "twice"}, headers=key)
    again = service.post(path, json={"content": "twice"}, headers=key)

    assert (first.status_code, again.text) == (200, first.text)
    assert again.headers["x-idempotent-replay"] == "true"


def test_what_was_written_is_found_by_its_words(service, write):
    word = f"w{uuid4().hex}"
    fact = write(f"The {word} is on the roof.")
    asked = {"mode": "keyword", "query": word, "scope": fact["scope"]}

    answer = wait_until(
        lambda: service.post("/v1/memory/retrieve", json=asked).json()["results"],
        "the fact is indexed",
        seconds=INDEXED_SECONDS,
    )

    assert [hit["fact"]["id"] for hit in answer] == [fact["id"]]
