from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.adapters.dynamodb.entity_lists import LEAST_KEYS, MAX_KEYS_A_PAGE, KeyPage, keys_in
from palimpsest.domain.entities import Window


@dataclass
class FakeIndex:
    """Lists of sorted keys that remember what was read of them."""

    lists: Mapping[str, list[str]]
    reads: list[tuple[str, int, str | None]] = field(default_factory=list)

    def fetch(self, list_key: str, size: int, start: Mapping[str, Any] | None) -> KeyPage:
        after = None if start is None else start["updatedKey"]["S"]
        self.reads.append((list_key, size, after))
        left = [key for key in self.lists[list_key] if after is None or key > after]
        keys = [{"updatedKey": {"S": key}} for key in left[:size]]
        return KeyPage(keys=keys, resume_after=keys[-1] if len(left) > size else None)

    @property
    def keys_read(self) -> int:
        return sum(
            min(size, sum(after is None or key > after for key in self.lists[name]))
            for name, size, after in self.reads
        )


def found(index: FakeIndex, *, limit: int, offset: int = 0) -> list[str]:
    window = Window(limit=limit, offset=offset, max_limit=1000)
    return [item["updatedKey"]["S"] for item in keys_in(window, sorted(index.lists), index.fetch)]


def numbered(count: int, *, step: int = 1, start: int = 0) -> list[str]:
    return [f"{number:06d}" for number in range(start, start + count * step, step)]


def test_no_list_has_no_keys():
    assert found(FakeIndex({}), limit=10) == []


@given(
    st.lists(st.sets(st.integers(0, 999), max_size=40), max_size=7),
    st.integers(1, 30),
    st.integers(0, 120),
)
def test_lists_are_read_as_one(sets, limit, offset):
    taken: set[int] = set()
    lists = {}
    for position, numbers in enumerate(sets):
        lists[str(position)] = [f"{number:06d}" for number in sorted(numbers - taken)]
        taken |= numbers

    expected = sorted(key for keys in lists.values() for key in keys)[offset : offset + limit]

    assert found(FakeIndex(lists), limit=limit, offset=offset) == expected


def test_a_page_of_one_type_reads_its_keys_and_no_more():
    index = FakeIndex({"person": numbered(100_000)})

    assert found(index, limit=50) == numbered(50)
    assert index.reads == [("person", 50, None)]


@pytest.mark.parametrize("count", [1_000, 100_000])
def test_a_page_of_all_types_costs_the_same_however_many_there_are(count):
    index = FakeIndex({str(kind): numbered(count, step=7, start=kind) for kind in range(7)})

    found(index, limit=70)

    assert [size for _, size, _ in index.reads] == [LEAST_KEYS] * 7


def test_types_of_which_few_are_new_are_not_read_far():
    index = FakeIndex({"old": numbered(1_000, start=500_000), "new": numbered(1_000)})

    assert found(index, limit=100) == numbered(100)
    assert index.keys_read == 150


def test_an_offset_is_skipped_by_whole_pages_of_keys():
    index = FakeIndex({"person": numbered(5_000)})

    assert found(index, limit=100, offset=4_000) == numbered(100, start=4_000)
    assert [size for _, size, _ in index.reads] == [MAX_KEYS_A_PAGE] * 5
