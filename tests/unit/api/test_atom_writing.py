"""Writing one atom over HTTP: spec/read-memory.md §1 and §2."""

import pytest
from palimpsest.domain.atoms import ATOM_TYPE, atom_of
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.client_envs import ClientEnv
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import StoreUnavailableError, WriteConflictError
from palimpsest.domain.idempotency import HELD_FOR
from palimpsest.domain.people import Person, PersonKind

from tests.builders import OTHER_TENANT, TENANT, build_caller
from tests.service import REQUEST_ID, FakeService, dying_after

WRITE = "/api/v1/memory/write"
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
        "limited": build_caller("ana", writes=("apollo", "gemini"), project_limit="apollo"),
        "bot": build_caller(
            "bot",
            kind=CallerKind.AGENT,
            writes=("apollo",),
            default_scope=apollo,
            token_name="the bot",
        ),
        "homeless": build_caller("job", kind=CallerKind.SERVICE, writes=("apollo",)),
        "narrowed": build_caller("cleo", reads=("apollo",), default_scope=apollo),
        "stranger": build_caller("ana", tenant_id=OTHER_TENANT, is_tenant_admin=True),
    }
    return service


def fact_of(service, atom_id, *, tenant_id=TENANT):
    return service.facts.load(tenant_id, atom_id).fact


def content_of(service, atom_id):
    return atom_of(fact_of(service, atom_id).revision)


def test_a_written_atom_is_answered_with_its_id_and_its_novelty(service):
    service.novelty = 0.25

    answer = service.ask("POST", WRITE, {"content": "Ana plays chess."}, token="ana")

    assert answer.status == 200
    assert answer.body == {
        "stored": True,
        "atom_id": service.ids.made[0],
        "importance": 0.25,
        "reason": "",
        "superseded": [],
    }


def test_an_atom_is_a_fact_that_holds_all_that_was_said(service):
    said = {
        "content": "Ana plays chess.",
        "concepts": ["Chess", "ana"],
        "domain": "games",
        "fingerprint": "f-1",
        "metadata": {"source": {"line": 7}},
        "external_ref": "note-12",
    }

    written = service.write_atom(**said)

    fact = fact_of(service, written["atom_id"])
    assert (fact.revision.type, dict(fact.revision.scope.items())) == (
        ATOM_TYPE,
        {"tenantId": TENANT, "userId": "ana"},
    )
    atom = atom_of(fact.revision)
    assert (atom.text, atom.concepts, atom.domain) == (
        "Ana plays chess.",
        ("Chess", "ana"),
        "games",
    )
    assert (atom.fingerprint, atom.external_ref) == ("f-1", "note-12")
    assert atom.metadata == {"source": {"line": 7}}


def test_an_atom_is_seen_by_the_facts_door(service):
    atom_id = service.write_atom()["atom_id"]

    fact = service.ask("GET", f"{FACTS}/{atom_id}", token="ana").body

    assert (fact["type"], fact["trust"], fact["version"]) == ("memory.atom", "asserted", 1)
    assert fact["attributedTo"] == {"kind": "user", "id": "ana"}


@pytest.mark.parametrize(
    ("token", "scope"),
    [
        ("ana", {"userId": "ana"}),
        ("cleo", {"projectId": "apollo"}),
        ("limited", {"projectId": "apollo"}),
        ("bot", {"projectId": "apollo"}),
    ],
)
def test_an_atom_goes_to_the_tokens_home(service, token, scope):
    atom_id = service.write_atom(token=token)["atom_id"]

    named = dict(fact_of(service, atom_id).revision.scope.items())
    assert named == {"tenantId": TENANT, **scope}


def test_a_service_without_a_home_is_refused_and_never_writes_tenant_wide(service):
    answer = service.ask("POST", WRITE, {"content": "Tea."}, token="homeless")

    assert (answer.status, answer.code) == (403, "permission-denied")
    assert answer.body["retryable"] is False
    assert service.facts.histories() == []


def test_a_home_that_the_token_may_not_write_any_more_is_refused(service):
    answer = service.ask("POST", WRITE, {"content": "Tea."}, token="narrowed")

    assert (answer.status, answer.code) == (403, "permission-denied")


@pytest.mark.parametrize(
    ("token", "user_agent", "env", "name"),
    [
        ("ana", "node", "api", None),
        ("ana", "claude-code/2.0", "claude", None),
        ("bot", "node", "api", "the bot"),
    ],
)
def test_an_atom_keeps_what_wrote_it(service, token, user_agent, env, name):
    headers = {"user-agent": user_agent}

    answer = service.ask("POST", WRITE, {"content": "Tea."}, token=token, headers=headers)

    atom = content_of(service, answer.body["atom_id"])
    assert (atom.client_env, atom.agent_name) == (env, name)


