"""Each instant has one revision, and a late writer loses nothing: T40 to T48."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from palimpsest.domain.instants import from_text, to_text

from tests.racing import all_at_once
from tests.tenants import FACTS, HttpCaller, all_facts, retrieve, wait_until_indexed

MILLISECOND = timedelta(milliseconds=1)


def contents_at(caller: HttpCaller, fact_id: str, moment: datetime) -> tuple[Any, Any]:
    """Return what get and list say of a fact as of an instant; None where they do not have it."""
    text = to_text(moment)
    got = caller.ask("GET", f"{FACTS}/{fact_id}", query={"asOf": text})
    assert got.status_code in (200, 404)
    listed = [fact["content"] for fact in all_facts(caller, asOf=text) if fact["id"] == fact_id]
    assert len(listed) <= 1
    return got.json().get("content"), listed[0] if listed else None


def test_t40_at_the_instant_of_a_supersede_it_is_the_new_one(tenant):
    fact = tenant.write("old")
    path = f"{FACTS}/{fact['id']}"
    newer = tenant.admin.ask("POST", f"{path}/supersede", {"content": "new"}).json()
    instant = from_text(newer["createdAt"], field="")

    seen = [
        contents_at(tenant.admin, fact["id"], moment)
        for moment in (instant - MILLISECOND, instant, instant + MILLISECOND)
    ]

    assert seen == [("old", "old"), ("new", "new"), ("new", "new")]


def test_t40_at_the_instant_of_a_delete_it_is_gone_and_before_its_first_write_it_is_not_there(
    tenant,
):
    fact = tenant.write("kept a while")
    closed = tenant.admin.ask("DELETE", f"{FACTS}/{fact['id']}").json()
    began = from_text(fact["createdAt"], field="")
    ended = from_text(closed["invalidatedAt"], field="")

    seen = [
        contents_at(tenant.admin, fact["id"], moment)
        for moment in (began - MILLISECOND, began, ended - MILLISECOND, ended, ended + MILLISECOND)
    ]

    there = ("kept a while", "kept a while")
    assert seen == [(None, None), there, there, (None, None), (None, None)]


NO_INSTANTS = (
    "2026-05-01", "", "yesterday", "now", "2026-05-01T12:00:00", "2026-05-01 12:00", "12:00Z", "1777636800",
    "2026-05-01T25:00:00Z", "2026-02-30T00:00:00Z", "2026-05-01T12:00:00+25:00", "2026-W18", "null", "2026-05-01T12:00:00Z ",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_INSTANTS)
def test_t42_what_is_no_instant_is_refused_everywhere(tenant, text):
    fact = tenant.write("kept")
    path = f"{FACTS}/{fact['id']}"

    answers = [
        tenant.admin.ask("GET", path, query={"asOf": text}),
        tenant.admin.ask("GET", FACTS, query={"asOf": text}),
        *(
            tenant.admin.ask("POST", target, {**body, field: text})
            for field in ("validFrom", "validUntil", "observedAt")
            for target, body in ((FACTS, tenant.body("x")), (f"{path}/supersede", {"content": "x"}))
        ),
        tenant.admin.ask("POST", FACTS, tenant.body("x", retention={"keepUntil": text})),
    ]

    assert {(a.status_code, a.json()["error"]["code"]) for a in answers} == {(400, "bad-input")}
    assert all_facts(tenant.admin) == [fact]


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2026-05-01T17:30:00+05:30", "2026-05-01T12:00:00.000Z"),
        ("2026-05-01T12:00:00Z", "2026-05-01T12:00:00.000Z"),
        ("2026-05-01T12:00:00.123456789Z", "2026-05-01T12:00:00.123Z"),
        ("2026-04-30T23:00:00-13:00", "2026-05-01T12:00:00.000Z"),
    ],
)
def test_t42_an_offset_is_taken_and_normalised(tenant, text, normal):
    fact = tenant.write("x", observedAt=text, validFrom=text, validUntil=text)
    early = tenant.admin.ask("GET", f"{FACTS}/{fact['id']}", query={"asOf": text})

    assert {fact[name] for name in ("observedAt", "validFrom", "validUntil")} == {normal}
    assert early.status_code == 404


@pytest.mark.parametrize("operation", ["write", "supersede"])
def test_t43_an_interval_ends_no_sooner_than_it_begins(tenant, operation):
    fact = tenant.write("kept")
    early, late = "2026-05-01T00:00:00.000Z", "2026-05-01T00:00:00.001Z"

    def send(**interval: str) -> int:
        if operation == "write":
            answer = tenant.admin.ask("POST", FACTS, tenant.body("x", **interval))
        else:
            body = {"content": "x", **interval}
            answer = tenant.admin.ask("POST", f"{FACTS}/{fact['id']}/supersede", body)
        assert answer.is_error or interval.items() <= answer.json().items()
        return answer.status_code

    good = 201 if operation == "write" else 200
    assert send(validFrom=late, validUntil=early) == 400
    assert send(validUntil=early) == good
    # What a supersede leaves out keeps its value, so that this one would begin after its end.
    assert send(validFrom=late) == (good if operation == "write" else 400)
    assert send(validFrom=early, validUntil=early) == good
    assert send(validFrom=early, validUntil=late) == good


def test_t44_one_role_after_the_other_is_no_conflict(tenant):
    first_of_may = "2026-05-01T00:00:00.000Z"
    subjects = [{"kind": "external", "id": "ana"}]

    before = tenant.write("cook", type="role", subjects=subjects, validUntil=first_of_may)
    after = tenant.write("baker", type="role", subjects=subjects, validFrom=first_of_may)

    assert all_facts(tenant.admin, type="role") == [after, before]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "both"])
def test_t45_of_fifty_revisions_the_current_one_is_found(tenant, mode):
    fact = tenant.write("Ana's favourite tea is number 0.")
    others = [tenant.write(text) for text in ("It rains.", "Ben sails.", "A red car.", "Music.")]
    for number in range(1, 51):
        path = f"{FACTS}/{fact['id']}/supersede"
        body = {"content": f"Ana's favourite tea is number {number}."}
        current = tenant.admin.ask("POST", path, body).json()
    wait_until_indexed(tenant, current, *others)

    results = retrieve(tenant.admin, mode, "Which tea is Ana's favourite?", limit=5)

    found = [one["fact"] for one in results]
    assert found[0] == current
    assert [one["id"] for one in found].count(fact["id"]) == 1
    if mode != "keyword":
        assert len(found) == 5


@pytest.mark.parametrize("operation", ["supersede", "verify", "delete"])
def test_t47_who_read_an_older_version_is_told_the_current_one(tenant, operation):
    fact = tenant.write("first")
    path = f"{FACTS}/{fact['id']}"
    for content in ("second", "third", "by another writer"):
        tenant.admin.ask("POST", f"{path}/supersede", {"content": content})

    late = {
        "supersede": lambda: tenant.admin.ask(
            "POST", f"{path}/supersede", {"content": "late", "expectVersion": 3}
        ),
        "verify": lambda: tenant.admin.ask("POST", f"{path}/verify", {"expectVersion": 3}),
        "delete": lambda: tenant.admin.ask("DELETE", path, query={"expectVersion": "3"}),
    }[operation]()

    error = late.json()["error"]
    assert (late.status_code, error["code"]) == (409, "fact-changed")
    assert error["details"]["currentVersion"] == 4
    history = tenant.admin.ask("GET", f"{path}/revisions").json()["data"]
    assert [r["content"] for r in history] == ["by another writer", "third", "second", "first"]
    assert "invalidatedAt" not in history[0]


def test_t48_of_twenty_at_once_one_wins_and_twenty_writes_are_twenty_facts(tenant):
    fact = tenant.write("old")
    path = f"{FACTS}/{fact['id']}"

    statuses = all_at_once(
        lambda n: (
            tenant.admin.ask(
                "POST", f"{path}/supersede", {"content": n, "expectVersion": 1}
            ).status_code
        ),
        range(20),
    )
    written = all_at_once(tenant.write, range(20))

    assert sorted(statuses) == [200] + [409] * 19
    history = tenant.admin.ask("GET", f"{path}/revisions").json()["data"]
    assert ["invalidatedAt" in revision for revision in history] == [False, True]
    assert len({one["id"] for one in written}) == 20
    assert len(all_facts(tenant.admin)) == 21
