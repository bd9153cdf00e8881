import json
from datetime import timedelta

import pytest
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.use_cases.read_batch import SIDE_BY_SIDE

from tests.builders import build_caller, build_scope
from tests.service import REQUEST_ID, FakeService

MEMORY = "/api/v1/memory"
CHESS = "Ana plays chess in Berlin"


@pytest.fixture
def service():
    service = FakeService()
    service.callers |= {
        "ana": build_caller("ana", writes=("apollo",)),
        "ben": build_caller("ben"),
        "homeless": build_caller("app", kind=CallerKind.SERVICE, writes=("apollo",)),
    }
    return service


def post(service, path, body, **request):
    return service.ask("POST", f"{MEMORY}/{path}", body, **{"token": "ana", **request})


def read(service, query=CHESS, **fields):
    answer = post(service, "read", {"query": query, **fields})
    assert answer.status == 200, answer.text
    return answer.body


def texts(answer):
    return [item["content"] for item in answer["items"]]


def lines(service, message):
    logged = [json.loads(line) for line in service.log.getvalue().splitlines()]
    return [line for line in logged if line["message"] == message]


def test_a_read_is_answered_with_every_field(service):
    atom = service.memory.write(CHESS, concepts=("Chess",), metadata={"n": 1})

    answer = read(service)
    took = answer.pop("search_time_ms")

    assert answer == {
        "items": [
            {
                "atom_id": atom.id,
                "content": CHESS,
                "relevance": answer["items"][0]["relevance"],
                "similarity": pytest.approx(1.0),
                "valence": 0.0,
                "importance": 1.0,
                "source": "semantic",
                "concepts": ["Chess"],
                "domain": "general",
                "metadata": {"n": 1},
                "supersedes": [],
                "provenance": {
                    "principal": "user:ana",
                    "client_env": "unknown",
                    "is_external": False,
                },
                "created_at": answer["items"][0]["created_at"],
            }
        ],
        "episodic_hit": False,
        "query_concepts": ["ana", "plays", "chess", "berlin", "ana plays", "plays chess"],
        "expanded_concepts": [],
    }
    assert took >= 0
    assert 0.8 < answer["items"][0]["relevance"] <= 1


def test_a_read_of_nothing_is_an_empty_list_with_its_concepts(service):
    answer = read(service, "chess", domain="nowhere")

    assert (answer["items"], answer["query_concepts"]) == ([], ["chess"])
    assert (answer["expanded_concepts"], answer["episodic_hit"]) == ([], False)


def test_unknown_fields_are_ignored_and_nulls_are_left_out(service):
    service.memory.write(CHESS)
    optional = ["domain", "top_k", "min_relevance", "fingerprint", "concepts", "two_pass"]
    more = ["strategy", "order_by", "since", "until", "exclude_author", "diversity"]

    answer = read(service, guess=[1], include_history=None, **dict.fromkeys([*optional, *more]))

    assert texts(answer) == [CHESS]


def test_every_field_narrows_or_orders_what_comes(service):
    memory = service.memory
    memory.write(CHESS, domain="hobbies", fingerprint="f-1")
    memory.write("Ana plays chess at work", domain="work", age=timedelta(days=1))
    both = sorted([CHESS, "Ana plays chess at work"])

    def found(**fields):
        return texts(read(service, "Ana plays chess", min_relevance=0.1, **fields))

    assert sorted(found()) == both
    assert found(domain="work") == ["Ana plays chess at work"]
    assert len(found(top_k=1, include_associations=False)) == 1
    assert found(order_by="recency") == ["Ana plays chess at work", CHESS]
    assert found(since="2026-04-01") == ["Ana plays chess at work"]
    assert found(until="2026-04-01T00:00:00+02:00") == [CHESS]
    assert found(exclude_author="user:ana") == []
    assert sorted(found(author_principal="user:ana")) == both
    assert found(author_agent="bot") == []
    assert found(author_client_env="cursor") == []
    assert found(author_is_external=True) == []
    assert texts(read(service, "rain", min_relevance=1, fingerprint="f-1")) == [CHESS]
    assert texts(read(service, "rain", min_relevance=0.99, include_associations=False)) == []


def test_a_fingerprint_is_told_as_an_exact_match(service):
    service.memory.write(CHESS, fingerprint="f-1")

    answer = read(service, "rain", fingerprint="f-1")

    assert answer["episodic_hit"] is True
    assert answer["items"][0]["source"] == "episodic"


def test_history_names_its_successor(service):
    memory = service.memory
    old = memory.write(CHESS)
    new = memory.write("Ana plays chess in Rome")
    memory.replace_by(old, new)

    assert texts(read(service)) == ["Ana plays chess in Rome"]
    items = read(service, include_history=True)["items"]
    assert {item["atom_id"]: item.get("superseded_by") for item in items} == {
        old.id: new.id,
        new.id: None,
    }


