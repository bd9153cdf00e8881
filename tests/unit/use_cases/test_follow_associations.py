"""Where learned edges lead from the concepts of a query."""

from datetime import timedelta

import pytest
from palimpsest.use_cases.follow_associations import MAX_EXPANDED, FollowAssociations

from tests.memories import ANAS, BENS, Memory


@pytest.fixture
def memory() -> Memory:
    return Memory()


def follow(memory: Memory, *concepts: str, depth: int = 1) -> dict[str, float]:
    following = FollowAssociations(associations=memory.associations, clock=memory.clock)
    return following(ANAS, concepts, depth=depth)


def test_the_strongest_neighbour_has_the_share_of_one_step_and_others_less(memory: Memory):
    memory.teach("tea", "lemon", amount=1.0)
    memory.teach("tea", "milk", amount=0.1)

    shares = follow(memory, "tea")

    assert list(shares) == ["lemon", "milk"]
    assert shares["lemon"] == pytest.approx(0.9)
    assert 0 < shares["milk"] < 0.2


def test_the_concepts_of_the_query_themselves_are_no_neighbours(memory: Memory):
    memory.teach("tea", "lemon")

    assert follow(memory, "tea", "lemon") == {}
    assert follow(memory) == {}
    assert follow(memory, "unknown") == {}


def test_only_one_scope_is_asked(memory: Memory):
    memory.teach("tea", "secret", scope=BENS)

    assert follow(memory, "tea") == {}


def test_what_has_faded_leads_nowhere(memory: Memory):
    memory.teach("tea", "lemon", amount=0.3)

    memory.clock.advance(timedelta(days=365))

    assert follow(memory, "tea") == {}


def test_a_second_step_leads_on_and_counts_less(memory: Memory):
    memory.teach("tea", "lemon")
    memory.teach("lemon", "sicily")

    assert list(follow(memory, "tea")) == ["lemon"]
    assert follow(memory, "tea", depth=2) == pytest.approx({"lemon": 0.9, "sicily": 0.81})


def test_a_circle_leads_to_nothing_twice(memory: Memory):
    memory.teach("tea", "lemon")
    memory.teach("lemon", "sicily")
    memory.teach("sicily", "tea")

    assert set(follow(memory, "tea", depth=2)) == {"lemon", "sicily"}


def test_only_the_strongest_few_are_followed(memory: Memory):
    for root in ("tea", "milk"):
        for n in range(9):
            memory.teach(root, f"{root} {n}", amount=0.2 + n / 10)

    shares = follow(memory, "tea", "milk")

    assert len(shares) == MAX_EXPANDED
    assert list(shares)[:2] == ["milk 8", "tea 8"]
    assert memory.associations.asked == [2]
