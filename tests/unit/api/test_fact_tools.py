"""The tools over facts: HTTP's rules, in the scope that a token works in."""

from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError

from tests.builders import TENANT, build_caller
from tests.tools import FakeTools

HOME = {"tenantId": TENANT, "userId": "ana"}


@pytest.fixture
def tools():
    return FakeTools()


def write(tools, content="Ana plays chess.", **arguments):
    called = tools.call("write_fact", type="note", content=content, **arguments)
    assert not called.is_error, called.text
    tools.clock.advance(timedelta(seconds=1))
    return called.value


def test_a_fact_is_written_into_the_tokens_own_scope_and_read_back(tools):
    fact = write(tools, {"text": "Ana plays chess.", "since": 2019})

    read = tools.call("get_fact", factId=fact["id"])

    assert read.value == fact
    assert fact["scope"] == HOME
    assert read.text == {
        "id": fact["id"],
        "v": 1,
        "t": "note",
        "at": "2026-05-01T12:00:00.000Z",
        "c": {"text": "Ana plays chess.", "since": 2019},
    }


def test_content_comes_back_to_the_digit(tools):
    fact = write(tools, {"n": 12345678901234567890123, "x": 0.1, "nothing": None})

    read = tools.call("get_fact", factId=fact["id"])

    assert read.text["c"] == {"n": 12345678901234567890123, "x": 0.1, "nothing": None}


def test_a_fact_whose_content_is_null_says_so(tools):
    fact = write(tools, None)

    assert fact["content"] is None
    assert tools.call("get_fact", factId=fact["id"]).text["c"] is None


def test_a_page_goes_on_where_the_page_before_ended(tools):
    facts = [write(tools, n) for n in range(3)]

    first = tools.call("list_facts", limit=2)
    second = tools.call("list_facts", limit=2, cursor=first.value["nextCursor"])

    assert first.value["data"] == [facts[2], facts[1]]
    assert first.text["more"] is True
    assert first.text["next"] == first.value["nextCursor"]
    assert second.value == {"data": [facts[0]], "hasMore": False}
    assert [f["c"] for f in second.text["f"]] == [0]


def test_a_cursor_of_another_list_is_refused(tools):
    write(tools), write(tools)
    first = tools.call("list_facts", limit=1)

    other = tools.call("list_facts", limit=1, type="note", cursor=first.value["nextCursor"])

    assert other.is_error
    assert other.text["code"] == "bad-input"


def test_memory_is_shown_as_it_stood(tools):
    fact = write(tools, "first")
    tools.call("supersede_fact", factId=fact["id"], content="second")

    listed = tools.call("list_facts", asOf="2026-05-01T12:00:00Z")
    read = tools.call("get_fact", factId=fact["id"], asOf="2026-05-01T12:00:00Z")

    assert [f["content"] for f in listed.value["data"]] == ["first"]
    assert read.value["content"] == "first"
    assert tools.call("get_fact", factId=fact["id"], version=1).value["version"] == 1


def test_the_newest_facts_are_retrieved(tools):
    fact = write(tools)

    found = tools.call("retrieve_facts", mode="list")

    assert found.value == {"results": [{"fact": fact}]}
    assert found.text["n"] == 1


def test_a_search_without_an_index_says_what_to_do():
    found = FakeTools(index=None).call("retrieve_facts", mode="keyword", query="chess")

    assert found.is_error
    assert found.text["error"] == "Search not supported"
    assert found.text["fix"] == "Use the mode list"


def test_a_search_without_a_query_is_refused(tools):
    found = tools.call("retrieve_facts", mode="keyword")

    assert found.text["error"] == "Invalid query"
    assert found.text["cause"] == "query: is required for keyword."


def test_a_fact_is_superseded_verified_and_deleted(tools):
    fact = write(tools, "first")

    second = tools.call("supersede_fact", factId=fact["id"], content="second", expectVersion=1)
    third = tools.call("verify_fact", factId=fact["id"], expectVersion=2)
    last = tools.call("delete_fact", factId=fact["id"], expectVersion=3)

    assert (second.value["version"], second.value["content"]) == (2, "second")
    assert third.value["trust"] == "verified"
    assert third.text["trust"] == "verified"
    assert last.value["invalidationReason"] == "deleted"
    assert last.text["end"] == "deleted"
    assert tools.call("list_facts").value == {"data": [], "hasMore": False}


