"""What an atom brings along, as it lies in the table: over dynoxide, whose wire is cut where a test asks."""

from dataclasses import replace
from typing import Any

import pytest
from palimpsest.adapters.dynamodb.atom_companions import companion_keys
from palimpsest.adapters.dynamodb.companions import Passage
from palimpsest.adapters.dynamodb.writes import Write
from palimpsest.domain.errors import (
    DuplicateFactError,
    StoreUnavailableError,
    WriteConflictError,
)
from palimpsest.domain.facts import Fact
from palimpsest.domain.revisions import delete

from tests.builders import (
    TENANT,
    build_act,
    build_atom,
    build_fact,
    build_step,
    build_successor,
)


@pytest.fixture
def facts(tables, wire):
    return tables.fact_repository()


def key_of(item: dict[str, Any]) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]


def tallied(tables) -> list[tuple[int, float]]:
    found = tables.atom_directory().tallies(TENANT, None)
    return [(tally.atoms, tally.valence_sum) for tally in found]


def test_every_item_that_knows_of_an_atom_follows_from_its_revisions(tables, facts, ids):
    """So an erasure or a sweep, which has only the fact, finds them all."""
    first = build_atom("a", ids=ids, fingerprint="f", external_ref="#/😀" * 60)
    facts.add(first)
    step = build_step(first, ids=ids, content={"text": "b", "domain": "x", "fingerprint": "g"})
    facts.replace(first, step.closed, step.fact)
    new, closed = build_successor(step.fact, "c", ids=ids, fingerprint="h")
    facts.add_all([new], [(step.fact, closed)])
    facts.close(new, delete(new, build_act(ids=ids)))

    revisions = [step.closed, closed.revision, new.revision]
    known = {key_of(dict(key)) for revision in revisions for key in companion_keys(revision)}

    assert {key_of(item) for item in tables.items(tables.concepts)} == known


def test_a_fact_of_a_type_that_brings_nothing_leaves_the_table_empty(tables, facts, ids, wire):
    fact = build_fact(ids=ids)
    facts.add(fact)
    facts.close(fact, delete(fact, build_act(ids=ids)))

    assert wire.calls == {"PutItem": 1, "UpdateItem": 1}
    assert tables.items(tables.concepts) == []


def test_a_repository_that_was_built_to_read_writes_nothing(tables, ids):
    reader, fact = tables.fact_repository(planners=None), build_fact(ids=ids)

    with pytest.raises(ValueError, match="built to read"):
        reader.add(fact)

    assert reader.load(TENANT, fact.id).fact is None


class TestLostAnswers:
    def test_a_write_whose_answer_is_lost_is_found_out_and_counted_once(
        self, tables, facts, ids, wire
    ):
        atom = build_atom("a", ids=ids)
        wire.lose_answer("TransactWriteItems")

        facts.add_all([atom])

        assert facts.load(TENANT, atom.id).fact == atom
        assert tallied(tables) == [(1, 0.0)]

    def test_a_second_attempt_after_a_lost_answer_is_no_twin_of_the_first(
        self, tables, facts, ids, wire
    ):
        old = build_atom("a", ids=ids)
        facts.add_all([old])
        new, closed = build_successor(old, "a", ids=ids)
        wire.lose_answer("TransactWriteItems")
        wire.lose_request("BatchGetItem")
        with pytest.raises(StoreUnavailableError):
            facts.add_all([new], [(old, closed)])

        facts.add_all([new], [(old, closed)])

        assert facts.load(TENANT, old.id).fact == closed
        assert tallied(tables) == [(1, 0.0)]

    def test_a_move_whose_answer_is_lost_is_found_out_and_counted_once(
        self, tables, facts, ids, wire
    ):
        atom = build_atom("a", ids=ids)
        facts.add_all([atom])
        wire.lose_answer("TransactWriteItems")
        facts.move_valences([(atom, 0.5)], operation_id="feedback")
        wire.lose_answer("TransactWriteItems")
        wire.lose_request("BatchGetItem")
        moved = replace(atom, valence=0.5)
        with pytest.raises(StoreUnavailableError):
            facts.move_valences([(moved, 0.75)], operation_id="more")

        facts.move_valences([(replace(atom, valence=0.75), 0.9)], operation_id="more")

        assert facts.load(TENANT, atom.id).fact == replace(atom, valence=0.75)
        assert tallied(tables) == [(1, 0.75)]

    def test_a_close_whose_answer_is_lost_is_found_out_and_counted_once(
        self, tables, facts, ids, wire
    ):
        atom, other = build_atom("a", ids=ids), build_atom("b", ids=ids)
        facts.add_all([atom, other])
        gone = delete(atom, build_act(ids=ids))
        wire.lose_answer("TransactWriteItems")

        facts.close(atom, gone)

        assert facts.load(TENANT, atom.id).fact == gone
        assert tallied(tables) == [(1, 0.0)]


