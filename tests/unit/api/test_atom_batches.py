"""Writing many atoms at once over HTTP: spec/read-memory.md §1."""

from datetime import timedelta

import pytest
from palimpsest.domain.atoms import atom_of
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import (
    StoreFailedError,
    StoreUnavailableError,
    TooLargeError,
    WriteConflictError,
)
from palimpsest.domain.idempotency import HELD_FOR
from palimpsest.ports.facts import MAX_ADDED_TOGETHER

from tests.builders import TENANT, build_caller
from tests.service import FakeService, dying_after

BATCH = "/api/v1/memory/write_batch"
KEY = {"idempotency-key": "k-1"}


@pytest.fixture
def service() -> FakeService:
    return FakeService()


def write_batch(service, items, **asked):
    given = {"token": "ana", **asked}
    return service.ask("POST", given.pop("path", BATCH), {"items": items}, **given)


def texts_in(service):
    return sorted(atom_of(fact.revision).text for fact, _ in service.facts.histories())


@pytest.mark.parametrize("path", [BATCH, "/api/v1/memory/write-batch"])
def test_a_batch_is_answered_item_by_item(service, path):
    service.novelty = 0.5

    answer = write_batch(service, [{"content": "Tea."}, {"content": "Coffee."}], path=path)

    assert answer.status == 200
    ids = [result["atom_id"] for result in answer.body["results"]]
    assert answer.body == {
        "total_count": 2,
        "stored_count": 2,
        "results": [
            {
                "index": index,
                "stored": True,
                "atom_id": ids[index],
                "importance": 0.5,
                "reason": "",
                "error": None,
            }
            for index in (0, 1)
        ],
    }
    assert ids == sorted(set(ids))
    assert texts_in(service) == ["Coffee.", "Tea."]


def test_an_empty_batch_is_a_batch(service):
    answer = write_batch(service, [])

    assert answer.body == {"total_count": 0, "stored_count": 0, "results": []}


def test_a_bad_item_is_its_own_error_and_stops_no_other(service):
    items = [
        {"content": "Tea."},
        {"content": "x" * 10_001},
        "Coffee.",
        {"content": "Milk.", "supersedes": ["01975000-0000-7000-8000-000000000000"]},
        {"content": "Juice.", "domain": "xroom:room_01"},
        {"content": "Beer.", "colour": "red"},
        {"content": "Water.", "supersedes": []},
    ]

    body = write_batch(service, items).body

    assert [(r["index"], r["stored"]) for r in body["results"]] == [
        (0, True), (1, False), (2, False), (3, False), (4, False), (5, False), (6, True),
    ]  # fmt: skip
    assert [r["error"] for r in body["results"]] == [
        None,
        "400 bad-input: content: String should have at most 10000 characters.",
        "400 bad-input: An item must be a JSON object.",
        "422 unprocessable: supersedes: is not taken in a batch: write this atom by itself.",
        "422 unprocessable: domain: must not be the address of a room: shared rooms are not offered here.",
        "400 bad-input: colour: is no field of this body.",
        None,
    ]
    assert body["results"][1] == {
        "index": 1,
        "stored": False,
        "atom_id": None,
        "importance": 0.0,
        "reason": "",
        "error": "400 bad-input: content: String should have at most 10000 characters.",
    }
    assert (body["total_count"], body["stored_count"]) == (7, 2)
    assert texts_in(service) == ["Tea.", "Water."]


def test_a_batch_of_nothing_but_bad_items_is_still_answered(service):
    body = write_batch(service, [{}, {}]).body

    assert [r["error"] for r in body["results"]] == ["400 bad-input: content: is required."] * 2


@pytest.mark.parametrize(
    ("body", "field", "msg"),
    [
        ({}, "items", "is required"),
        ({"items": {}}, "items", "Input should be a valid list"),
        (
            {"items": [{"content": "x"}] * 501},
            "items",
            "List should have at most 500 items after validation, not 501",
        ),
        ({"items": [], "domain": "d"}, "domain", "is no field of this body"),
    ],
)
def test_a_batch_that_is_none_is_refused(service, body, field, msg):
    answer = service.ask("POST", BATCH, body, token="ana")

    assert answer.status == 400
    assert answer.body["details"] == {"errors": [{"loc": ["body", field], "msg": msg}]}


