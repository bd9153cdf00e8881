import json
from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.api.atom_reads import EXPORT_PAGE
from palimpsest.domain.associations import STOOD_IN_ONE_ATOM, Lesson
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import StoreUnavailableError

from tests.builders import build_atom, build_caller, build_fact, build_scope, build_successor
from tests.fakes.clock import NOON
from tests.service import REQUEST_ID, FakeService

MEMORY = "/api/v1/memory"
HOME = build_scope(userId="ana")
WEEK = timedelta(days=7)


@pytest.fixture
def service():
    service = FakeService()
    service.callers |= {
        "ana": build_caller("ana", writes=("apollo",)),
        "ben": build_caller("ben"),
        "homeless": build_caller("app", kind=CallerKind.SERVICE, writes=("apollo",)),
    }
    return service


def add(service, text="Ana plays chess.", **fields):
    fields.setdefault("caller", service.callers["ana"])
    atom = build_atom(text, ids=service.ids, **{"scope": HOME, **fields})
    service.facts.add(atom)
    return atom


def replace_atom(service, before):
    after, closed = build_successor(before, ids=service.ids, caller=service.callers["ana"])
    service.facts.add(after)
    service.facts.close(before, closed)
    return after


def post(service, path, body, **request):
    return service.ask("POST", f"{MEMORY}/{path}", body, **{"token": "ana", **request})


def get(service, path, **request):
    return service.ask("GET", f"{MEMORY}/{path}", **{"token": "ana", **request})


def shape(atom, **fields):
    """What an atom that says nothing but a text looks like."""
    return {
        "atom_id": atom.id,
        "content": "Ana plays chess.",
        "relevance": 1.0,
        "similarity": 1.0,
        "valence": 0.0,
        "importance": 1.0,
        "source": "episodic",
        "concepts": [],
        "domain": "general",
        "metadata": {},
        "supersedes": [],
        "provenance": {"principal": "user:ana", "client_env": "unknown", "is_external": False},
        "created_at": "2026-05-01T12:00:00.000Z",
        **fields,
    }


def refusal(code, *, place, field, message):
    return {
        "code": code,
        "message": f"{field}: {message}.",
        "requestId": REQUEST_ID,
        "retryable": False,
        "details": {"errors": [{"loc": [place, field], "msg": message}]},
    }


def test_an_atom_that_says_little_has_every_number_and_every_list(service):
    atom = add(service)

    answer = get(service, f"atoms/{atom.id}")

    assert (answer.status, answer.body) == (200, shape(atom))


def test_an_atom_shows_all_that_its_writer_said_but_its_keys(service):
    atom = add(
        service,
        "Ana plays go.",
        concepts=("Go", "Ana"),
        domain="hobbies",
        metadata={"n": 1.5, "deep": {"": [None, True]}},
        fingerprint="f-1",
        external_ref="r-1",
        importance=0.25,
        client_env="cursor",
    )
    service.facts.move_valences([(atom, -0.5)], operation_id="rating")

    answer = get(service, f"atoms/{atom.id}")

    assert answer.body == shape(
        atom,
        content="Ana plays go.",
        concepts=["Go", "Ana"],
        domain="hobbies",
        metadata={"n": 1.5, "deep": {"": [None, True]}},
        importance=0.25,
        valence=-0.5,
        provenance={"principal": "user:ana", "client_env": "cursor", "is_external": False},
    )


def test_an_atom_that_the_facts_door_wrote_is_an_atom_like_any_other(service):
    odd = build_fact(ids=service.ids, scope=HOME, type="memory.atom", content=[1, "two", None])
    service.facts.add(odd)

    answer = get(service, f"atoms/{odd.id}")

    assert answer.status == 200
    assert answer.body["domain"] == "general"
    assert "two" in answer.body["content"]