@pytest.mark.parametrize("name", ["supersede_fact", "verify_fact", "delete_fact"])
def test_a_fact_that_has_changed_is_not_changed_unread(tools, name):
    fact = write(tools)
    arguments = {"content": "x"} if name == "supersede_fact" else {}

    called = tools.call(name, factId=fact["id"], expectVersion=2, **arguments)

    assert called.text["error"] == "Fact changed"
    assert called.text["details"] == {"currentVersion": 1}


@pytest.mark.parametrize("name", ["get_fact", "supersede_fact", "verify_fact", "delete_fact"])
def test_a_fact_outside_the_scope_is_no_fact_even_if_the_caller_may_see_it(tools, name):
    tools.callers["ana"] = build_caller("ana", writes=("apollo",))
    outside = tools.write(token="ana", scope={"projectId": "apollo"})
    arguments = {"content": "x"} if name == "supersede_fact" else {}

    called = tools.call(name, factId=outside["id"], **arguments)

    assert called.text["error"] == "Fact not found"
    assert called.text["code"] == "fact-not-found"


@pytest.mark.parametrize("name", ["get_fact", "supersede_fact", "verify_fact", "delete_fact"])
def test_a_fact_of_somebody_else_is_no_fact(tools, name):
    tools.callers["eve"] = build_caller("eve")
    hidden = tools.write(token="eve", scope={"userId": "eve"})
    arguments = {"content": "x"} if name == "supersede_fact" else {}

    called = tools.call(name, factId=hidden["id"], **arguments)
    unknown = tools.call(name, factId="nothing", **arguments)

    assert called.text | {"details": {}} == unknown.text | {"details": {}}


def test_lists_show_the_scope_only(tools):
    caller = build_caller("ana", writes=("apollo",))
    tools.callers["ana"] = caller
    tools.write("outside", token="ana", scope={"projectId": "apollo"})
    fact = write(tools, "inside")

    assert tools.call("list_facts", caller=caller).value["data"] == [fact]
    assert tools.call("retrieve_facts", caller=caller, mode="list").value["results"] == [
        {"fact": fact}
    ]


def test_a_default_scope_is_where_a_token_works(tools):
    caller = build_caller("ana", writes=("apollo",), default_scope={"projectId": "apollo"})

    called = tools.call("write_fact", caller=caller, type="note", content=1)

    assert called.value["scope"] == {"tenantId": TENANT, "projectId": "apollo"}


def test_an_argument_narrows_the_scope(tools):
    caller = build_caller("ana", writes=("apollo",))
    part = {"projectId": "apollo"}

    written = tools.call("write_fact", caller=caller, type="note", content=1, scope=part)

    assert written.value["scope"] == {**HOME, "projectId": "apollo"}
    assert len(tools.call("list_facts", caller=caller, scope=part).value["data"]) == 1
    other = tools.call("list_facts", caller=caller, scope={"projectId": "gemini"})
    assert other.value["data"] == []


def test_a_header_narrows_the_scope_of_every_tool(tools):
    caller = build_caller("ana", writes=("apollo",))
    headers = {"x-palimpsest-project": "apollo"}
    outside = write(tools)

    written = tools.call("write_fact", caller=caller, headers=headers, type="note", content=1)
    read = tools.call("get_fact", caller=caller, headers=headers, factId=outside["id"])

    assert written.value["scope"] == {**HOME, "projectId": "apollo"}
    assert read.text["error"] == "Fact not found"


def test_an_argument_cannot_leave_what_a_header_has_narrowed(tools):
    called = tools.call(
        "list_facts", headers={"x-palimpsest-project": "apollo"}, scope={"projectId": "gemini"}
    )

    assert called.is_error
    assert called.text["code"] == "permission-denied"