def test_a_key_says_which_program_it_is_for(service):
    service.callers["ana"] = build_caller("ana", client_env=ClientEnv.CURSOR)

    answer = service.ask(
        "POST", WRITE, {"content": "Tea."}, token="ana", headers={"user-agent": "x"}
    )

    assert content_of(service, answer.body["atom_id"]).client_env == "cursor"


def test_a_sender_cannot_say_where_an_atom_goes_or_who_wrote_it(service):
    for field in ("scope", "userId", "user_id", "importance", "provenance", "client_env", "org"):
        answer = service.ask("POST", WRITE, {"content": "Tea.", field: "x"}, token="ana")
        assert (answer.status, answer.code) == (400, "bad-input"), field

    metadata = {"tenantId": OTHER_TENANT, "userId": "ben", "scope": {"userId": "ben"}}
    atom_id = service.write_atom("Tea.", metadata=metadata)["atom_id"]
    assert fact_of(service, atom_id).revision.scope.user_id == "ana"


def test_novelty_that_is_not_known_is_full_importance_and_said(service):
    service.novelty = None

    written = service.write_atom()

    assert (written["stored"], written["importance"]) == (True, 1.0)
    assert written["reason"] == "novelty-unknown"


def test_likeness_discards_nothing(service):
    service.novelty = 0.0

    written = [service.write_atom(f"Build {n} took {n}00 s.") for n in (3, 4)]

    assert [w["stored"] for w in written] == [True, True]


def test_the_very_same_content_is_not_stored_again(service):
    first = service.write_atom("Zoë drinks tea.")

    again = service.write_atom("Zoe\u0308 drinks tea.")

    assert again == {
        "stored": False,
        "atom_id": first["atom_id"],
        "importance": 0.0,
        "reason": "same-content-stands",
        "superseded": [],
    }
    assert len(service.facts.histories()) == 1


def test_the_same_content_in_another_domain_or_another_home_is_another_atom(service):
    written = [
        service.write_atom("Tea."),
        service.write_atom("Tea.", domain="kitchen"),
        service.write_atom("Tea.", token="ben"),
        service.write_atom("Tea.", token="cleo"),
        service.write_atom("tea."),
    ]

    assert len({w["atom_id"] for w in written}) == 5
    assert all(w["stored"] for w in written)


def test_content_whose_atom_was_deleted_can_be_written_again(service):
    first = service.write_atom("Tea.")
    service.ask("DELETE", f"/api/v1/memory/atoms/{first['atom_id']}", token="ana")

    again = service.write_atom("Tea.")

    assert again["stored"] is True
    assert again["atom_id"] != first["atom_id"]


def test_content_whose_atom_says_something_else_by_now_can_be_written_again(service):
    atom_id = service.write_atom("Tea.")["atom_id"]
    service.ask("POST", f"{FACTS}/{atom_id}/supersede", {"content": "Coffee."}, token="ana")

    again = service.write_atom("Tea.")

    assert again["stored"] is True
    assert again["atom_id"] != atom_id


def test_nothing_is_stored_for_somebody_who_is_being_erased(service):
    service.callers["app"] = build_caller(
        "app",
        kind=CallerKind.SERVICE,
        writes=("apollo",),
        default_scope={"projectId": "apollo", "participantId": "p-1"},
    )
    pseudonym = service.pseudonyms.current(TENANT, Person(PersonKind.PARTICIPANT, "p-1"))
    service.facts.open_erasures[TENANT] = (
        OpenErasure(erasure_id="e", pseudonyms=frozenset({pseudonym})),
    )

    answer = service.ask("POST", WRITE, {"content": "Tea."}, token="app")

    assert (answer.status, answer.code) == (409, "erasure-in-progress")
    assert service.facts.histories() == []


