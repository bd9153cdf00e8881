import pytest
from palimpsest.adapters.dynamodb.census import DynamoDBCensus
from palimpsest.domain.facts import Fact
from palimpsest.domain.revisions import delete
from palimpsest.ports.census import Census
from palimpsest.ports.facts import FactRepository

from tests.builders import OTHER_TENANT, build_act, build_fact, build_scope, build_step
from tests.dynamodb import dynoxide_tables, moto_tables
from tests.fakes.census import FakeCensus
from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds


@pytest.fixture(params=["fake", "moto", "dynoxide"])
def stores(request):
    if request.param == "fake":
        facts = FakeFactRepository()
        yield facts, FakeCensus(facts)
        return
    engine = request.param == "dynoxide" and request.getfixturevalue("dynoxide")
    with dynoxide_tables(engine) if engine else moto_tables() as tables:
        yield tables.fact_repository(), DynamoDBCensus(tables.client, tables.facts)


@pytest.fixture
def facts(stores) -> FactRepository:
    return stores[0]


@pytest.fixture
def census(stores) -> Census:
    return stores[1]


def read_all(census: Census) -> list[Fact]:
    found: list[Fact] = []
    after: str | None = None
    while True:
        page = census.read(after)
        found += page.facts
        after = page.resume_after
        if after is None:
            return found


def test_nothing_is_a_page_without_facts(census):
    page = census.read()

    assert (list(page.facts), page.resume_after) == ([], None)


def test_every_fact_of_every_tenant_is_met_once_as_it_stands(facts, census):
    ids = FakeIds()
    kept, changed, gone = (build_fact(ids=ids) for _ in range(3))
    other = build_fact(ids=ids, scope=build_scope(OTHER_TENANT))
    for fact in (kept, changed, gone, other):
        facts.add(fact)
    step = build_step(changed, ids=ids)
    facts.replace(changed, step.closed, step.fact)
    deleted = delete(gone, build_act(ids=ids))
    facts.close(gone, deleted)

    found = read_all(census)

    assert sorted(fact.id for fact in found) == sorted(f.id for f in (kept, changed, gone, other))
    assert {f.id: f for f in found} == {f.id: f for f in (kept, step.fact, deleted, other)}


def test_more_than_a_page_is_met_whole(facts, census):
    ids = FakeIds()
    added = [build_fact(ids=ids, content="x" * 5000) for _ in range(250)]
    for fact in added:
        facts.add(fact)

    assert {fact.id for fact in read_all(census)} == {fact.id for fact in added}


def test_the_estimate_is_a_count(census):
    assert census.estimate_items() >= 0