def test_a_replaced_atom_names_its_successor_and_that_one_what_it_replaced(service):
    before = add(service)
    after = replace_atom(service, before)

    assert get(service, f"atoms/{before.id}").body == shape(before, superseded_by=after.id)
    shown = shape(after, content="Ana plays go.", supersedes=[before.id])
    assert get(service, f"atoms/{after.id}").body == shown


@pytest.mark.parametrize("path", ["atoms/{id}", "atoms/{id}/chain"])
def test_what_is_no_atom_for_the_caller_is_told_in_the_same_words(service, path):
    hidden = add(service)
    note = service.write(scope={"userId": "ben"}, token="admin")
    bodies = []
    for atom_id in (hidden.id, note["id"], "01975000-0000-7000-8000-000000000000", "%20", "☃"):
        answer = get(service, path.replace("{id}", atom_id), token="ben")
        assert answer.status == 404
        bodies.append(answer.body)

    known = {"code": "atom-not-found", "message": "No such atom.", "requestId": REQUEST_ID}
    assert bodies == [{**known, "retryable": False}] * 5


def test_a_chain_is_the_atoms_in_order(service):
    first = add(service)
    second = replace_atom(service, first)

    answer = get(service, f"atoms/{first.id}/chain")

    assert answer.body == {
        "atom_id": first.id,
        "revisions": [
            shape(first, superseded_by=second.id),
            shape(second, content="Ana plays go.", supersedes=[first.id]),
        ],
        "dangling": [],
        "truncated": False,
    }


def test_an_empty_feed_is_an_empty_list_that_has_ended(service):
    answer = post(service, "recent", {})

    assert (answer.status, answer.body) == (200, {"items": [], "next_cursor": None})


def test_a_feed_is_paged_and_null_stands_for_a_field_that_is_left_out(service):
    atoms = [add(service, str(number)) for number in range(5)]
    nulls = dict.fromkeys(["domain", "since", "until", "exclude_author", "include_history"])

    first = post(service, "recent", {"limit": 2, "cursor": None, **nulls})
    second = post(service, "recent", {"limit": 3, "cursor": first.body["next_cursor"]})

    items = first.body["items"] + second.body["items"]
    assert [item["atom_id"] for item in items] == [atom.id for atom in atoms[::-1]]
    assert all(item["created_at"] == "2026-05-01T12:00:00.000Z" for item in items)
    assert second.body["next_cursor"] is None


def test_a_feed_takes_times_with_and_without_a_zone(service):
    old = add(service)
    service.clock.advance(WEEK)
    new = add(service)

    def ids(**bounds):
        return [item["atom_id"] for item in post(service, "recent", bounds).body["items"]]

    assert ids(since="2026-05-08T12:00:00") == [new.id]
    assert ids(since="2026-05-08T14:00:00.000001+02:00") == [new.id]
    assert ids(since="2026-05-02") == [new.id]
    assert ids(until="2026-05-01 12:00") == [old.id]
    assert ids(since="2026-05-01T12:00:00Z", until="2026-05-08T12:00:00Z") == [new.id, old.id]


def test_a_feed_with_its_history_shows_what_was_replaced(service):
    before = add(service)
    after = replace_atom(service, before)

    items = post(service, "recent", {"include_history": True}).body["items"]

    assert [(i["atom_id"], i.get("superseded_by")) for i in items] == [
        (after.id, None),
        (before.id, after.id),
    ]


