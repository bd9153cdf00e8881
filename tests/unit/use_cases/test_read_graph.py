from itertools import count

import pytest
from palimpsest.domain.associations import HALF_LIFE, STOOD_IN_ONE_ATOM, Lesson
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import PermissionDeniedError
from palimpsest.domain.homes import home_of
from palimpsest.ports.associations import MAX_ASKED
from palimpsest.use_cases.read_graph import FLOOR, GraphRequest, Node, ReadGraph

from tests.builders import OTHER_TENANT, build_caller, build_scope
from tests.fakes.associations import FakeAssociations
from tests.fakes.clock import NOON, FakeClock

ANA = build_caller("ana")
HOME = home_of(ANA)
EVENTS = count()


@pytest.fixture
def associations():
    return FakeAssociations()


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def read(associations, clock):
    read_graph = ReadGraph(associations=associations, clock=clock)

    def ask(*seeds, caller=ANA, **fields):
        return read_graph(caller, GraphRequest(seeds=seeds, **fields))

    return ask


def link(associations, *concepts, amount=STOOD_IN_ONE_ATOM, scope=HOME):
    lesson = Lesson(
        event_id=f"e{next(EVENTS)}", scope=scope, concepts=concepts, amount=amount, at=NOON
    )
    associations.learn(lesson)


def chain(associations, *concepts):
    for number, left in enumerate(concepts[:-1]):
        link(associations, left, concepts[number + 1])


def pairs(answer):
    return [(edge.source, edge.target) for edge in answer.edges]


def test_one_step_is_the_edges_of_the_seeds(read, associations):
    link(associations, "tea", "rain", amount=0.2)
    link(associations, "tea", "sun", amount=0.4)
    link(associations, "rain", "mud")

    answer = read("tea")

    assert pairs(answer) == [("sun", "tea"), ("rain", "tea")]
    assert answer.nodes == (
        Node(concept="tea", degree=2),
        Node(concept="rain", degree=1),
        Node(concept="sun", degree=1),
    )
    assert (answer.is_truncated, answer.min_weight_applied) == (False, 0.0)


@pytest.mark.parametrize(("depth", "edges"), [(1, 1), (2, 2), (3, 3)])
def test_a_walk_goes_as_far_as_was_asked(read, associations, depth, edges):
    chain(associations, "a", "b", "c", "d", "e")

    assert len(read("a", depth=depth).edges) == edges


def test_a_walk_ends_where_nothing_new_is_met(read, associations):
    link(associations, "a", "b", "c")

    answer = read("a", depth=3)

    assert pairs(answer) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert len(associations.asked) == 2


def test_a_seed_may_be_written_in_any_way_and_more_than_once(read, associations):
    link(associations, "green tea", "rain")

    assert pairs(read(" Green  TEA ", "green tea")) == [("green tea", "rain")]
    assert associations.asked == [1]


@pytest.mark.parametrize("seeds", [(), ("unknown",), (" ",)])
def test_what_is_not_known_is_an_empty_graph(read, seeds):
    answer = read(*seeds, depth=2)

    assert (answer.nodes, answer.edges) == ((), ())
    assert (answer.is_truncated, answer.min_weight_applied) == (False, FLOOR)


def test_a_walk_of_several_steps_has_a_floor_at_every_step_of_it(read, associations):
    link(associations, "a", "b")
    link(associations, "a", "weak", amount=0.04)
    link(associations, "b", "c", amount=0.04)

    assert pairs(read("a", depth=2)) == [("a", "b")]
    assert pairs(read("a", depth=1)) == [("a", "b"), ("a", "weak")]


@pytest.mark.parametrize(("min_weight", "edges"), [(0.0, 3), (0.01, 3), (0.1, 2), (1.5, 0)])
def test_a_floor_that_is_asked_for_is_the_floor(read, associations, min_weight, edges):
    chain(associations, "a", "b", "c")
    link(associations, "a", "weak", amount=0.04)

    answer = read("a", depth=2, min_weight=min_weight)

    assert len(answer.edges) == edges
    assert answer.min_weight_applied == min_weight


def test_edges_fade_below_the_floor(read, associations, clock):
    link(associations, "a", "b")
    clock.advance(3 * HALF_LIFE)

    assert read("a", depth=2).edges == ()
    assert len(read("a").edges) == 1


@pytest.mark.parametrize(("limit", "is_truncated"), [(4, True), (5, False), (6, False)])
def test_a_graph_that_is_cut_says_so(read, associations, limit, is_truncated):
    for number in range(5):
        link(associations, "hub", f"c{number}")

    answer = read("hub", limit=limit)

    assert len(answer.edges) == min(limit, 5)
    assert answer.is_truncated is is_truncated


def test_near_edges_are_taken_before_far_ones_and_strong_before_weak(read, associations):
    link(associations, "a", "near", amount=0.2)
    link(associations, "a", "weak", amount=0.1)
    link(associations, "near", "far", amount=3.0)

    assert pairs(read("a", depth=2, limit=2)) == [("a", "near"), ("a", "weak")]
    assert read("a", depth=2, limit=2).is_truncated
    assert pairs(read("a", depth=2, limit=1)) == [("a", "near")]


def test_a_graph_that_is_just_full_is_not_cut(read, associations):
    chain(associations, "a", "b", "c")

    assert not read("a", depth=3, limit=2).is_truncated
    assert read("a", depth=3, limit=1).is_truncated


def test_a_graph_of_a_hub_asks_no_more_than_it_may(read, associations):
    for number in range(60):
        link(associations, "hub", f"c{number:02}", amount=0.3 + number / 100)
        link(associations, f"c{number:02}", f"d{number:02}")

    answer = read("hub", depth=3, limit=500)

    assert associations.asked == [1, MAX_ASKED, MAX_ASKED]
    assert answer.is_truncated
    # From the strongest neighbours the walk goes on, from the others not.
    found = {concept for pair in pairs(answer) for concept in pair}
    assert "d59" in found
    assert "d00" not in found


def test_what_lies_beyond_the_last_step_cuts_nothing(read, associations):
    for number in range(60):
        link(associations, "hub", f"c{number:02}")

    assert not read("hub").is_truncated


def test_equal_edges_always_come_in_the_same_order(read, associations):
    link(associations, "d", "a", "c", "b")

    answer = read("a", "d")

    assert pairs(answer) == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")]
    assert [node.concept for node in answer.nodes] == ["a", "d", "b", "c"]


@pytest.mark.parametrize(
    "scope",
    [
        build_scope(userId="ben"),
        build_scope(projectId="p", userId="ana"),
        build_scope(OTHER_TENANT, userId="ana"),
        build_scope(),
    ],
)
def test_nothing_is_read_but_the_caller_s_home(read, associations, scope):
    link(associations, "tea", "secret", scope=scope)

    assert read("tea", depth=3).edges == ()


def test_a_key_s_default_scope_is_its_home(read, associations):
    scope = build_scope(projectId="p")
    link(associations, "tea", "rain", scope=scope)
    caller = build_caller("ana", writes=("p",), default_scope={"projectId": "p"})

    assert pairs(read("tea", caller=caller)) == [("rain", "tea")]


def test_a_home_that_the_caller_may_not_see_shows_nothing(read, associations):
    link(associations, "tea", "rain", scope=build_scope(projectId="p"))
    caller = build_caller("ana", default_scope={"projectId": "p"})

    assert read("tea", caller=caller).edges == ()
    assert associations.asked == []


def test_who_has_no_home_is_refused(read):
    with pytest.raises(PermissionDeniedError):
        read("tea", caller=build_caller("bot", kind=CallerKind.SERVICE))