# ---- Fields ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "field", "msg"),
    [
        ({}, "content", "is required"),
        ({"content": None}, "content", "is required"),
        ({"content": ""}, "content", "String should have at least 1 character"),
        ({"content": " \n"}, "content", "must not be blank"),
        ({"content": 7}, "content", "Input should be a valid string"),
        ({"content": "x" * 10_001}, "content", "String should have at most 10000 characters"),
        ({"domain": ""}, "domain", "String should have at least 1 character"),
        ({"domain": "d" * 101}, "domain", "String should have at most 100 characters"),
        ({"fingerprint": "f" * 513}, "fingerprint", "String should have at most 512 characters"),
        ({"fingerprint": ""}, "fingerprint", "String should have at least 1 character"),
        ({"external_ref": "r" * 256}, "external_ref", "String should have at most 255 characters"),
        ({"external_ref": " "}, "external_ref", "must not be blank"),
        (
            {"concepts": ["c"] * 257},
            "concepts",
            "List should have at most 256 items after validation, not 257",
        ),
        ({"concepts": ["c" * 201]}, "concepts.0", "String should have at most 200 characters"),
        ({"concepts": ["tea", " "]}, "concepts.1", "must not be blank"),
        ({"concepts": "tea"}, "concepts", "Input should be a valid list"),
        ({"metadata": []}, "metadata", "Input should be a valid dictionary"),
        ({"metadata": {"a": "é" * 32_766}}, "metadata", "must have at most 65536 bytes as JSON"),
        (
            {"supersedes": [f"id-{n}" for n in range(33)]},
            "supersedes",
            "must hold at most 32 different ids",
        ),
        (
            {"supersedes": ["i" * 257]},
            "supersedes.0",
            "String should have at most 256 characters",
        ),
        ({"colour": "red"}, "colour", "is no field of this body"),
    ],
)
def test_a_bad_field_is_named_with_its_limit(service, body, field, msg):
    given = {"content": "Tea.", **body} if body else {}

    answer = service.ask("POST", WRITE, given, token="ana")

    assert answer.status == 400
    assert answer.body == {
        "code": "bad-input",
        "message": f"{field}: {msg}.",
        "requestId": REQUEST_ID,
        "retryable": False,
        "details": {"errors": [{"loc": ["body", field], "msg": msg}]},
    }
    assert service.facts.histories() == []


@pytest.mark.parametrize(
    "body",
    [
        {"content": "x" * 10_000},
        {"content": "😀" * 10_000},
        {"domain": "d" * 100},
        {"domain": " games"},
        {"fingerprint": "f" * 512},
        {"external_ref": "r" * 255},
        {"concepts": ["c" * 200] * 256},
        {"metadata": {"a": "x" * (65_536 - len('{"a":""}'))}},
        {"concepts": None, "domain": None, "fingerprint": None, "metadata": None},
        {"external_ref": None, "supersedes": None},
        {"supersedes": []},
    ],
)
def test_a_field_at_its_limit_is_taken(service, body):
    answer = service.ask("POST", WRITE, {"content": "Tea.", **body}, token="ana")

    assert answer.status == 200, answer.text
    assert answer.body["stored"] is True


@pytest.mark.parametrize("domain", ["xroom:room_01ABC", " xroom:room_01ABC", "XRoom:x", "xroom:"])
def test_a_rooms_address_is_unprocessable_in_any_spelling(service, domain):
    answer = service.ask("POST", WRITE, {"content": "Tea.", "domain": domain}, token="ana")

    assert (answer.status, answer.code) == (422, "unprocessable")
    assert answer.body["details"]["errors"][0]["loc"] == ["body", "domain"]
    assert answer.body["retryable"] is False


@pytest.mark.parametrize("content", ["a\x00b", "\u202eolleh", "😀", "<|im_end|>", "用户喜欢绿茶"])
def test_hostile_text_is_kept_as_it_came(service, content):
    atom_id = service.write_atom(content)["atom_id"]

    assert content_of(service, atom_id).text == content


def test_a_lone_surrogate_is_refused(service):
    answer = service.ask("POST", WRITE, b'{"content": "\\ud800"}', token="ana")

    assert (answer.status, answer.code) == (400, "bad-input")


def test_a_body_that_is_too_large_is_refused(service):
    answer = service.ask("POST", WRITE, b" " * (1024 * 1024 + 1), token="ana")

    assert (answer.status, answer.code) == (413, "request-too-large")
    assert answer.body["details"] == {"maxBytes": 1024 * 1024}


# ---- Replacing ---------------------------------------------------------------------------------------------------------


def test_an_atom_replaces_others_in_one_step(service):
    old = [service.write_atom(text)["atom_id"] for text in ("Tea.", "Coffee.")]

    written = service.write_atom("Water.", supersedes=old)

    assert (written["stored"], written["superseded"]) == (True, old)
    assert fact_of(service, written["atom_id"]).revision.replaces == tuple(old)
    for atom_id in old:
        fact = fact_of(service, atom_id)
        assert fact.version == 1
        assert fact.revision.closing.superseded_by == written["atom_id"]


