"""What one answer may hold."""

from collections.abc import Iterable

# spec/facts.md §9: a Lambda response ends at 6 MB (AWS Lambda quotas); what is left over holds the envelope and the headers.
MAX_ANSWER_BYTES = 5 * 1024 * 1024


def count_fitting(sizes: Iterable[int], room: int = MAX_ANSWER_BYTES) -> int:
    """Return how many things, from the first, one answer holds; at least one, if there is one.

    Args:
        sizes: Bytes of each in the answer as it is sent.
        room: Bytes that the answer may have.
    """
    count = 0
    for size in sizes:
        room -= size
        if room < 0 and count:
            break
        count += 1
    return count