@pytest.mark.parametrize(
    ("path", "body", "field", "message"),
    [
        ("recent", {"limit": 0}, "limit", "Input should be greater than or equal to 1"),
        ("recent", {"limit": 101}, "limit", "Input should be less than or equal to 100"),
        ("recent", {"limit": "20"}, "limit", "Input should be a valid integer"),
        ("recent", {"limit": True}, "limit", "Input should be a valid integer"),
        ("recent", {"domain": ""}, "domain", "String should have at least 1 character"),
        ("recent", {"domain": "x" * 101}, "domain", "String should have at most 100 characters"),
        (
            "recent",
            {"since": "yesterday"},
            "since",
            "must be an ISO 8601 time, such as 2026-05-01T09:30:00Z; without a zone it is UTC",
        ),
        ("recent", {"sinse": "2026-05-01"}, "sinse", "is no field of this body"),
        (
            "recent",
            {"include_history": "yes"},
            "include_history",
            "Input should be a valid boolean",
        ),
        ("graph", {}, "seeds", "is required"),
        (
            "graph",
            {"seeds": []},
            "seeds",
            "List should have at least 1 item after validation, not 0",
        ),
        (
            "graph",
            {"seeds": ["a"] * 21},
            "seeds",
            "List should have at most 20 items after validation, not 21",
        ),
        ("graph", {"seeds": ["x" * 201]}, "seeds.0", "String should have at most 200 characters"),
        ("graph", {"seeds": ["a"], "depth": 4}, "depth", "Input should be less than or equal to 3"),
        (
            "graph",
            {"seeds": ["a"], "min_weight": -0.1},
            "min_weight",
            "Input should be greater than or equal to 0",
        ),
        (
            "graph",
            {"seeds": ["a"], "limit": 501},
            "limit",
            "Input should be less than or equal to 500",
        ),
        ("graph", {"seeds": ["a"], "seed": "b"}, "seed", "is no field of this body"),
        ("atoms/by-external-ref", {}, "external_ref", "is required"),
        (
            "atoms/by-external-ref",
            {"external_ref": "x" * 256},
            "external_ref",
            "String should have at most 255 characters",
        ),
    ],
)
def test_a_bad_field_is_named_with_its_limit(service, path, body, field, message):
    answer = post(service, path, body)

    assert answer.status == 400
    assert answer.body == refusal("bad-input", place="body", field=field, message=message)


def test_an_end_before_the_beginning_is_unprocessable(service):
    answer = post(service, "recent", {"since": "2026-05-02", "until": "2026-05-01T23:59:59Z"})

    assert answer.status == 422
    message = "must not be before since"
    assert answer.body == refusal("unprocessable", place="body", field="until", message=message)


@pytest.mark.parametrize("cursor", ["", "not-a-cursor", "x" * 4096])
def test_a_bad_cursor_is_bad_input(service, cursor):
    answers = [
        post(service, "recent", {"cursor": cursor}),
        get(service, "export", query={"cursor": cursor}),
    ]

    assert [answer.status for answer in answers] == [400, 400]
    places = [answer.body["details"]["errors"][0]["loc"] for answer in answers]
    assert places == [["body", "cursor"], ["query", "cursor"]]


def test_a_cursor_of_a_feed_is_none_of_another_feed_or_of_an_export(service):
    for _ in range(3):
        add(service, domain="work")
    cursor = post(service, "recent", {"limit": 1}).body["next_cursor"]

    assert post(service, "recent", {"cursor": cursor, "domain": "work"}).status == 400
    assert post(service, "recent", {"cursor": cursor}, token="ben").status == 400
    assert get(service, "export", query={"cursor": cursor}).status == 400
    assert post(service, "recent", {"cursor": cursor, "limit": 9}).status == 200


def test_an_external_id_finds_the_newest_first_and_only_at_home(service):
    first = add(service, external_ref="r", domain="work")
    second = add(service, external_ref="r")
    add(service, external_ref="other")
    add(service, external_ref="r", scope=build_scope(projectId="apollo"))

    def found(**body):
        items = post(service, "atoms/by-external-ref", {"external_ref": "r", **body}).body["items"]
        return [item["atom_id"] for item in items]

    assert found() == [second.id, first.id]
    assert found(limit=1) == [second.id]
    assert found(domain="work") == [first.id]
    theirs = post(service, "atoms/by-external-ref", {"external_ref": "r"}, token="ben")
    assert (theirs.status, theirs.body) == (200, {"items": []})


