"""Rating and deleting atoms, and what is asked of rooms, over HTTP: spec/read-memory.md §1 and §4."""

from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import StoreUnavailableError, TooLargeError, WriteConflictError
from palimpsest.domain.reranking import moved_valence
from palimpsest.ports.facts import MAX_MOVED_TOGETHER

from tests.builders import TENANT, build_caller
from tests.service import REQUEST_ID, FakeService

FEEDBACK = "/api/v1/memory/feedback"
ATOMS = "/api/v1/memory/atoms"
FACTS = "/v1/memory/facts"
NOBODY = "01975000-0000-7000-8000-000000000000"


@pytest.fixture
def service() -> FakeService:
    service = FakeService()
    apollo = {"projectId": "apollo"}
    service.callers |= {
        "ben": build_caller("ben"),
        "cleo": build_caller("cleo", writes=("apollo",), default_scope=apollo),
        "dan": build_caller("dan", reads=("apollo",)),
        "job": build_caller("job", kind=CallerKind.SERVICE, writes=("apollo",)),
        "root": build_caller("root", kind=CallerKind.SERVICE, is_tenant_admin=True),
    }
    return service


def rate(service, atom_ids, outcome=1.0, *, token="ana", **fields):
    body = {"atom_ids": atom_ids, "outcome": outcome, **fields}
    return service.ask("POST", FEEDBACK, body, token=token)


def valence_of(service, atom_id):
    return service.facts.load(TENANT, atom_id).fact.valence


def test_feedback_moves_the_valence_of_atoms(service):
    ids = [service.write_atom(text)["atom_id"] for text in ("Tea.", "Milk.")]

    answer = rate(service, ids, 1.0)

    assert answer.status == 200
    assert answer.body == {
        "updated_count": 2,
        "avg_valence": moved_valence(None, 1.0),
        "coactivation_edges": 0,
        "feedback_time_ms": answer.body["feedback_time_ms"],
    }
    assert answer.body["feedback_time_ms"] >= 0
    assert [valence_of(service, i) for i in ids] == [moved_valence(None, 1.0)] * 2


def test_each_outcome_moves_it_on_from_where_it_stands(service):
    atom_id = service.write_atom()["atom_id"]

    for outcome in (1.0, 1.0, -1.0, 0.0):
        before = valence_of(service, atom_id)
        answer = rate(service, [atom_id], outcome)
        assert valence_of(service, atom_id) == pytest.approx(moved_valence(before, outcome))
        assert answer.body["avg_valence"] == pytest.approx(valence_of(service, atom_id))


def test_the_mean_is_of_valences_as_they_are_kept(service):
    atom_id = service.write_atom()["atom_id"]

    *_, last = [rate(service, [atom_id], 1.0) for _ in range(7)]

    assert last.body["avg_valence"] == valence_of(service, atom_id) == 0.992188


def test_feedback_makes_no_revision(service):
    atom_id = service.write_atom()["atom_id"]

    rate(service, [atom_id], -1)

    fact = service.ask("GET", f"{FACTS}/{atom_id}", token="ana").body
    assert fact["version"] == 1


def test_what_is_no_atom_is_passed_over(service):
    atom_id = service.write_atom()["atom_id"]
    note = service.write(token="ana", scope={"userId": "ana"})["id"]
    bens = service.write_atom("Tea.", token="ben")["atom_id"]

    answer = rate(service, ["no id", "", NOBODY, note, bens, atom_id, atom_id])

    assert (answer.status, answer.body["updated_count"]) == (200, 1)
    assert valence_of(service, bens) is None
    assert valence_of(service, note) is None


def test_nothing_updated_has_a_mean_of_zero(service):
    answer = rate(service, [NOBODY])

    assert answer.body["updated_count"] == 0
    assert answer.body["avg_valence"] == 0
    assert answer.body["coactivation_edges"] == 0


def test_no_ids_at_all_are_no_feedback_on_everything(service):
    atom_id = service.write_atom()["atom_id"]

    assert rate(service, []).body["updated_count"] == 0
    assert valence_of(service, atom_id) is None


def test_only_who_may_write_an_atom_moves_what_others_are_shown(service):
    atom_id = service.write_atom(token="cleo")["atom_id"]

    assert rate(service, [atom_id], token="dan").body["updated_count"] == 0
    assert rate(service, [atom_id], token="cleo").body["updated_count"] == 1


def test_what_has_ended_is_passed_over(service):
    old = service.write_atom("Tea.")["atom_id"]
    service.write_atom("Water.", supersedes=[old])
    deleted = service.write_atom("Milk.")["atom_id"]
    service.ask("DELETE", f"{ATOMS}/{deleted}", token="ana")

    assert rate(service, [old, deleted]).body["updated_count"] == 0


def test_what_is_being_erased_is_passed_over(service):
    atom_id = service.write_atom()["atom_id"]
    service.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=atom_id),)

    assert rate(service, [atom_id]).body["updated_count"] == 0


