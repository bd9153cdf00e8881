import pytest
from palimpsest.ports.index import IndexedFact
from palimpsest.use_cases.twin_index import TwinIndex

from tests.builders import TENANT, build_scope
from tests.fakes.clock import NOON
from tests.fakes.index import FakeFactIndex


@pytest.fixture
def serving() -> FakeFactIndex:
    return FakeFactIndex()


@pytest.fixture
def filling() -> FakeFactIndex:
    return FakeFactIndex()


@pytest.fixture
def twin(serving, filling) -> TwinIndex:
    return TwinIndex(serving=serving, find_next=lambda: filling)


def fact(name: str = "a", version: int = 1) -> IndexedFact:
    return IndexedFact(
        fact_id=name,
        version=version,
        scope=build_scope(),
        type="note",
        text="chess",
        text_hash="hash",
        vector=None,
        created_at=NOON,
    )


def test_both_are_written(twin, serving, filling):
    assert twin.put([fact()]) == frozenset()
    assert twin.retire([fact("b")]) == frozenset()

    for index in (serving, filling):
        assert index.find_indexed(TENANT, ["a"]) == {"a": fact().indexed_as}

    assert twin.archive([fact("c", 2)]) == frozenset()
    for index in (serving, filling):
        assert index.find_archived(TENANT, [("b", 1), ("c", 2)]).keys() == {("b", 1), ("c", 2)}

    twin.remove(TENANT, ["a"])
    for index in (serving, filling):
        assert index.find_indexed(TENANT, ["a"]) == {}


def test_what_one_refuses_is_to_be_tried_again(twin, serving, filling):
    serving.refused, filling.refused = {"a"}, {"b"}

    assert twin.put([fact("a"), fact("b"), fact("c")]) == {"a", "b"}


def test_what_stands_in_one_only_is_not_taken_for_done(twin, serving, filling):
    serving.put([fact("a"), fact("b", 2), fact("c")])
    filling.put([fact("b", 1), fact("c")])

    assert twin.find_indexed(TENANT, ["a", "b", "c"]) == {"c": fact("c").indexed_as}


def test_what_is_archived_in_one_only_is_not_taken_for_done(twin, serving, filling):
    serving.archive([fact("a"), fact("b")])
    filling.archive([fact("b")])

    found = twin.find_archived(TENANT, [("a", 1), ("b", 1)])

    assert found == {("b", 1): fact("b").indexed_as}


def test_without_a_second_one_it_is_the_first(serving):
    alone = TwinIndex(serving=serving, find_next=lambda: None)

    alone.put([fact()])

    assert alone.find_indexed(TENANT, ["a"]) == {"a": fact().indexed_as}