def test_five_hundred_atoms_are_stored_a_few_in_each_transaction(service):
    added = []
    inner = service.facts.add_all

    def add_all(facts, *rest, **named):
        added.append(len(facts))
        inner(facts, *rest, **named)

    service.facts.add_all = add_all

    body = write_batch(service, [{"content": f"Fact {n}."} for n in range(500)]).body

    assert body["stored_count"] == 500
    assert len(texts_in(service)) == 500
    assert sum(added) == 500
    assert max(added) == MAX_ADDED_TOGETHER
    ids = [result["atom_id"] for result in body["results"]]
    assert ids == sorted(set(ids))


def test_large_atoms_share_no_transaction_that_would_not_hold_them(service):
    sizes = []
    inner = service.facts.add_all

    def add_all(facts, *rest, **named):
        sizes.append(sum(fact.revision.size for fact in facts))
        inner(facts, *rest, **named)

    service.facts.add_all = add_all
    large = {"a": "x" * 60_000, "b": "y" * 5_000}
    items = [{"content": "😀" * 9_990 + str(n), "metadata": large} for n in range(30)]

    assert write_batch(service, items).body["stored_count"] == 30
    assert max(sizes) <= 2 * 1024 * 1024


def test_all_of_a_batch_go_to_the_callers_home(service):
    ids = [r["atom_id"] for r in write_batch(service, [{"content": "Tea."}]).body["results"]]

    fact = service.facts.load(TENANT, ids[0]).fact
    assert dict(fact.revision.scope.items()) == {"tenantId": TENANT, "userId": "ana"}


def test_a_service_without_a_home_is_refused_as_a_whole(service):
    service.callers["job"] = build_caller("job", kind=CallerKind.SERVICE)

    answer = write_batch(service, [{"content": "Tea."}], token="job")

    assert (answer.status, answer.code) == (403, "permission-denied")


def test_what_a_batch_says_twice_is_stored_once(service):
    body = write_batch(
        service,
        [
            {"content": "Zoë."},
            {"content": "Tea."},
            {"content": "Zoe\u0308."},
            {"content": "Zoë.", "domain": "d"},
        ],
    ).body

    first, _, again, elsewhere = body["results"]
    assert again == {
        "index": 2,
        "stored": False,
        "atom_id": first["atom_id"],
        "importance": 0.0,
        "reason": "same-content-stands",
        "error": None,
    }
    assert elsewhere["stored"] is True
    assert body["stored_count"] == 3


def test_what_stands_already_is_not_stored_again(service):
    stands = service.write_atom("Tea.")["atom_id"]

    first, other = write_batch(service, [{"content": "Tea."}, {"content": "Milk."}]).body["results"]

    assert (first["stored"], first["atom_id"]) == (False, stands)
    assert other["stored"] is True


def test_of_what_has_ended_a_transaction_hears_only_its_own_part(service):
    items = [{"content": f"Fact {n}."} for n in range(3 * MAX_ADDED_TOGETHER)]
    for result in write_batch(service, items).body["results"]:
        service.ask("DELETE", f"/api/v1/memory/atoms/{result['atom_id']}", token="ana")
    told = []
    inner = service.facts.add_all

    def add_all(facts, *rest, **named):
        told.append(len(named["stale"]))
        inner(facts, *rest, **named)

    service.facts.add_all = add_all

    # DynamoDB takes at most a hundred values to compare with.
    assert write_batch(service, items).body["stored_count"] == len(items)
    assert told == [MAX_ADDED_TOGETHER] * 3


def test_novelty_that_is_not_known_is_said_of_each(service):
    service.novelty = None

    [result] = write_batch(service, [{"content": "Tea."}]).body["results"]

    assert (result["importance"], result["reason"]) == (1.0, "novelty-unknown")


def test_every_atom_of_a_batch_is_learnt_from(service):
    items = [{"content": "Tea.", "concepts": ["tea", "green"]}] * 2
    write_batch(service, [*items, {"content": "Milk.", "concepts": ["milk", "white"]}])

    assert [set(lesson.concepts) for lesson in service.lessons.take()] == [
        {"tea", "green"},
        {"milk", "white"},
    ]