def test_the_domain_never_narrows_what_is_rated(service):
    atom_id = service.write_atom(domain="games")["atom_id"]

    for domain in ("general", "elsewhere", "xroom:room_01", ""):
        assert rate(service, [atom_id], domain=domain).body["updated_count"] == 1


def test_feedback_teaches_what_belongs_together(service):
    tea = service.write_atom("Tea.", concepts=["tea", "green"])["atom_id"]
    milk = service.write_atom("Milk.", concepts=["milk"])["atom_id"]
    service.lessons.take()

    answer = rate(service, [tea, milk], 1.0, query_concepts=["Green"], concepts=["hot"])

    [lesson] = service.lessons.take()
    # What the caller asked chooses among the atoms' concepts and is never learnt itself.
    assert lesson.concepts[0] == "green"
    assert set(lesson.concepts) == {"tea", "green", "milk"}
    assert lesson.outcome == 1.0
    assert answer.body["coactivation_edges"] == 3


def test_many_atoms_are_moved_in_groups(service):
    ids = [service.write_atom(f"Fact {n}.")["atom_id"] for n in range(2 * MAX_MOVED_TOGETHER + 1)]
    moved = []
    inner = service.facts.move_valences

    def move_valences(moves, **named):
        moved.append(len(moves))
        inner(moves, **named)

    service.facts.move_valences = move_valences

    assert rate(service, ids).body["updated_count"] == len(ids)
    assert moved == [MAX_MOVED_TOGETHER, MAX_MOVED_TOGETHER, 1]


def test_atoms_that_are_too_large_together_are_moved_apart(service):
    ids = [service.write_atom(f"Fact {n}.")["atom_id"] for n in range(5)]
    inner = service.facts.move_valences

    def move_valences(moves, **named):
        if len(moves) > 2:
            raise TooLargeError(4 * 1024 * 1024)
        inner(moves, **named)

    service.facts.move_valences = move_valences

    assert rate(service, ids).body["updated_count"] == 5
    assert {valence_of(service, atom_id) for atom_id in ids} == {moved_valence(None, 1.0)}


@pytest.mark.parametrize("error", [WriteConflictError, StoreUnavailableError])
def test_feedback_that_loses_a_race_tries_again(service, error):
    atom_id = service.write_atom()["atom_id"]
    service.facts.write_faults.fail_next(error("x"))

    assert rate(service, [atom_id]).body["updated_count"] == 1
    assert service.pauses.attempts == [1]


def test_an_answer_that_was_lost_moves_nothing_twice(service):
    atom_id = service.write_atom()["atom_id"]
    service.facts.write_faults.drop_answers()

    rate(service, [atom_id])

    assert valence_of(service, atom_id) == moved_valence(None, 1.0)


def test_a_service_without_a_home_rates_nothing(service):
    answer = rate(service, [NOBODY], token="job")

    assert (answer.status, answer.code) == (403, "permission-denied")


@pytest.mark.parametrize(
    ("body", "field", "msg"),
    [
        ({"outcome": 1}, "atom_ids", "is required"),
        ({"atom_ids": "x", "outcome": 1}, "atom_ids", "Input should be a valid list"),
        (
            {"atom_ids": ["x"] * 1001, "outcome": 1},
            "atom_ids",
            "List should have at most 1000 items after validation, not 1001",
        ),
        (
            {"atom_ids": ["x" * 257], "outcome": 1},
            "atom_ids.0",
            "String should have at most 256 characters",
        ),
        ({"atom_ids": []}, "outcome", "is required"),
        ({"atom_ids": [], "outcome": None}, "outcome", "is required"),
        ({"atom_ids": [], "outcome": "1"}, "outcome", "Input should be a valid number"),
        ({"atom_ids": [], "outcome": True}, "outcome", "Input should be a valid number"),
        ({"atom_ids": [], "outcome": 1.01}, "outcome", "Input should be less than or equal to 1"),
        ({"atom_ids": [], "outcome": -2}, "outcome", "Input should be greater than or equal to -1"),
        (
            {"atom_ids": [], "outcome": 0, "domain": "d" * 101},
            "domain",
            "String should have at most 100 characters",
        ),
        (
            {"atom_ids": [], "outcome": 0, "query_concepts": ["c"] * 257},
            "query_concepts",
            "List should have at most 256 items after validation, not 257",
        ),
        ({"atom_ids": [], "outcome": 0, "colour": 1}, "colour", "is no field of this body"),
    ],
)
def test_a_bad_field_of_feedback_is_named_with_its_limit(service, body, field, msg):
    answer = service.ask("POST", FEEDBACK, body, token="ana")

    assert (answer.status, answer.code) == (400, "bad-input")
    assert answer.body["details"] == {"errors": [{"loc": ["body", field], "msg": msg}]}


# ---- Deleting ----------------------------------------------------------------------------------------------------------


def test_an_atom_is_deleted_once(service):
    atom_id = service.write_atom()["atom_id"]

    first = service.ask("DELETE", f"{ATOMS}/{atom_id}", token="ana")
    again = service.ask("DELETE", f"{ATOMS}/{atom_id}", token="ana")

    assert (first.status, first.body) == (200, {"deleted": 1})
    assert (again.status, again.body) == (200, {"deleted": 0})
    assert service.ask("GET", f"{FACTS}/{atom_id}", token="ana").status == 404


