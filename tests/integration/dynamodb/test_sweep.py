"""What DynamoDB's own sweep leaves behind: over dynoxide, its stream and the function as it is built from its environment."""

from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.adapters.dynamodb.items import place_of
from palimpsest.bootstrap.index_facts import build
from palimpsest.domain.entities import EntityKey, EntityType, Window
from palimpsest.domain.errors import StoreUnavailableError
from palimpsest.domain.facts import Fact
from palimpsest.domain.observations import OBSERVATION_TYPE
from palimpsest.domain.revisions import delete
from palimpsest.domain.ties import Side

from local.dynoxide import FAKE_CREDENTIAL
from local.mapping import mappings_of
from local.pump import Pump, streams_client
from local.template import Template
from tests.builders import TENANT, build_act, build_atom, build_fact, build_scope
from tests.dynamodb import FAKE_ACCOUNT, TEMPLATE
from tests.fakes.clock import NOON

SCOPE = build_scope(userId="ana")


@pytest.fixture
def pump(tables, wire, dynoxide, tmp_path, monkeypatch):
    for name, value in FAKE_ACCOUNT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynoxide.endpoint)
    function = build(
        {
            "FACTS_TABLE_NAME": tables.facts,
            "STATE_TABLE_NAME": tables.state,
            "CONCEPTS_TABLE_NAME": tables.concepts,
            "INDEX_URI": f"sqlite:{tmp_path / 'index.sqlite'}",
            "EMBEDDINGS_URI": "none",
            "RECHECKS_URI": "none",
        }
    )
    (mapping,) = [m for m in mappings_of(Template.read(TEMPLATE)) if m.table == "FactsTable"]
    streams = streams_client(dynoxide.endpoint, FAKE_CREDENTIAL)
    mapping = replace(mapping, table=tables.facts)
    return Pump(mapping, tables.client, streams, lambda event: function(event, None), tmp_path)


@pytest.fixture
def facts(tables, wire):
    return tables.fact_repository()


def an_observation(ids, text: str) -> Fact:
    content = {"entity": "Jeff", "entityType": "person", "observation": text}
    return build_fact(ids=ids, type=OBSERVATION_TYPE, scope=SCOPE, content=content)


def sweep(tables, fact: Fact) -> None:
    tables.client.delete_item(TableName=tables.facts, Key=place_of(fact.revision).head)


def counts(tables):
    """Return the atoms of each tally, the entities that are listed, and their total with that of observations."""
    atoms = [tally.atoms for tally in tables.atom_directory().tallies(TENANT, None)]
    directory = tables.entity_directory()
    page = directory.list_page(SCOPE, frozenset(), Window(limit=9))
    return (
        atoms,
        [(entity.name, entity.observations) for entity in page.entities],
        (page.total, directory.count(SCOPE).observations),
    )


def test_what_was_swept_is_counted_out_by_the_stream(tables, facts, ids, pump):
    atoms = [build_atom(text, ids=ids, scope=SCOPE) for text in "ab"]
    observations = [an_observation(ids, text) for text in ("sings", "hums")]
    for fact in (*atoms, *observations):
        facts.add(fact)
    while pump.turn():
        pass
    assert counts(tables) == ([2], [("Jeff", 2)], (1, 2))

    sweep(tables, atoms[0])
    sweep(tables, observations[0])
    while pump.turn():
        pass
    assert counts(tables) == ([1], [("Jeff", 1)], (1, 1))

    sweep(tables, observations[1])
    while pump.turn():
        pass
    assert counts(tables) == ([1], [], (0, 0))


def test_a_fact_that_brought_nothing_along_or_had_ended_costs_no_call(facts, ids, wire):
    plain, ended = build_fact(ids=ids, scope=SCOPE), an_observation(ids, "sings")

    for fact in (plain, delete(ended, build_act(ids=ids))):
        facts.count_out(fact, at=NOON)

    assert wire.calls == {}


def test_an_answer_that_is_lost_counts_nothing_out_twice(tables, facts, ids, wire):
    atoms = [build_atom(text, ids=ids, scope=SCOPE) for text in "ab"]
    for atom in atoms:
        facts.add(atom)
    wire.lose_answer("TransactWriteItems")

    with pytest.raises(StoreUnavailableError):
        facts.count_out(atoms[0], at=NOON)
    facts.count_out(atoms[0], at=NOON + timedelta(seconds=1))

    assert counts(tables)[0] == [1]


def test_a_fact_that_is_taken_off_twice_at_the_same_time_is_counted_once(tables, facts, ids):
    gone = an_observation(ids, "sings")
    for fact in (gone, an_observation(ids, "hums"), an_observation(ids, "dances")):
        facts.add(fact)
    (planner,) = [each for each in tables.planners() if OBSERVATION_TYPE in each.types]
    key = EntityKey(name="jeff", type=EntityType.PERSON)
    late = planner.plan_untying(SCOPE, key, Side.OBSERVATION, gone.id)

    facts.count_out(gone, at=NOON)
    with pytest.raises(tables.client.exceptions.TransactionCanceledException):
        tables.client.transact_write_items(
            TransactItems=[{write.action: write.request} for write in late]
        )

    assert counts(tables) == ([], [("Jeff", 2)], (1, 2))
