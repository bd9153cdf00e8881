import pytest
from palimpsest.adapters.dynamodb.merges import MAX_FURTHER_PAGES
from palimpsest.adapters.dynamodb.walks import LEAST_FIRST_ITEMS, first_page_size


@pytest.mark.parametrize(
    ("wanted", "partitions", "size"),
    [(25, 0, 26), (25, 1, 26), (25, 300, 26), (100, 8, 101), (100, 400, 20), (100, 1600, 12)],
)
def test_a_caller_in_many_partitions_reads_less_of_each_at_first(wanted, partitions, size):
    assert first_page_size(wanted, partitions=partitions) == size


def test_first_pages_together_are_bounded_by_a_number_and_not_by_the_callers_grants():
    most = 4 * 200 + 2

    assert all(first_page_size(100, partitions=n) * n <= 10_000 for n in range(1, most))


def test_what_first_pages_lack_of_a_full_list_the_further_pages_hold():
    hot_partitions = 101 // (LEAST_FIRST_ITEMS + 1)

    assert hot_partitions <= MAX_FURTHER_PAGES