def test_an_external_id_of_a_replaced_atom_is_found_with_its_history_only(service):
    before = add(service, external_ref="r")
    replace_atom(service, before)

    def found(**body):
        items = post(service, "atoms/by-external-ref", {"external_ref": "r", **body}).body["items"]
        return [item["atom_id"] for item in items]

    assert (found(), found(include_history=True)) == ([], [before.id])


def test_the_graph_is_what_home_has_learnt(service):
    service.associations.learn(
        Lesson(
            event_id="e",
            scope=HOME,
            concepts=("chess", "ana"),
            amount=STOOD_IN_ONE_ATOM,
            at=NOON,
        )
    )

    answer = post(service, "graph", {"seeds": ["Chess"], "domain": "any"})
    edge = answer.body["edges"][0]

    assert answer.body == {
        "nodes": [{"concept": "ana", "degree": 1}, {"concept": "chess", "degree": 1}],
        "edges": [
            {
                "source": "ana",
                "target": "chess",
                "weight": edge["weight"],
                "valence": 0.0,
                "count": 1,
                "updated_at": "2026-05-01T12:00:00.000Z",
            }
        ],
        "truncated": False,
        "min_weight_applied": 0.0,
    }
    assert 0 < edge["weight"] < 1
    theirs = post(service, "graph", {"seeds": ["chess"], "depth": 2}, token="ben")
    assert theirs.body == {"nodes": [], "edges": [], "truncated": False, "min_weight_applied": 0.05}


@pytest.mark.parametrize("path", ["stats", "domains"])
def test_a_memory_is_told_in_numbers_that_are_never_null(service, path):
    empty = get(service, path).body
    before = add(service, domain="work", importance=0.2, fingerprint="f")
    replace_atom(service, before)
    add(service, domain="home", importance=0.4)
    add(service, domain="shared", scope=build_scope(projectId="apollo"), importance=0.1)
    add(service, domain="theirs", scope=build_scope(projectId="other"), caller=None)

    full = get(service, path).body

    numbers = ["total_atoms", "episodes", "prototypes", "singletons", "hebbian_edges"]
    assert empty == {
        **dict.fromkeys([*numbers, "episodic_fingerprints"], 0),
        "domains": [],
        "avg_valence": 0.0,
        "avg_importance": 0.0,
    }
    assert full == {
        "total_atoms": 3,
        "episodes": 3,
        "prototypes": 0,
        "singletons": 3,
        "hebbian_edges": 0,
        "episodic_fingerprints": 0,
        "domains": ["general", "home", "shared"],
        "avg_valence": 0.0,
        "avg_importance": 0.5,
    }


def lines(answer):
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    assert not answer.text or answer.text.endswith("\n")
    return [json.loads(line) for line in answer.text.split("\n") if line]


def test_an_export_is_lines_of_atoms_with_their_keys(service):
    odd = add(service, "one\nline \u2028 each", fingerprint="f", external_ref="r")
    plain = add(service)

    answer = get(service, "export")

    assert answer.status == 200
    assert "X-Next-Cursor" not in answer.headers
    assert lines(answer) == [
        shape(plain),
        shape(odd, content="one\nline \u2028 each", fingerprint="f", external_ref="r"),
    ]


def test_an_export_goes_on_by_its_header_to_the_end(service):
    atoms = [add(service) for _ in range(EXPORT_PAGE + 1)]

    first = get(service, "export")
    second = get(service, "export", query={"cursor": first.headers["X-Next-Cursor"]})

    found = [line["atom_id"] for line in lines(first) + lines(second)]
    assert found == [atom.id for atom in atoms[::-1]]
    assert "X-Next-Cursor" not in second.headers


