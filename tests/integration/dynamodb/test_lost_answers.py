"""What the adapter makes of an answer that does not come, or says no: over dynoxide, whose wire is cut."""

from dataclasses import replace

import pytest
from palimpsest.domain.errors import StoreFailedError, StoreUnavailableError, WriteConflictError
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import delete
from palimpsest.ports.facts import FactQuery

from tests.builders import TENANT, build_act, build_admin, build_caller, build_fact, build_step
from tests.fakes.pauses import FakePauses

PEOPLE = (Person(PersonKind.EXTERNAL, "ben"),)
THROTTLES = [
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
]


@pytest.fixture
def pauses():
    return FakePauses()


@pytest.fixture
def facts(tables, pauses):
    return tables.fact_repository(pauses=pauses)


@pytest.mark.parametrize(
    ("subjects", "operation"), [((), "PutItem"), (PEOPLE, "TransactWriteItems")]
)
class TestAdd:
    def test_an_answer_that_is_lost_is_found_out(self, wire, facts, ids, subjects, operation):
        fact = build_fact(ids=ids, subjects=subjects)
        wire.lose_answer(operation)

        facts.add(fact)

        assert facts.load(TENANT, fact.id).fact == fact
        assert wire.calls[operation] == 1

    def test_a_request_that_is_lost_is_told(self, wire, facts, ids, subjects, operation):
        fact = build_fact(ids=ids, subjects=subjects)
        wire.lose_request(operation)

        with pytest.raises(StoreUnavailableError):
            facts.add(fact)

        assert facts.load(TENANT, fact.id).fact is None

    def test_a_second_attempt_after_a_lost_answer_makes_no_second_fact(
        self, wire, facts, ids, tables, subjects, operation
    ):
        fact = build_fact(ids=ids, subjects=subjects)
        wire.lose_answer(operation)
        wire.lose_request("BatchGetItem")
        with pytest.raises(StoreUnavailableError):
            facts.add(fact)

        facts.add(fact)

        heads = [item for item in tables.items(tables.facts) if item["sk"]["S"] == "HEAD"]
        assert len(heads) == 1

    @pytest.mark.parametrize("code", THROTTLES)
    def test_a_throttle_is_told_without_asking_more(
        self, wire, facts, ids, subjects, operation, code
    ):
        wire.refuse(operation, code)

        with pytest.raises(StoreUnavailableError):
            facts.add(build_fact(ids=ids, subjects=subjects))

        assert wire.calls == {operation: 1}


class TestReplace:
    def test_an_answer_that_is_lost_is_no_second_revision(self, wire, facts, ids):
        first = build_fact(ids=ids)
        facts.add(first)
        step = build_step(first, ids=ids)
        wire.lose_answer("TransactWriteItems")

        facts.replace(first, step.closed, step.fact)

        assert facts.load(TENANT, first.id).fact == step.fact
        assert list(facts.walk_revisions(TENANT, first.id)) == [step.closed]

    def test_a_server_fault_after_the_write_is_found_out(self, wire, facts, ids):
        first = build_fact(ids=ids)
        facts.add(first)
        step = build_step(first, ids=ids)
        facts.replace(first, step.closed, step.fact)
        wire.refuse("TransactWriteItems", "InternalServerError", status=500)

        facts.replace(first, step.closed, step.fact)

        assert facts.load(TENANT, first.id).fact == step.fact

    def test_a_write_that_landed_and_was_replaced_since_is_found_out(self, wire, facts, ids):
        first = build_fact(ids=ids)
        facts.add(first)
        step = build_step(first, ids=ids)
        facts.replace(first, step.closed, step.fact)
        third = build_step(step.fact, ids=ids)
        facts.replace(step.fact, third.closed, third.fact)
        wire.lose_request("TransactWriteItems")

        facts.replace(first, step.closed, step.fact)

        assert facts.load(TENANT, first.id).fact == third.fact

    def test_a_lost_race_is_told_by_the_item_in_the_way_alone(self, wire, facts, ids):
        first = build_fact(ids=ids)
        facts.add(first)
        step, late = build_step(first, ids=ids), build_step(first, ids=ids)
        facts.replace(first, step.closed, step.fact)
        wire.reset()

        with pytest.raises(WriteConflictError):
            facts.replace(first, late.closed, late.fact)

        assert wire.calls == {"TransactWriteItems": 1}

    @pytest.mark.parametrize(
        ("reasons", "expected"),
        [
            (("None", "TransactionConflict"), WriteConflictError),
            (("TransactionConflict", "None"), WriteConflictError),
            (("ThrottlingError", "None"), StoreUnavailableError),
            (("None", "ValidationError"), StoreFailedError),
        ],
    )
    def test_a_cancelled_transaction_is_told_and_changes_nothing(
        self, wire, facts, ids, reasons, expected
    ):
        first = build_fact(ids=ids)
        facts.add(first)
        step = build_step(first, ids=ids)
        wire.cancel(*reasons)

        with pytest.raises(expected):
            facts.replace(first, step.closed, step.fact)

        assert facts.load(TENANT, first.id).fact == first

    def test_our_own_transaction_still_under_way_is_not_known_yet(self, wire, facts, ids):
        first = build_fact(ids=ids)
        facts.add(first)
        step = build_step(first, ids=ids)
        wire.refuse("TransactWriteItems", "TransactionInProgressException")

        with pytest.raises(StoreUnavailableError):
            facts.replace(first, step.closed, step.fact)

    def test_an_attempt_over_a_newer_revision_is_another_transaction(self, facts, ids):
        """Its token differs, though the operation is the same: DynamoDB would refuse the same one."""
        first = build_fact(ids=ids)
        facts.add(first)
        mine, theirs = build_step(first, ids=ids), build_step(first, ids=ids)
        facts.replace(first, theirs.closed, theirs.fact)
        with pytest.raises(WriteConflictError):
            facts.replace(first, mine.closed, mine.fact)
        again = build_step(theirs.fact, ids=ids)
        revision = replace(again.fact.revision, operation_id=mine.fact.revision.operation_id)

        facts.replace(theirs.fact, again.closed, replace(again.fact, revision=revision))

        assert facts.load(TENANT, first.id).fact.version == 3