def test_the_facts_door_shows_what_was_replaced(service):
    old = [service.write_atom(text)["atom_id"] for text in ("Tea.", "Coffee.")]

    atom_id = service.write_atom("Water.", supersedes=old)["atom_id"]

    assert service.ask("GET", f"{FACTS}/{atom_id}", token="ana").body["supersedes"] == old[0]
    assert service.ask("GET", f"{FACTS}/{old[0]}", token="ana").status == 404
    [closed] = service.ask("GET", f"{FACTS}/{old[0]}/revisions", token="ana").body["data"]
    assert closed["invalidationReason"] == "superseded"


def test_an_id_that_is_given_twice_counts_once(service):
    old = service.write_atom("Tea.")["atom_id"]

    assert service.write_atom("Water.", supersedes=[old, old])["superseded"] == [old]


def test_the_same_content_may_replace_itself(service):
    old = service.write_atom("Tea.", concepts=["tea"])["atom_id"]

    written = service.write_atom("Tea.", concepts=["tea", "green"], supersedes=[old])

    assert (written["stored"], written["superseded"]) == (True, [old])


def test_content_that_stands_in_another_atom_replaces_nothing(service):
    same, old = (service.write_atom(text)["atom_id"] for text in ("Tea.", "Coffee."))

    written = service.write_atom("Tea.", supersedes=[old])

    assert written["stored"] is False
    assert (written["atom_id"], written["superseded"]) == (same, [])
    assert not fact_of(service, old).is_closed


@pytest.mark.parametrize("unknown", [NOBODY, "no id", "", "../x"])
def test_what_is_to_be_replaced_must_be_there(service, unknown):
    old = service.write_atom("Tea.")["atom_id"]

    answer = service.ask(
        "POST", WRITE, {"content": "Water.", "supersedes": [old, unknown]}, token="ana"
    )

    assert (answer.status, answer.code) == (404, "atom-not-found")
    assert answer.body["details"] == {"atomId": unknown}
    assert not fact_of(service, old).is_closed
    assert len(service.facts.histories()) == 1


def test_what_is_to_be_replaced_must_be_visible(service):
    bens = service.write_atom("Tea.", token="ben")["atom_id"]
    elsewhere = service.write_atom("Tea.", token="stranger")["atom_id"]

    refused = [
        service.ask("POST", WRITE, {"content": "Water.", "supersedes": [hidden]}, token="ana")
        for hidden in (bens, elsewhere)
    ]

    assert [(a.status, a.code) for a in refused] == [(404, "atom-not-found")] * 2


def test_what_is_to_be_replaced_must_be_an_atom(service):
    note = service.write(token="ana", scope={"userId": "ana"})["id"]

    answer = service.ask("POST", WRITE, {"content": "Water.", "supersedes": [note]}, token="ana")

    assert (answer.status, answer.code) == (404, "atom-not-found")


def test_what_is_to_be_replaced_must_be_writable(service):
    apollos = service.write_atom("Tea.", token="cleo")["atom_id"]

    answer = service.ask("POST", WRITE, {"content": "Water.", "supersedes": [apollos]}, token="dan")

    assert (answer.status, answer.code) == (403, "permission-denied")
    assert not fact_of(service, apollos).is_closed


def test_what_was_replaced_already_is_not_replaced_again(service):
    old = service.write_atom("Tea.")["atom_id"]
    service.write_atom("Water.", supersedes=[old])

    answer = service.ask("POST", WRITE, {"content": "Milk.", "supersedes": [old]}, token="ana")

    assert (answer.status, answer.code) == (409, "atom-replaced")
    assert answer.body["details"] == {"atomId": old}


def test_more_than_one_transaction_takes_is_refused_as_a_whole(service):
    # This door's own atoms are smaller; the facts door takes larger ones.
    scope = {"tenantId": TENANT, "userId": "ana"}
    large = [
        service.ask(
            "POST",
            FACTS,
            {"type": "memory.atom", "scope": scope, "content": {"text": f"{n} " + "x" * 250_000}},
            token="ana",
        ).body["id"]
        for n in range(17)
    ]

    answer = service.ask("POST", WRITE, {"content": "Milk.", "supersedes": large}, token="ana")

    assert (answer.status, answer.code) == (413, "request-too-large")
    assert answer.body["details"] == {"maxBytes": 4 * 1024 * 1024}
    assert not any(fact_of(service, atom_id).is_closed for atom_id in large)
    assert len(service.facts.histories()) == len(large)


def test_what_was_deleted_is_not_there_to_be_replaced(service):
    old = service.write_atom("Tea.")["atom_id"]
    service.ask("DELETE", f"/api/v1/memory/atoms/{old}", token="ana")

    answer = service.ask("POST", WRITE, {"content": "Milk.", "supersedes": [old]}, token="ana")

    assert (answer.status, answer.code) == (404, "atom-not-found")


