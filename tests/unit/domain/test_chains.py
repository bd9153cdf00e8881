from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.chains import MAX_LOOK_UPS, Link, walk_chain


@dataclass
class Memory:
    """Links that can be looked up, and how often that was done."""

    links: dict[str, Link]
    asked: list[list[str]] = field(default_factory=list)

    def look_up(self, ids: Sequence[str]) -> Mapping[str, Link]:
        self.asked.append(list(ids))
        return {i: self.links[i] for i in ids if i in self.links}

    @property
    def look_ups(self) -> int:
        return sum(map(len, self.asked))


def memory(*links: Link) -> Memory:
    return Memory({link.id: link for link in links})


def line(length: int) -> list[Link]:
    """Atoms that each replaced the one before: ``00``, ``01``, …"""
    names = [f"{number:03}" for number in range(length)]
    return [
        Link(
            id=name,
            replaces=(names[place - 1],) if place else (),
            superseded_by=names[place + 1] if place + 1 < length else None,
        )
        for place, name in enumerate(names)
    ]


def walked(links: Memory, start: str):
    return walk_chain(links.links[start], links.look_up)


def test_an_atom_that_neither_replaced_nor_was_replaced_is_its_whole_chain_without_a_look_up():
    alone = memory(Link(id="a"))

    chain = walked(alone, "a")

    assert (chain.ids, chain.dangling, chain.is_truncated) == (("a",), (), False)
    assert alone.asked == []


def test_a_chain_is_the_same_from_each_of_its_atoms_with_the_oldest_first():
    links = line(4)

    chains = [walked(memory(*links), link.id).ids for link in links]

    assert chains == [("000", "001", "002", "003")] * 4


def test_atoms_at_one_distance_are_looked_up_together():
    links = memory(*line(5))

    walked(links, "002")

    assert links.asked == [["003", "001"], ["004", "000"]]


def test_a_merge_holds_all_that_it_replaced_from_each_of_its_ends():
    links = [
        Link(id="a", superseded_by="c"),
        Link(id="b", superseded_by="c"),
        Link(id="c", replaces=("a", "b")),
    ]

    assert [walked(memory(*links), start).ids for start in "abc"] == [("a", "b", "c")] * 3


def test_a_fork_holds_both_that_say_they_replaced_one():
    """Only one of them stands in its closing; the other is met from itself."""
    links = [
        Link(id="a", superseded_by="b"),
        Link(id="b", replaces=("a",)),
        Link(id="c", replaces=("a",)),
    ]

    assert walked(memory(*links), "c").ids == ("a", "b", "c")
    assert walked(memory(*links), "a").ids == ("a", "b")


def test_a_predecessor_stands_before_its_successor_whatever_their_ids_say():
    links = memory(Link(id="z", superseded_by="a"), Link(id="a", replaces=("z",)))

    assert walked(links, "a").ids == ("z", "a")


def test_a_chain_whose_successor_is_gone_has_no_atom_that_stands():
    links = memory(Link(id="a", superseded_by="gone"))

    chain = walked(links, "a")

    assert (chain.ids, chain.dangling, chain.is_truncated) == (("a",), ("gone",), False)
    assert all(links.links[i].superseded_by is not None for i in chain.ids)


def test_what_an_atom_replaced_and_is_gone_dangles_and_is_asked_for_once():
    links = memory(
        Link(id="b", replaces=("gone", "a")),
        Link(id="a", replaces=("gone",), superseded_by="b"),
    )

    chain = walked(links, "b")

    assert (chain.ids, chain.dangling) == (("a", "b"), ("gone",))
    assert links.look_ups == 2


def test_a_chain_as_long_as_the_budget_is_whole_and_one_longer_is_truncated():
    whole, longer = memory(*line(MAX_LOOK_UPS)), memory(*line(MAX_LOOK_UPS + 1))

    chain, cut = walked(whole, "000"), walked(longer, "000")

    assert (len(chain.ids), chain.is_truncated) == (MAX_LOOK_UPS, False)
    assert (len(cut.ids), cut.is_truncated) == (MAX_LOOK_UPS, True)
    # The first one was looked up by whoever starts the walk.
    assert longer.look_ups == MAX_LOOK_UPS - 1


def test_misses_count_against_the_budget():
    ghosts = tuple(f"ghost-{number}" for number in range(MAX_LOOK_UPS))
    links = memory(Link(id="a", replaces=ghosts))

    chain = walked(links, "a")

    assert (chain.ids, chain.dangling, chain.is_truncated) == (("a",), ghosts[:-1], True)


def test_the_nearest_are_there_when_the_budget_runs_out():
    links = memory(*line(200))

    chain = walked(links, "100")

    assert chain.ids == tuple(f"{number:03}" for number in range(69, 133))
    assert chain.nearest[:5] == ("100", "101", "099", "102", "098")


def test_a_circle_that_no_write_makes_ends_all_the_same():
    links = memory(
        Link(id="a", replaces=("b",), superseded_by="b"),
        Link(id="b", replaces=("a",), superseded_by="a"),
    )

    assert walked(links, "a").ids == ("a", "b")


@st.composite
def histories(draw):
    """Atoms of which each replaced any earlier ones, some of which are gone."""
    size = draw(st.integers(1, 90))
    names = draw(st.permutations([f"{number:03}" for number in range(size)]))
    superseded_by: dict[str, str] = {}
    replaces: dict[str, tuple[str, ...]] = {}
    for place, name in enumerate(names):
        free = [earlier for earlier in names[:place] if earlier not in superseded_by]
        chosen = draw(st.lists(st.sampled_from(free), unique=True, max_size=3)) if free else []
        replaces[name] = tuple(chosen)
        superseded_by |= dict.fromkeys(chosen, name)
    gone = draw(st.sets(st.sampled_from(names[1:]))) if size > 1 else set()
    links = [
        Link(id=name, replaces=replaces[name], superseded_by=superseded_by.get(name))
        for name in names
        if name not in gone
    ]
    return memory(*links), names[0]


@given(histories())
def test_whatever_the_history_the_order_and_the_budget_hold(history):
    links, start = history

    chain = walked(links, start)

    place = {identifier: number for number, identifier in enumerate(chain.ids)}
    for identifier in chain.ids:
        for predecessor in links.links[identifier].replaces:
            assert predecessor not in place or place[predecessor] < place[identifier]
    assert links.look_ups < MAX_LOOK_UPS
    assert len(set(chain.ids)) == len(chain.ids)
    assert not set(chain.dangling) & links.links.keys()
    assert len(chain.ids) + len(chain.dangling) == 1 + links.look_ups