def test_a_wider_scope_is_refused(tools):
    caller = build_caller("ana", writes=("apollo", "gemini"), default_scope={"projectId": "apollo"})

    other = tools.call(
        "write_fact", caller=caller, type="note", content=1, scope={"projectId": "gemini"}
    )
    user = tools.call("write_fact", caller=caller, type="note", content=1, scope={"userId": "ana"})

    assert other.text["code"] == "permission-denied"
    assert user.text["error"] == "Invalid scope"
    assert user.text["cause"] == "scope.userId: is no field of this body."


@pytest.mark.parametrize("value", ["", "p" * 257])
def test_a_header_that_is_no_id_is_refused(tools, value):
    called = tools.call("list_facts", headers={"x-palimpsest-project": value})

    assert called.is_error
    assert called.text["code"] == "bad-input"
    assert called.text["details"] == {"field": "projectId"}


def test_what_may_not_be_written_is_refused(tools):
    called = tools.call("write_fact", type="note", content=1, scope={"projectId": "apollo"})

    assert called.text["error"] == "Permission denied"


@pytest.mark.parametrize("kind", [CallerKind.SERVICE, CallerKind.AGENT])
def test_a_service_without_a_scope_of_its_own_never_works_tenant_wide(tools, kind):
    caller = build_caller("bot", kind=kind, is_tenant_admin=True)

    called = tools.call("list_facts", caller=caller)

    assert called.text["error"] == "Permission denied"


def test_an_agent_may_not_verify(tools):
    agent = build_caller(
        "bot",
        kind=CallerKind.AGENT,
        writes=("apollo",),
        default_scope={"projectId": "apollo"},
        tools=frozenset({"destructive"}),
    )
    fact = tools.call("write_fact", caller=agent, type="note", content=1).value

    called = tools.call("verify_fact", caller=agent, factId=fact["id"])

    assert called.text["code"] == "permission-denied"


def test_an_agents_run_step_is_kept(tools):
    agent = build_caller(
        "bot", kind=CallerKind.AGENT, writes=("apollo",), default_scope={"projectId": "apollo"}
    )

    called = tools.call(
        "write_fact", caller=agent, headers={"x-run-id": "run-1"}, type="note", content=1
    )

    assert called.value["generatedBy"] == {"runId": "run-1"}


def test_the_same_call_under_one_key_has_one_effect_and_one_answer(tools):
    first = tools.call("write_fact", type="note", content=1, idempotencyKey="k")
    again = tools.call("write_fact", type="note", content=1, idempotencyKey="k")
    other = tools.call("write_fact", type="note", content=2, idempotencyKey="k")

    assert again.value == first.value
    assert again.text == first.text
    assert other.text["error"] == "Idempotency key reused"
    assert len(tools.call("list_facts").value["data"]) == 1


def test_a_key_stands_for_a_call_of_one_tool_in_one_scope(tools):
    caller = build_caller("ana", writes=("apollo",), tools=frozenset({"destructive"}))
    fact = tools.call("write_fact", caller=caller, type="note", content=1, idempotencyKey="k")

    deleted = tools.call("delete_fact", caller=caller, factId=fact.value["id"], idempotencyKey="k")
    narrowed = tools.call(
        "write_fact",
        caller=caller,
        headers={"x-palimpsest-project": "apollo"},
        type="note",
        content=1,
        idempotencyKey="k",
    )

    assert deleted.value["invalidationReason"] == "deleted"
    assert narrowed.text["error"] == "Idempotency key reused"


def test_a_delete_that_is_sent_again_under_its_key_is_answered_again(tools):
    fact = write(tools)

    first = tools.call("delete_fact", factId=fact["id"], idempotencyKey="k")
    again = tools.call("delete_fact", factId=fact["id"], idempotencyKey="k")

    assert again.value == first.value


@pytest.mark.parametrize("error", [StoreUnavailableError("secret"), StoreFailedError("secret")])
def test_a_fault_of_the_store_is_told_in_the_seeds_words(tools, error):
    tools.facts.read_faults.fail_next(error)

    called = tools.call("list_facts")

    assert called.text | {"code": ""} == {
        "error": "Database error",
        "cause": "Connection or query failure",
        "fix": "Check DB connectivity and logs",
        "code": "",
        "requestId": "JKJaXmPLvHcESHA=",
    }
    assert "secret" not in called.result.text