def test_timings_come_when_asked_and_stand_in_the_log_of_every_read(service):
    service.memory.write(CHESS)

    without, with_them = read(service), read(service, include_timings=True)

    assert "timings" not in without
    timings = with_them["timings"]
    assert {"embed_query_ms", "n_embed_calls", "n_vector_searches", "n_db_roundtrips"} <= set(
        timings
    )
    first, second = lines(service, "read_completed")
    assert timings.items() <= second.items()
    assert set(timings) <= set(first)
    assert (second["request_id"], second["items"]) == (REQUEST_ID, 1)
    assert second["search_time_ms"] == with_them["search_time_ms"]


def test_no_line_of_the_log_holds_a_text_a_query_or_a_concept(service):
    service.memory.write("Ana keeps a parrot", concepts=("macaw",), domain="zoo")

    read(service, "Who keeps a parrot?", concepts=["macaw"], domain="zoo", include_timings=True)
    post(service, "query", {"query": "parrot", "domains": ["zoo"]})
    post(service, "read-batch", {"items": [{"query": "parrot"}, {"query": ""}]})

    logged = service.log.getvalue().lower()
    assert not [word for word in ("parrot", "macaw", "zoo") if word in logged]


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"query": ""}, "query", "String should have at least 1 character"),
        ({"query": "x" * 5001}, "query", "String should have at most 5000 characters"),
        ({"query": None}, "query", "is required"),
        ({"top_k": 0}, "top_k", "Input should be greater than or equal to 1"),
        ({"top_k": 501}, "top_k", "Input should be less than or equal to 500"),
        ({"min_relevance": 1.1}, "min_relevance", "Input should be less than or equal to 1"),
        ({"diversity": -0.1}, "diversity", "Input should be greater than or equal to 0"),
        ({"diversity": "1"}, "diversity", "Input should be a valid number"),
        (
            {"concepts": ["a"] * 51},
            "concepts",
            "List should have at most 50 items after validation, not 51",
        ),
        ({"fingerprint": "x" * 513}, "fingerprint", "String should have at most 512 characters"),
        ({"order_by": "age"}, "order_by", "Input should be 'relevance' or 'recency'"),
        (
            {"author_client_env": "emacs"},
            "author_client_env",
            "Input should be 'cursor', 'claude', 'chatgpt', 'chat', 'api' or 'unknown'",
        ),
        ({"two_pass": 1}, "two_pass", "Input should be a valid boolean"),
        (
            {"since": 1},
            "since",
            "must be an ISO 8601 time, such as 2026-05-01T09:30:00Z; without a zone it is UTC",
        ),
    ],
)
def test_a_bad_field_is_named_with_its_limit(service, fields, field, message):
    answer = post(service, "read", {"query": "chess", **fields})

    assert answer.status == 400
    assert answer.body["code"] == "bad-input"
    assert answer.body["details"] == {"errors": [{"loc": ["body", field], "msg": message}]}


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        (
            {"strategy": "guess"},
            "strategy",
            "must be one of auto, precise, multi_hop, temporal, exhaustive",
        ),
        (
            {"strategy": 1},
            "strategy",
            "must be one of auto, precise, multi_hop, temporal, exhaustive",
        ),
        (
            {"since": "2026-05-02T00:00:00", "until": "2026-05-01T23:59:59Z"},
            "until",
            "must not be before since",
        ),
    ],
)
def test_what_cannot_be_meant_is_unprocessable(service, fields, field, message):
    answer = post(service, "read", {"query": "chess", **fields})

    assert answer.status == 422
    assert answer.body["details"] == {"errors": [{"loc": ["body", field], "msg": message}]}


@pytest.mark.parametrize("strategy", ["auto", "precise", "multi_hop", "temporal", "exhaustive"])
def test_every_strategy_is_taken(service, strategy):
    service.memory.write(CHESS)

    assert texts(read(service, strategy=strategy)) == [CHESS]


def test_a_query_reads_several_domains_narrowed_by_metadata(service):
    memory = service.memory
    memory.write(CHESS, domain="hobbies", metadata={"team": "red", "tags": ["a", "b"]})
    memory.write("Ana plays chess at work", domain="work", metadata={"team": "blue"})
    memory.write("Ana plays chess at night", domain="nights", metadata={"team": "red"})

    def found(**fields):
        body = {"query": "Ana plays chess", "min_relevance": 0.1, **fields}
        answer = post(service, "query", body)
        assert answer.status == 200, answer.text
        return sorted(texts(answer.body))

    team = {"key": "team", "op": "eq", "value": "red"}
    assert len(found()) == 3
    assert found(domains=["hobbies", "work", "nowhere"]) == ["Ana plays chess at work", CHESS]
    assert found(domains=["nowhere"]) == []
    assert found(metadata_filter=[team]) == ["Ana plays chess at night", CHESS]
    assert found(domains=["hobbies", "work"], metadata_filter=[team]) == [CHESS]
    assert found(metadata_filter=[team, {"key": "tags", "op": "contains", "value": "b"}]) == [CHESS]
    either = {"key": "team", "op": "in", "value": ["blue", "green"]}
    assert found(metadata_filter=[either]) == ["Ana plays chess at work"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"domains": []}, "domains"),
        ({"domains": [""]}, "domains.0"),
        ({"domains": ["a"] * 51}, "domains"),
        ({"metadata_filter": [{"key": "a", "op": "like", "value": 1}]}, "metadata_filter.0.op"),
        ({"metadata_filter": [{"key": "a", "op": "eq"}]}, "metadata_filter.0.value"),
        ({"metadata_filter": [{"key": "a", "op": "in", "value": "b"}]}, "metadata_filter.0.value"),
        ({"metadata_filter": [{"key": "a", "op": "eq", "value": 1}] * 21}, "metadata_filter"),
    ],
)
def test_a_bad_field_of_a_query_is_named(service, fields, field):
    answer = post(service, "query", {"query": "chess", **fields})

    assert answer.status == 400
    assert answer.body["details"]["errors"][0]["loc"] == ["body", field]


