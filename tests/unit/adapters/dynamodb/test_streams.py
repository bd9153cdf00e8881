from dataclasses import replace
from typing import Any

import pytest
from palimpsest.adapters.dynamodb import keys
from palimpsest.adapters.dynamodb.items import fact_to_item, revision_to_item
from palimpsest.adapters.dynamodb.streams import UnreadableRecordError, notice_from
from palimpsest.domain.facts import Fact
from palimpsest.domain.projection import FactKey, Notice
from palimpsest.domain.revisions import delete

from tests.builders import TENANT, build_act, build_fact, build_scope, build_step
from tests.fakes.ids import FakeIds


@pytest.fixture
def ids() -> FakeIds:
    return FakeIds()


@pytest.fixture
def fact(ids) -> Fact:
    return build_fact(ids=ids, scope=build_scope(projectId="p", participantId="ben"))


def image(fact: Fact) -> dict[str, Any]:
    return fact_to_item(fact, keys.ShardCounts())


def record(*, new: dict[str, Any] | None = None, old: dict[str, Any] | None = None):
    some = new or old or {}
    change = {
        "Keys": {"pk": some.get("pk"), "sk": some.get("sk")},
        "NewImage": new,
        "OldImage": old,
    }
    return {"dynamodb": {name: value for name, value in change.items() if value is not None}}


def key_of(fact: Fact) -> FactKey:
    return FactKey(tenant_id=TENANT, fact_id=fact.id)


def test_a_new_fact_replaced_nothing(fact):
    assert notice_from(record(new=image(fact))) == Notice(key=key_of(fact))


def test_a_supersede_tells_which_revision_it_replaced(fact, ids):
    after = build_step(fact, ids=ids).fact

    told = notice_from(record(new=image(after), old=image(fact)))

    assert told == Notice(key=key_of(fact), replaced=fact.revision)


def test_a_delete_replaced_nothing(fact, ids):
    deleted = delete(fact, build_act(ids=ids))

    assert notice_from(record(new=image(deleted), old=image(fact))) == Notice(key=key_of(fact))


def test_a_valence_that_was_moved_tells_nothing_and_what_comes_with_it_does(fact, ids):
    moved = {**image(replace(fact, valence=0.5)), "movedByOperation": {"S": "feedback"}}
    deleted = image(delete(replace(fact, valence=0.5), build_act(ids=ids)))

    assert notice_from(record(new=moved, old=image(fact))) is None
    assert notice_from(record(new=deleted, old=moved)) == Notice(key=key_of(fact))
    assert notice_from(record(new=image(fact), old=image(fact))) == Notice(key=key_of(fact))


def test_a_fact_that_was_swept_is_known_by_its_old_image(fact):
    assert notice_from(record(old=image(fact))) == Notice(key=key_of(fact), gone=fact)


def test_what_is_no_current_revision_tells_nothing(fact, ids):
    closed = build_step(fact, ids=ids).closed
    earlier = revision_to_item(closed, is_fact_held=False)
    vector = {"pk": {"S": "p"}, "sk": {"S": keys.vector_sort_key("model")}}

    assert notice_from(record(new=earlier)) is None
    assert notice_from(record(new=vector)) is None


def test_a_replaced_revision_keeps_what_it_said(fact, ids):
    after = build_step(fact, ids=ids, content="Ana plays go.").fact
    again = build_step(after, ids=ids, content="Ana plays bridge.").fact

    told = notice_from(record(new=image(again), old=image(after)))

    assert told is not None
    assert told.replaced == replace(after.revision)


@pytest.mark.parametrize("missing", ["factId", "scope"])
def test_an_image_without_what_every_fact_has_is_unreadable(fact, missing):
    broken = {name: value for name, value in image(fact).items() if name != missing}

    with pytest.raises(UnreadableRecordError):
        notice_from(record(new=broken))


@pytest.mark.parametrize(
    "broken", [{}, {"dynamodb": {}}, {"dynamodb": {"Keys": {"sk": {"S": "HEAD"}}}}]
)
def test_a_record_without_images_is_unreadable(broken):
    with pytest.raises(UnreadableRecordError):
        notice_from(broken)


def test_an_old_image_that_cannot_be_read_is_unreadable(fact, ids):
    after = build_step(fact, ids=ids).fact
    broken = {**image(fact), "trust": {"S": "no such trust"}}

    with pytest.raises(UnreadableRecordError):
        notice_from(record(new=image(after), old=broken))
