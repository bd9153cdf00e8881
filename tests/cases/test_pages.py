"""Pages meet everything once, and say themselves where the end is: T34 to T38."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.tenants import FACTS, RETRIEVE, Tenant, all_facts, new_tenant, pages, retrieve


def write_many(tenant: Tenant, count: int, **fields: Any) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: tenant.write(n, **fields), range(count)))


@pytest.mark.parametrize("limit", ["1", "7", "59", "60", "61", "100"])
def test_t34_the_pages_are_the_visible_facts_each_once(tenant, limit):
    ben = tenant.caller("ben")
    with ThreadPoolExecutor(4) as pool:
        owners = ["ana" if n % 5 in (0, 2) else "ben" for n in range(100)]
        written = list(
            pool.map(
                lambda pair: tenant.write(pair[0], scope={"userId": pair[1]}), enumerate(owners)
            )
        )

    seen = [fact["id"] for page in pages(ben, limit=limit) for fact in page["data"]]

    visible = {fact["id"] for fact in written if fact["scope"]["userId"] == "ben"}
    assert len(visible) == 60
    assert len(seen) == 60
    assert set(seen) == visible
    assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize(
    ("rare", "query"),
    [
        ({"type": "rare"}, {"type": "rare"}),
        ({"scope": {"sessionId": "s"}}, {"scope": '{"sessionId":"s"}'}),
        ({"scope": {"projectId": "p"}}, {"scopeKind": "project", "scopeId": "p"}),
        ({"scope": {"colour": {"a": [1]}}}, {"scope": '{"colour":{"a":[1]}}'}),
    ],
    ids=["type", "session", "project", "unknown key"],
)
def test_t35_there_is_no_last_page_before_the_match(tenant, rare, query):
    write_many(tenant, 10)
    match = tenant.write("found", **rare)
    write_many(tenant, 189)

    walked = list(pages(tenant.admin, limit="10", **query))

    assert [fact for page in walked for fact in page["data"]] == [match]
    assert [page["hasMore"] for page in walked] == [True] * (len(walked) - 1) + [False]
    assert all(("nextCursor" in page) == page["hasMore"] for page in walked)


def test_t36_every_fact_is_reached_and_a_cursor_fits_one_list_only(tenant):
    write_many(tenant, 250)
    other = tenant.caller("root", is_tenant_admin=True, project_limit="p")

    walked = list(pages(tenant.admin, limit="25"))
    cursor = walked[0]["nextCursor"]
    replayed = [
        tenant.admin.ask("GET", FACTS, query={"limit": "25", "cursor": cursor}) for _ in "ab"
    ]
    altered = [
        cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        for place in range(0, len(cursor), 7)
    ]
    refused = [
        *(tenant.admin.ask("GET", FACTS, query={"cursor": text}) for text in altered),
        tenant.admin.ask("GET", FACTS, query={"cursor": cursor[:-1]}),
        tenant.admin.ask("GET", FACTS, query={"cursor": cursor + "A"}),
        tenant.admin.ask("GET", FACTS, query={"cursor": cursor, "type": "note"}),
        tenant.admin.ask("GET", FACTS, query={"cursor": cursor, "scope": "{}"}),
        tenant.admin.ask("GET", FACTS, query={"cursor": cursor, "asOf": "2100-01-01T00:00:00Z"}),
        other.ask("GET", FACTS, query={"cursor": cursor}),
        tenant.caller("root").ask("GET", FACTS, query={"cursor": cursor}),
    ]

    seen = [fact["content"] for page in walked for fact in page["data"]]
    assert sorted(seen) == list(range(250))
    assert len({page.get("nextCursor") for page in walked}) == len(walked)
    assert {answer.json()["data"][0]["id"] for answer in replayed} == {walked[1]["data"][0]["id"]}
    for answer in refused[:-1]:
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-input")


def test_t36_a_cursor_meets_what_was_there_at_its_start_while_others_write(tenant):
    write_many(tenant, 40)
    before = {fact["id"] for fact in all_facts(tenant.admin)}
    walked = pages(tenant.admin, limit="10")

    seen = []
    for page in walked:
        seen += [fact["id"] for fact in page["data"]]
        tenant.write("newer")
        tenant.admin.ask("POST", f"{FACTS}/{min(before)}/supersede", {"content": len(seen)})

    assert len(seen) == len(set(seen))
    assert before <= set(seen)


@pytest.mark.parametrize(
    ("limit", "count"),
    [
        ("-1", 25), ("0", 25), ("1000000000", 100), ("1e9", 25), ("abc", 25), ("1.5", 25), ("", 25), (" 7", 25), ("7", 7),
        ("101", 100), ("٧", 25), ("0x7", 25), ("null", 25), ("9" * 400, 100), ("007", 7),
    ],
)  # fmt: skip
def test_t38_a_lists_limit_is_clamped(crowd, limit, count):
    page = crowd.admin.ask("GET", FACTS, query={"limit": limit}).json()

    assert len(page["data"]) == count
    assert page["hasMore"] is True


@pytest.mark.parametrize("limit", [-1, 0, 0.99, "7", "abc", True, [], {}, None, -1e300])
@pytest.mark.parametrize("mode", ["list", "keyword"])
def test_t38_a_retrievals_limit_below_one_or_no_number_is_refused(tenant, mode, limit):
    answer = tenant.admin.ask("POST", RETRIEVE, {"mode": mode, "query": "x", "limit": limit})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "bad-input")
    assert "limit" in error["message"]


@pytest.mark.parametrize(("limit", "count"), [(1.5, 1), (7, 7), (7.0, 7), (1e9, 100), (101, 100)])
def test_t38_a_retrievals_limit_is_floored_and_capped(crowd, limit, count):
    assert len(retrieve(crowd.admin, "list", limit=limit)) == count


@pytest.fixture(scope="module")
def crowd(laptop, connection) -> Tenant:
    """A tenant of more facts than any page holds."""
    tenant = new_tenant(laptop, connection)
    write_many(tenant, 105)
    return tenant