def test_a_metadata_filter_takes_null_as_a_value(service):
    service.memory.write(CHESS, metadata={"team": None})

    body = {"query": CHESS, "metadata_filter": [{"key": "team", "op": "eq", "value": None}]}

    assert texts(post(service, "query", body).body) == [CHESS]


def test_a_batch_answers_each_read_for_itself_in_their_order(service):
    service.memory.write(CHESS)
    items = [
        {"query": CHESS, "include_timings": True},
        {"query": "", "domain": "work"},
        "no object",
        {"query": "rain", "domain": "work"},
        {"query": "chess", "strategy": "guess"},
        {"query": "  "},
    ]

    answer = post(service, "read-batch", {"items": items})
    results = answer.body["results"]

    assert answer.status == 200
    assert [result["index"] for result in results] == list(range(6))
    assert [result["error"] for result in results] == [
        None,
        "query: String should have at least 1 character.",
        "The body must be a JSON object.",
        None,
        "strategy: must be one of auto, precise, multi_hop, temporal, exhaustive.",
        "query must hold more than blanks.",
    ]
    found = [result["result"] and texts(result["result"]) for result in results]
    assert found == [[CHESS], None, None, [], None, None]
    assert "timings" in results[0]["result"]
    assert "timings" not in results[3]["result"]


def test_a_batch_runs_a_few_reads_at_a_time(service):
    service.memory.write(CHESS)

    post(service, "read-batch", {"items": [{"query": CHESS}] * (2 * SIDE_BY_SIDE + 1)})

    waits = [wait for wait in service.memory.parallel.waits if wait == 10.0]
    assert len(waits) >= 3


def test_what_a_store_refuses_is_that_items_error_and_says_nothing_of_the_store(service):
    service.memory.write(CHESS)
    service.facts.read_faults.fail_next(StoreUnavailableError("throttled: table secrets"))

    results = post(service, "read-batch", {"items": [{"query": CHESS}] * 2}).body["results"]

    assert sorted(result["error"] or "" for result in results) == [
        "",
        "The store does not answer in time; try again.",
    ]


@pytest.mark.parametrize("items", [[], [{"query": "a"}] * 51, None, {}])
def test_a_batch_of_no_or_too_many_reads_is_refused(service, items):
    answer = post(service, "read-batch", {"items": items})

    assert answer.status == 400
    assert answer.body["details"]["errors"][0]["loc"] == ["body", "items"]


def test_an_answer_ends_below_what_lambda_sends_and_says_so(service):
    for number in range(40):
        service.memory.write(f"{CHESS} {number}", metadata={"blob": "\u00e4" * 60_000})
    asked = {"top_k": 40, "min_relevance": 0}

    single = read(service, **asked)
    batch = post(service, "read-batch", {"items": [{"query": CHESS, **asked}] * 3})

    assert single["truncated"] is True
    assert 10 < len(single["items"]) < 40
    assert len(json.dumps(batch.text)) < 5.2 * 1024 * 1024
    errors = [result["error"] for result in batch.body["results"]]
    assert errors[0] is None
    assert errors[1:] == ["There was no room for this one in the answer: ask for it alone."] * 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("read", {"query": "chess"}),
        ("query", {"query": "chess"}),
        ("read-batch", {"items": [{"query": "chess"}]}),
    ],
)
def test_who_has_no_place_of_their_own_is_refused(service, path, body):
    answer = post(service, path, body, token="homeless")

    assert (answer.status, answer.code) == (403, "permission-denied")


def test_a_deployment_without_an_index_says_so(service):
    service.memory.has_index = False

    answer = post(service, "read", {"query": "chess"})

    assert (answer.status, answer.code) == (501, "memory-operation-unsupported")
    assert answer.body["retryable"] is False


def test_what_the_caller_sees_of_shared_projects_is_read_too(service):
    service.memory.write(CHESS, scope=build_scope(projectId="apollo"))

    assert texts(read(service)) == [CHESS]
    assert post(service, "read", {"query": CHESS}, token="ben").body["items"] == []