# ---- Trouble -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [WriteConflictError, StoreUnavailableError])
def test_a_transaction_that_loses_a_race_is_tried_again(service, error):
    service.facts.write_faults.fail_next(error("x"))

    assert write_batch(service, [{"content": "Tea."}]).body["stored_count"] == 1


def test_a_store_that_takes_none_of_it_is_told_as_such(service):
    service.facts.write_faults.fail_next(StoreUnavailableError("x"), times=5)

    answer = write_batch(service, [{"content": "Tea."}])

    assert (answer.status, answer.body["retryable"]) == (503, True)


def test_a_transaction_that_fails_does_not_take_the_others_with_it(service):
    service.facts.write_faults.fail_next(StoreFailedError("ValidationException: Tea"))
    items = [{"content": f"Fact {n}."} for n in range(MAX_ADDED_TOGETHER + 1)]

    body = write_batch(service, items).body

    assert body["stored_count"] == 1
    assert {r["error"] for r in body["results"][:-1]} == {
        "500 persistence-error: The store refused; this was logged."
    }
    assert body["results"][-1]["stored"] is True


def test_an_atom_that_is_too_large_does_not_keep_the_others_out(service):
    inner = service.facts.add_all

    def add_all(facts, *rest, **named):
        if any("huge" in fact.revision.content for fact in facts):
            raise TooLargeError(4 * 1024 * 1024)
        inner(facts, *rest, **named)

    service.facts.add_all = add_all

    body = write_batch(service, [{"content": t} for t in ("Tea.", "huge", "Milk.")]).body

    assert [r["stored"] for r in body["results"]] == [True, False, True]
    assert body["results"][1]["error"].startswith("413 request-too-large: ")


def test_a_batch_that_takes_too_long_tells_what_is_not_stored(service):
    inner = service.facts.add_all

    def add_all(facts, *rest, **named):
        inner(facts, *rest, **named)
        service.clock.advance(timedelta(seconds=4))

    service.facts.add_all = add_all
    items = [{"content": f"Fact {n}."} for n in range(3 * MAX_ADDED_TOGETHER)]

    body = write_batch(service, items).body

    # The official client waits for ten seconds.
    assert body["stored_count"] == 2 * MAX_ADDED_TOGETHER
    late = body["results"][-1]
    assert late["error"] == (
        "503 persistence-unavailable: The store does not answer in time; try again."
    )
    assert texts_in(service) == sorted(item["content"] for item in items[: body["stored_count"]])


def test_content_that_comes_in_between_is_left_out_of_the_next_attempt(service):
    stands = service.write_atom("Tea.")["atom_id"]
    real, looks = service.atoms.find_same, []

    def find_same(scope, texts):
        looks.append(texts)
        return {} if len(looks) == 1 else real(scope, texts)

    service.atoms.find_same = find_same

    tea, milk = write_batch(service, [{"content": "Tea."}, {"content": "Milk."}]).body["results"]

    assert (tea["stored"], tea["atom_id"]) == (False, stands)
    assert milk["stored"] is True
    assert texts_in(service) == ["Milk.", "Tea."]


def test_a_batch_that_is_sent_again_with_its_key_is_done_once(service):
    items = [{"content": "Tea."}, {"content": "Milk."}]

    first = write_batch(service, items, headers=KEY)
    again = write_batch(service, items, headers=KEY)

    assert again.text == first.text
    assert again.headers["X-Idempotent-Replay"] == "true"


def test_a_batch_whose_function_died_makes_no_second_set(service):
    items = [{"content": f"Fact {n}."} for n in range(MAX_ADDED_TOGETHER + 2)]
    with dying_after(service.facts, "add_all"):
        write_batch(service, items, headers=KEY)
    assert len(texts_in(service)) == MAX_ADDED_TOGETHER
    service.clock.advance(HELD_FOR)

    again = write_batch(service, items, headers=KEY)

    assert again.body["stored_count"] == len(items)
    assert len({r["atom_id"] for r in again.body["results"]}) == len(items)
    assert len(texts_in(service)) == len(items)


def test_a_batch_that_was_lost_without_a_key_names_what_stands(service):
    items = [{"content": "Tea."}, {"content": "Milk."}]
    first = write_batch(service, items).body

    again = write_batch(service, items).body

    assert again["stored_count"] == 0
    ids = [[r["atom_id"] for r in body["results"]] for body in (first, again)]
    assert ids[0] == ids[1]