class TestClose:
    def test_an_answer_that_is_lost_is_found_out(self, wire, facts, ids):
        first = build_fact(ids=ids)
        facts.add(first)
        gone = delete(first, build_act(ids=ids))
        wire.lose_answer("UpdateItem")

        facts.close(first, gone)

        assert facts.load(TENANT, first.id).fact == gone

    def test_a_conflict_with_a_transaction_is_told(self, wire, facts, ids):
        first = build_fact(ids=ids)
        facts.add(first)
        wire.refuse("UpdateItem", "TransactionConflictException")

        with pytest.raises(WriteConflictError):
            facts.close(first, delete(first, build_act(ids=ids)))

        assert facts.load(TENANT, first.id).fact == first


class TestReads:
    def test_keys_that_were_left_out_are_asked_for_again(self, wire, facts, ids, pauses, tables):
        fact = build_fact(ids=ids)
        facts.add(fact)
        left_out = {
            tables.facts: {
                "Keys": [{"pk": {"S": f"{TENANT}#fact#{fact.id}"}, "sk": {"S": "HEAD"}}],
                "ConsistentRead": True,
            }
        }
        wire.answer("BatchGetItem", {"Responses": {}, "UnprocessedKeys": left_out})

        loaded = facts.load(TENANT, fact.id)

        assert loaded.fact == fact
        assert pauses.attempts == [1]

    def test_keys_that_are_left_out_for_ever_are_a_busy_store(self, wire, facts, tables, pauses):
        left_out = {tables.facts: {"Keys": [{"pk": {"S": "x"}, "sk": {"S": "HEAD"}}]}}
        for _ in range(5):
            wire.answer("BatchGetItem", {"Responses": {}, "UnprocessedKeys": left_out})

        with pytest.raises(StoreUnavailableError):
            facts.load(TENANT, "id")

        assert pauses.attempts == [1, 2, 3, 4]

    @pytest.mark.parametrize("operation", ["Query", "GetItem"])
    def test_a_list_of_which_one_read_fails_fails(self, wire, facts, operation):
        wire.lose_request(operation)

        with pytest.raises(StoreUnavailableError):
            facts.walk(FactQuery(caller=build_caller("ana", writes=("p", "q"))))

    def test_a_fact_that_left_while_an_admin_listed_is_left_out(self, wire, facts, ids):
        """The index lags: it still shows a fact whose HEAD is gone."""
        stays, goes = build_fact(ids=ids), build_fact(ids=ids)
        facts.add(stays)
        facts.add(goes)
        walk = facts.walk(FactQuery(caller=build_admin()))
        facts.close(goes, delete(goes, build_act(ids=ids)))

        assert list(walk) == [stays]

    def test_a_table_that_is_not_there_is_told(self, tables):
        facts = tables.fact_repository(facts_table="NoSuchTable")

        with pytest.raises(StoreFailedError):
            facts.load(TENANT, "id")