class TestConflicts:
    @pytest.mark.parametrize("position", [0, 1, 2], ids=["fact", "pointer", "tally"])
    def test_a_transaction_in_the_way_of_any_item_is_a_lost_race(
        self, tables, facts, ids, wire, position
    ):
        atom = build_atom("a", ids=ids)
        reasons = ["None", "None", "None"]
        reasons[position] = "TransactionConflict"
        wire.cancel(*reasons)

        with pytest.raises(WriteConflictError):
            facts.add_all([atom])

        assert facts.load(TENANT, atom.id).fact is None
        assert tallied(tables) == []

    def test_a_twin_is_told_by_the_refusal_alone(self, facts, ids, wire):
        first, second = build_atom("a", ids=ids), build_atom("a", ids=ids)
        facts.add_all([first])
        wire.reset()

        with pytest.raises(DuplicateFactError):
            facts.add_all([second])

        assert wire.calls == {"TransactWriteItems": 1}


class CountingPlanner:
    """Plans as another type's planner may: from an item that it reads, on condition that it stays as it was read."""

    types = frozenset({"note"})

    def __init__(self, tables) -> None:
        self.tables = tables
        self.plans = 0

    def plan(self, passages, *, stale) -> list[Write]:
        self.plans += 1
        key = {"pk": {"S": "notes"}, "sk": {"S": "COUNT"}}
        found = self.tables.client.get_item(TableName=self.tables.concepts, Key=key)
        was = int(found["Item"]["n"]["N"]) if "Item" in found else 0
        as_read = "attribute_not_exists(n)" if was == 0 else "n = :was"
        values = {":n": {"N": str(was + len(passages))}}
        request = {
            "TableName": self.tables.concepts,
            "Key": key,
            "UpdateExpression": "SET n = :n",
            "ConditionExpression": as_read,
            "ExpressionAttributeValues": values
            if was == 0
            else {**values, ":was": {"N": str(was)}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        return [Write(action="Update", request=request)]


class TestPlanners:
    def test_a_planner_is_asked_for_its_types_only_with_all_of_a_transaction(
        self, tables, facts, ids
    ):
        planner = CountingPlanner(tables)
        facts = tables.fact_repository(planners=(planner,))
        notes: list[Fact] = [build_fact(ids=ids) for _ in range(3)]

        facts.add_all([*notes, build_fact(ids=ids, type="rule")])
        facts.add(build_fact(ids=ids, type="rule"))

        (item,) = tables.items(tables.concepts)
        assert item["n"] == {"N": "3"}
        assert planner.plans == 1

    def test_what_changed_since_a_planner_read_it_is_a_lost_race_and_the_next_attempt_wins(
        self, tables, facts, ids, monkeypatch
    ):
        planner = CountingPlanner(tables)
        mine = tables.fact_repository(planners=(planner,))
        plan = planner.plan

        def overtaken(passages: list[Passage], *, stale: frozenset[str] | None) -> list[Write]:
            planned = plan(passages, stale=stale)
            if planner.plans == 1:
                mine.add(build_fact(ids=ids))
            return planned

        monkeypatch.setattr(planner, "plan", overtaken)
        note = build_fact(ids=ids)

        with pytest.raises(WriteConflictError):
            mine.add(note)
        mine.add(note)

        (item,) = tables.items(tables.concepts)
        assert item["n"] == {"N": "2"}
        assert mine.load(TENANT, note.id).fact == note
