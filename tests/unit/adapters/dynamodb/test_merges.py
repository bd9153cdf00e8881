from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st
from palimpsest.adapters.dynamodb.keys import Index
from palimpsest.adapters.dynamodb.merges import MAX_FURTHER_PAGES, Candidate, IndexPage, Merge
from palimpsest.adapters.dynamodb.plans import PartitionRead

numbers = st.sets(st.integers(100, 999), max_size=120)
stores = st.lists(numbers, max_size=5)


@dataclass
class Partitions:
    """Sets of ids behind pages; like DynamoDB, a page that is exactly full does not know that it is the last."""

    held: list[set[int]]
    page_size: int
    kept: set[int] | None = None
    fetched: Counter[str] = field(default_factory=Counter)

    def fetch(self, read: PartitionRead, before: str | None) -> IndexPage:
        self.fetched[read.key] += 1
        below = sorted(
            (str(i) for i in self.held[int(read.key)] if before is None or str(i) < before),
            reverse=True,
        )
        page = below[: self.page_size]
        return IndexPage(
            candidates=[
                Candidate(fact_id=i, item={}, is_whole=True)
                for i in page
                if self.kept is None or int(i) in self.kept
            ],
            last_read=page[-1] if len(page) == self.page_size else None,
        )

    def merge(self, before: str | None = None) -> Merge:
        reads = [PartitionRead(index=Index.BY_ORG, key=str(i)) for i in range(len(self.held))]
        return Merge([(read, self.fetch(read, before)) for read in reads], self.fetch)


def taken(merge: Merge, limit: int) -> list[int]:
    found: list[int] = []
    while candidates := merge.take(limit):
        found += [int(candidate.fact_id) for candidate in candidates]
    return found


@given(stores, st.integers(1, 20), st.integers(1, 20))
def test_going_on_from_walk_to_walk_meets_everything_once_newest_first(held, page_size, limit):
    partitions = Partitions(held, page_size)
    found: list[int] = []
    before: str | None = None

    while True:
        merge = partitions.merge(before)
        found += taken(merge, limit)
        if merge.resume_before is None:
            break
        assert before is None or merge.resume_before < before
        before = merge.resume_before

    assert found == sorted(set().union(*held), reverse=True)
    assert not merge.has_unread


@given(stores, st.integers(1, 10))
def test_a_walk_reads_each_first_page_and_a_bounded_number_more(held, page_size):
    partitions = Partitions(held, page_size)

    taken(partitions.merge(), page_size)

    assert partitions.fetched.total() <= len(held) + MAX_FURTHER_PAGES


@given(stores, st.integers(1, 10))
def test_the_first_page_of_a_list_needs_no_further_page(held, page_size):
    partitions = Partitions(held, page_size + 1)
    merge = partitions.merge()

    found = merge.take(page_size)

    ids = sorted(set().union(*held), reverse=True)
    assert [int(candidate.fact_id) for candidate in found] == ids[: len(found)]
    assert partitions.fetched.total() == len(held)


@given(stores, st.integers(1, 10), numbers)
def test_what_a_page_leaves_out_still_moves_the_walk_on(held, page_size, kept):
    partitions = Partitions(held, page_size, kept)
    found: list[int] = []
    before: str | None = None

    while True:
        merge = partitions.merge(before)
        found += taken(merge, page_size)
        if (before := merge.resume_before) is None:
            break

    assert found == sorted(set().union(*held) & kept, reverse=True)


@given(stores, st.integers(1, 10))
def test_has_unread_is_never_false_while_something_is_to_come(held, page_size):
    merge = Partitions(held, page_size).merge()
    ids = sorted(set().union(*held), reverse=True)

    count = len(merge.take(page_size))

    assert merge.has_unread or count == len(ids)


def test_of_two_partitions_only_the_one_that_is_behind_is_read_again():
    partitions = Partitions([set(range(500, 600)), {100, 101, 102}], page_size=3)

    taken(partitions.merge(), 3)

    assert partitions.fetched == {"0": 1 + MAX_FURTHER_PAGES, "1": 1}