def test_an_atom_that_was_replaced_is_deleted_too(service):
    old = service.write_atom("Tea.")["atom_id"]
    successor = service.write_atom("Water.", supersedes=[old])["atom_id"]

    first = service.ask("DELETE", f"{ATOMS}/{old}", token="ana")
    again = service.ask("DELETE", f"{ATOMS}/{old}", token="ana")

    assert (first.body, again.body) == ({"deleted": 1}, {"deleted": 0})
    assert service.facts.load(TENANT, old).fact.revision.closing.reason == "deleted"
    assert not service.facts.load(TENANT, successor).fact.is_closed


@pytest.mark.parametrize("atom_id", [NOBODY, "no-id", "x" * 300])
def test_deleting_what_is_not_there_deletes_nothing(service, atom_id):
    answer = service.ask("DELETE", f"{ATOMS}/{atom_id}", token="ana")

    assert (answer.status, answer.body) == (200, {"deleted": 0})


def test_deleting_what_may_not_be_seen_is_as_if_it_was_not_there(service):
    atom_id = service.write_atom(token="ben")["atom_id"]

    answer = service.ask("DELETE", f"{ATOMS}/{atom_id}", token="ana")

    assert (answer.status, answer.body) == (200, {"deleted": 0})
    assert not service.facts.load(TENANT, atom_id).fact.is_closed


def test_this_door_deletes_atoms_and_nothing_else(service):
    note = service.write(token="ana", scope={"userId": "ana"})["id"]

    answer = service.ask("DELETE", f"{ATOMS}/{note}", token="ana")

    assert answer.body == {"deleted": 0}
    assert not service.facts.load(TENANT, note).fact.is_closed


def test_deleting_what_may_be_seen_and_not_written_is_refused(service):
    atom_id = service.write_atom(token="cleo")["atom_id"]

    answer = service.ask("DELETE", f"{ATOMS}/{atom_id}", token="dan")

    assert (answer.status, answer.code) == (403, "permission-denied")


@pytest.mark.parametrize("token", ["job", "root"])
def test_a_service_without_a_home_deletes_nothing(service, token):
    atom_id = service.write_atom(token="cleo")["atom_id"]

    answer = service.ask("DELETE", f"{ATOMS}/{atom_id}", token=token)

    assert (answer.status, answer.code) == (403, "permission-denied")
    assert not service.facts.load(TENANT, atom_id).fact.is_closed


def test_an_atom_that_is_held_is_not_deleted(service):
    atom_id = service.write_atom()["atom_id"]
    held = {"content": "Tea.", "retention": {"legalHold": True}}
    assert service.ask("POST", f"{FACTS}/{atom_id}/supersede", held).status == 200

    answer = service.ask("DELETE", f"{ATOMS}/{atom_id}", token="ana")

    assert (answer.status, answer.code) == (409, "legal-hold")


def test_a_delete_whose_answer_was_lost_is_still_told_as_done(service):
    atom_id = service.write_atom()["atom_id"]
    service.facts.write_faults.drop_answers()

    assert service.ask("DELETE", f"{ATOMS}/{atom_id}", token="ana").body == {"deleted": 1}


def test_an_expired_atom_is_gone_already(service):
    atom_id = service.write_atom()["atom_id"]
    short = {"content": "Tea.", "retention": {"keepUntil": "2026-05-01T12:00:01Z"}}
    assert service.ask("POST", f"{FACTS}/{atom_id}/supersede", short).status == 200
    service.clock.advance(timedelta(minutes=1))

    assert service.ask("DELETE", f"{ATOMS}/{atom_id}", token="ana").body == {"deleted": 0}


# ---- Rooms -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/memory/rooms",
        "/api/v1/memory/rooms/join",
        "/api/v1/memory/rooms/room_01ABC/invites",
    ],
)
def test_shared_rooms_are_not_offered(service, path):
    answer = service.ask("POST", path, {"name": "me-and-olya"}, token="ana")

    assert answer.status == 403
    assert answer.body == {
        "code": "rooms-not-offered",
        "message": "Shared rooms are not offered here."
        " What a project's members write is shared among them already.",
        "requestId": REQUEST_ID,
        "retryable": False,
    }


def test_whoever_asks_for_a_room_says_who_they_are_first(service):
    answer = service.ask("POST", "/api/v1/memory/rooms", {}, token=None)

    assert (answer.status, answer.body["details"]) == (401, {"reason": "missing_key"})


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/api/v1/memory/write", "POST"),
        ("GET", "/api/v1/memory/write-batch", "POST"),
        ("PUT", "/api/v1/memory/feedback", "POST"),
    ],
)
def test_a_wrong_method_says_what_is_allowed(service, method, path, allow):
    answer = service.ask(method, path, token="ana")

    assert (answer.status, answer.headers["Allow"]) == (405, allow)
    assert answer.body["code"] == "method-not-allowed"
