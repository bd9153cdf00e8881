"""What is deleted is gone from every read at once, and one id serves everywhere: T04, T09, T10."""

import pytest

from tests.tenants import (
    FACTS,
    MODES,
    HttpCaller,
    all_facts,
    retrieve,
    retrieved_ids,
    wait_until_indexed,
)


def is_met(caller: HttpCaller, fact_id: str) -> dict[str, bool]:
    """Return, for each read of what is current, whether it has the fact."""
    searches = {
        mode: fact_id in retrieved_ids(caller, mode, "The dog sleeps in the kennel.")
        for mode in MODES
    }
    return {
        "get": caller.ask("GET", f"{FACTS}/{fact_id}").status_code == 200,
        "list": fact_id in [fact["id"] for fact in all_facts(caller)],
        **searches,
    }


def test_t04_a_deleted_fact_is_gone_from_all_reads_before_the_index_has_caught_up(tenant):
    fact = tenant.write("The dog sleeps in the kennel.")
    path = f"{FACTS}/{fact['id']}"
    wait_until_indexed(tenant, fact)
    before = is_met(tenant.admin, fact["id"])

    closed = tenant.admin.ask("DELETE", path).json()
    after = is_met(tenant.admin, fact["id"])

    assert set(before.values()) == {True}
    assert set(after.values()) == {False}
    assert tenant.admin.ask("GET", path, query={"version": "1"}).json() == closed
    history = tenant.admin.ask("GET", f"{path}/revisions").json()["data"]
    assert history == [closed]
    assert closed["invalidationReason"] == "deleted"


def test_t04_one_of_many_alike_is_deleted_and_the_next_ones_take_its_place(tenant):
    facts = [tenant.write(f"The dog sleeps in kennel {n}.") for n in range(8)]
    wait_until_indexed(tenant, *facts)
    first = {
        mode: retrieved_ids(tenant.admin, mode, "dog kennel", limit=3)
        for mode in ("keyword", "semantic", "both")
    }
    gone = {found[0] for found in first.values()}

    for fact_id in gone:
        tenant.admin.ask("DELETE", f"{FACTS}/{fact_id}")

    for mode in first:
        left = retrieved_ids(tenant.admin, mode, "dog kennel", limit=3)
        assert len(left) == 3
        assert not gone & set(left)


@pytest.mark.parametrize("source", ["write", "list", *MODES])
def test_t09_an_id_from_anywhere_serves_everywhere(tenant, source):
    fact = tenant.write("The dog sleeps in the kennel.")
    wait_until_indexed(tenant, fact)
    if source == "write":
        found = fact
    elif source == "list":
        (found,) = all_facts(tenant.admin)
    else:
        found = retrieve(tenant.admin, source, "dog")[0]["fact"]
    path = f"{FACTS}/{found['id']}"

    answers = [
        tenant.admin.ask("GET", path),
        tenant.admin.ask("POST", f"{path}/verify", {"expectVersion": 1}),
        tenant.admin.ask("POST", f"{path}/supersede", {"content": "new", "expectVersion": 2}),
        tenant.admin.ask("GET", f"{path}/revisions"),
        tenant.admin.ask("DELETE", path, query={"expectVersion": "3"}),
    ]

    assert found == fact
    assert [a.status_code for a in answers] == [200] * 5
    assert {answers[n].json()["id"] for n in (0, 1, 2, 4)} == {fact["id"]}


@pytest.mark.parametrize(
    "fact_id",
    ["", "/", "%20", "%00", "%09", "*", "%2A", "null", "undefined", "0", "[]", "..", "%2E%2E"],
)
@pytest.mark.parametrize("body", [None, b"{}", b'{"all":true}', b""])
def test_t10_a_delete_that_names_no_fact_deletes_nothing(tenant, fact_id, body):
    facts = [tenant.write(n) for n in range(2)]

    answer = tenant.admin.ask("DELETE", f"{FACTS}/{fact_id}", body)

    assert answer.status_code in (400, 404, 405)
    assert answer.json()["error"]["code"]
    assert all_facts(tenant.admin) == facts[::-1]


@pytest.mark.parametrize("query", [{}, {"scope": "{}"}, {"type": "note"}, {"factId": ""}])
def test_t10_the_whole_list_cannot_be_deleted(tenant, query):
    fact = tenant.write("kept")

    answer = tenant.admin.ask("DELETE", FACTS, query=query)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
    assert all_facts(tenant.admin) == [fact]