def test_an_export_is_narrowed_by_domain_and_holds_its_history_when_asked(service):
    before = add(service, domain="work")
    after = replace_atom(service, before)

    def ids(**query):
        return [line["atom_id"] for line in lines(get(service, "export", query=query))]

    assert (ids(), ids(domain="work")) == ([after.id], [])
    assert ids(domain="work", include_history="true") == [before.id]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("include_history=1", "include_history"),
        ("domain=", "domain"),
        ("limit=3", "limit"),
        ("domain=a&domain=b", "domain"),
    ],
)
def test_an_export_with_a_parameter_that_is_not_fit_is_refused(service, query, field):
    answer = get(service, "export", query=query)

    assert answer.status == 400
    assert answer.body["details"]["errors"][0]["loc"] == ["query", field]


def test_rooms_and_secrets_are_empty_as_the_clients_expect_them(service):
    secrets = service.ask("GET", "/api/v1/vault/secrets", token="ana")

    assert (get(service, "rooms").body, secrets.body) == ([], {"secrets": []})
    assert service.ask("GET", f"{MEMORY}/rooms", token=None).status == 401


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "recent", {}),
        ("POST", "graph", {"seeds": ["a"]}),
        ("POST", "atoms/by-external-ref", {"external_ref": "r"}),
        ("GET", "stats", None),
        ("GET", "domains", None),
        ("GET", "export", None),
        ("GET", "atoms/01975000-0000-7000-8000-000000000000", None),
        ("GET", "atoms/01975000-0000-7000-8000-000000000000/chain", None),
    ],
)
def test_who_has_no_place_of_their_own_is_refused(service, method, path, body):
    answer = service.ask(method, f"{MEMORY}/{path}", body, token="homeless")

    assert (answer.status, answer.code) == (403, "permission-denied")
    assert answer.body["retryable"] is False


@pytest.mark.parametrize("path", ["/api/v1/health", "/api/v1/health/ready"])
def test_health_is_told_to_anybody_from_one_read(service, path):
    answer = service.ask("GET", path, token=None)

    assert answer.body == {"status": "ok", "database": True, "version": "0.0.0"}
    assert (answer.status, service.facts.loads) == (200, 1)


@pytest.mark.parametrize("path", ["/api/v1/health", "/api/v1/health/ready"])
def test_a_store_that_is_down_is_told_as_a_refusal_that_may_pass(service, path):
    service.facts.read_faults.fail_next(StoreUnavailableError("busy"))

    answer = service.ask("GET", path, token=None)

    assert answer.body == {
        "status": "unavailable",
        "database": False,
        "version": "0.0.0",
        "code": "persistence-unavailable",
        "message": "The store does not answer in time; try again.",
        "requestId": REQUEST_ID,
        "retryable": True,
    }
    assert (answer.status, answer.headers["Retry-After"]) == (503, "2")


def test_a_page_and_an_export_end_below_what_lambda_sends(service):
    big = {"blob": "\u00e4" * 60_000}
    for _ in range(40):
        add(service, metadata=big)

    page, exported = post(service, "recent", {"limit": 100}), get(service, "export")

    for answer in (page, exported):
        assert len(json.dumps(answer.text)) < 5 * 1024 * 1024 + 1000
    assert 10 < len(page.body["items"]) < 40
    assert page.body["next_cursor"] is not None
    assert "X-Next-Cursor" in exported.headers


def test_an_atom_of_an_apps_end_user_and_of_an_agent_is_told_as_such(service):
    agent = build_caller("bot", kind=CallerKind.AGENT, writes=("apollo",))
    scope = build_scope(projectId="apollo", participantId="p-9")
    atom = add(service, scope=scope, caller=agent, agent_name="Nightly", client_env="claude")

    assert get(service, f"atoms/{atom.id}").body["provenance"] == {
        "principal": "agent:bot",
        "agent": "bot",
        "agent_name": "Nightly",
        "client_env": "claude",
        "is_external": True,
    }
    held_back = replace(service.callers["ana"], projects={})
    service.callers["outsider"] = held_back
    assert get(service, f"atoms/{atom.id}", token="outsider").status == 404