def test_what_is_held_is_not_replaced(service):
    old = service.write_atom("Tea.")["atom_id"]
    held = {"content": "Tea.", "retention": {"legalHold": True}}
    assert service.ask("POST", f"{FACTS}/{old}/supersede", held).status == 200

    answer = service.ask("POST", WRITE, {"content": "Milk.", "supersedes": [old]}, token="ana")

    assert (answer.status, answer.code) == (409, "legal-hold")


def test_what_is_being_erased_is_not_replaced(service):
    old = service.write_atom("Tea.")["atom_id"]
    service.facts.open_erasures[TENANT] = (OpenErasure(erasure_id="e", fact_id=old),)

    answer = service.ask("POST", WRITE, {"content": "Milk.", "supersedes": [old]}, token="ana")

    assert (answer.status, answer.code) == (409, "erasure-in-progress")


# ---- Trying again ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [WriteConflictError, StoreUnavailableError])
def test_a_write_that_loses_a_race_tries_again(service, error):
    service.facts.write_faults.fail_next(error("x"))

    assert service.write_atom()["stored"] is True
    assert service.pauses.attempts == [1]


def test_a_store_that_stays_busy_is_told_as_such(service):
    service.facts.write_faults.fail_next(StoreUnavailableError("x"), times=5)

    answer = service.ask("POST", WRITE, {"content": "Tea."}, token="ana")

    assert (answer.status, answer.body["retryable"]) == (503, True)
    assert answer.headers["Retry-After"] == "2"


def test_an_answer_that_was_lost_makes_no_second_atom(service):
    old = service.write_atom("Tea.")["atom_id"]
    service.facts.write_faults.drop_answers()

    written = service.write_atom("Water.", supersedes=[old])

    assert (written["stored"], written["superseded"]) == (True, [old])
    assert len(service.facts.histories()) == 2


def test_the_same_content_that_comes_in_between_is_found_on_the_next_attempt(service):
    # Nothing is found at the first look; the store itself finds the twin.
    real = service.atoms.find_same
    looks = []

    def find_same(scope, texts):
        looks.append(texts)
        return {} if len(looks) == 1 else real(scope, texts)

    first = service.write_atom("Tea.")
    service.atoms.find_same = find_same

    again = service.write_atom("Tea.")

    assert (again["stored"], again["atom_id"]) == (False, first["atom_id"])
    assert len(looks) == 2


def test_a_write_that_is_sent_again_with_its_key_is_done_once(service):
    headers = {"idempotency-key": "k-1"}
    body = {"content": "Tea."}

    first = service.ask("POST", WRITE, body, token="ana", headers=headers)
    again = service.ask("POST", WRITE, body, token="ana", headers=headers)

    assert again.text == first.text
    assert again.headers["X-Idempotent-Replay"] == "true"
    assert again.body["stored"] is True


def test_a_write_that_was_done_by_a_function_that_died_is_found(service):
    headers = {"idempotency-key": "k-1"}
    old = service.write_atom("Milk.")["atom_id"]
    body = {"content": "Tea.", "supersedes": [old]}
    with dying_after(service.facts, "add_all"):
        service.ask("POST", WRITE, body, token="ana", headers=headers)
    service.clock.advance(HELD_FOR)

    again = service.ask("POST", WRITE, body, token="ana", headers=headers)

    assert (again.body["stored"], again.body["superseded"]) == (True, [old])
    assert fact_of(service, old).revision.closing.superseded_by == again.body["atom_id"]
    assert len(service.facts.histories()) == 2


# ---- Learning ----------------------------------------------------------------------------------------------------------


def test_concepts_that_stand_in_one_atom_are_learnt(service):
    atom_id = service.write_atom(concepts=["Tea", "Green"])["atom_id"]

    [lesson] = service.lessons.take()
    assert set(lesson.concepts) == {"tea", "green"}
    assert lesson.scope == fact_of(service, atom_id).revision.scope


def test_what_is_not_stored_teaches_nothing(service):
    service.write_atom("Tea.", concepts=["tea", "green"])
    service.lessons.take()

    service.write_atom("Tea.", concepts=["tea", "green"])

    assert service.lessons.take() == []


def test_nothing_that_was_said_is_logged(service):
    service.write_atom("A secret.", concepts=["hidden"], domain="quiet", metadata={"a": "private"})
    service.ask("POST", WRITE, {"content": "A secret.", "domain": "quiet" * 30}, token="ana")

    for word in ("secret", "hidden", "quiet", "private"):
        assert word not in service.log.getvalue()
