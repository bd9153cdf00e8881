"""What every index of facts promises: what stands there after writes in any order."""

import pytest
from palimpsest.domain.fact_text import text_hash
from palimpsest.domain.labels import Label, LabelKind
from palimpsest.domain.search_tokens import tokens_of
from palimpsest.ports.index import IndexedAs

from tests.builders import build_scope
from tests.fakes.clock import NOON
from tests.index_world import World, fact_id, numbered, unit


@pytest.fixture
def world(index_world: World) -> World:
    return index_world


class TestWrites:
    @pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (3, 3, 1), (1, 3, 2, 3)])
    def test_the_highest_version_stays_whatever_order_they_come_in(
        self, world: World, order: tuple[int, ...]
    ):
        texts = {1: "Ana plays go", 2: "Ana plays bridge", 3: "Ana plays chess"}

        for version in order:
            world.put(world.fact(1, texts[version], version=version, vector=unit(version, 1)))

        hits = world.by_words("go bridge chess")
        assert [(hit.fact_id, hit.version) for hit in hits] == [(fact_id(1), 3)]
        assert world.by_words("go bridge") == []
        assert world.by_meaning(unit(3, 1))[0].score == pytest.approx(1, abs=1e-5)
        assert len(world.by_meaning(unit(3, 1))) == 1

    def test_the_highest_version_stays_inside_one_batch_too(self, world: World):
        later = world.fact(1, version=2)

        world.put(later, world.fact(1, "Ana plays go", version=1))

        assert world.under_test.index.find_indexed(world.tenant_id, numbered(1)) == {
            fact_id(1): later.indexed_as
        }

    def test_a_fact_is_put_again_with_another_text_and_vector(self, world: World):
        world.put(world.fact(1, "Ana plays go", vector=unit(0, 1)))

        world.put(world.fact(1))

        assert world.by_words("go") == []
        assert world.by_both() == [numbered(1)] * 2
        assert world.by_meaning(unit(1))[0].score == pytest.approx(1, abs=1e-5)

    def test_what_is_retired_is_found_with_history_only(self, world: World):
        world.retire(world.fact(1, version=1))

        assert world.by_both() == [[], []]
        assert world.by_both(with_history=True) == [numbered(1)] * 2

    @pytest.mark.parametrize("is_put_first", [True, False])
    def test_retiring_does_not_touch_the_current_one(self, world: World, *, is_put_first: bool):
        current, replaced = world.fact(1, version=2), world.fact(1, version=1)

        if is_put_first:
            world.put(current)
        world.retire(replaced)
        if not is_put_first:
            world.put(current)

        assert [hit.version for hit in world.by_words("chess")] == [2]
        newest_first = [(fact_id(1), 2), (fact_id(1), 1)]
        by_meaning = world.by_meaning(unit(1), with_history=True)
        assert [(hit.fact_id, hit.version) for hit in by_meaning] == newest_first
        # Words weigh by how rare they are in each of the two indexes, so equal texts need not score alike.
        by_words = world.by_words("chess", with_history=True)
        assert {(hit.fact_id, hit.version) for hit in by_words} == set(newest_first)

    def test_a_revision_that_stands_in_both_indexes_is_one_hit(self, world: World):
        world.put(world.fact(1))
        world.retire(world.fact(1))
        world.retire(world.fact(1))

        assert world.by_both(with_history=True) == [numbered(1)] * 2

    def test_history_keeps_to_filters_expiry_skip_and_limit(self, world: World):
        world.retire(
            *(world.fact(n, version=1) for n in range(1, 6)),
            world.fact(6, expires_at=NOON),
            world.fact(7, scope=build_scope(world.tenant_id, projectId="other")),
        )
        wanted = world.everything(named=(("projectId", "p"),))

        legs = world.by_both(wanted, with_history=True, limit=3, skip=frozenset(numbered(5)))

        assert legs == [numbered(2, 3, 4)] * 2

    def test_remove_takes_every_revision_out_of_both_indexes(self, world: World):
        world.retire(world.fact(1, version=1), world.fact(1, version=2), world.fact(2, version=1))
        world.put(world.fact(1, version=3), world.fact(2, version=2))

        world.remove(1)

        assert world.by_both(with_history=True) == [numbered(2, 2)] * 2
        assert world.under_test.index.find_indexed(world.tenant_id, numbered(1)) == {}

    def test_removing_what_is_not_there_is_success(self, world: World):
        world.put(world.fact(1))

        world.remove(2)
        world.remove(1)
        world.remove(1, 2, 3)

        assert world.by_both(with_history=True) == [[], []]

    def test_many_facts_go_in_and_out_at_once(self, world: World):
        world.put(*(world.fact(n) for n in range(300)))

        world.remove(*range(1, 300))

        assert world.by_both() == [numbered(0)] * 2

    def test_nothing_put_retired_or_removed_is_no_trouble(self, world: World):
        world.put()
        world.retire()
        world.remove()

        assert world.under_test.index.find_indexed(world.tenant_id, []) == {}

    def test_of_the_current_ones_that_are_there_it_is_told_by_what_they_are_found(
        self, world: World
    ):
        topic = Label(LabelKind.CONCEPT, "sports car")
        first = world.fact(1, version=4)
        second = world.fact(2, "Bob sings", type="song", labels=frozenset({topic}))
        world.put(first, second)
        world.retire(world.fact(3))

        found = world.under_test.index.find_indexed(world.tenant_id, numbered(1, 2, 3, 4))

        assert found == {fact_id(1): first.indexed_as, fact_id(2): second.indexed_as}
        assert found[fact_id(2)] == IndexedAs(
            version=1,
            text_hash=text_hash("Bob sings"),
            tokens=tokens_of(second.scope, "song", {topic}),
        )
        assert (
            world.under_test.index.find_indexed(world.under_test.other_tenant_id, numbered(1)) == {}
        )


class TestArchive:
    def test_what_is_archived_leaves_the_current_ones_and_is_found_with_history(self, world: World):
        world.put(world.fact(1), world.fact(2))

        world.archive(world.fact(1))

        assert world.by_both() == [numbered(2)] * 2
        assert world.by_both(with_history=True) == [numbered(1, 2)] * 2
        assert world.under_test.index.find_indexed(world.tenant_id, numbered(1)) == {}

    def test_what_was_never_current_is_archived_all_the_same(self, world: World):
        world.archive(world.fact(1))

        assert world.by_both() == [[], []]
        assert world.by_both(with_history=True) == [numbered(1)] * 2

    def test_an_earlier_revision_that_is_still_current_leaves_too(self, world: World):
        world.put(world.fact(1, version=1))

        world.archive(world.fact(1, version=3))

        assert world.by_both() == [[], []]
        assert [hit.version for hit in world.by_words("chess", with_history=True)] == [3]

    def test_a_later_revision_stays_current(self, world: World):
        world.put(world.fact(1, version=2))

        world.archive(world.fact(1, version=1))

        assert [hit.version for hit in world.by_words("chess")] == [2]
        assert {hit.version for hit in world.by_words("chess", with_history=True)} == {1, 2}

    @pytest.mark.parametrize("put", ["put", "retire", "archive"])
    def test_a_revision_that_is_history_is_not_brought_back_by_a_late_put(
        self, world: World, put: str
    ):
        world.put(world.fact(1, version=2))
        world.archive(world.fact(1, version=2))

        getattr(world, put)(world.fact(1, version=2))
        world.put(world.fact(1, version=2), world.fact(2))

        assert world.by_both() == [numbered(2)] * 2
        assert world.by_both(with_history=True) == [numbered(1, 2)] * 2

    def test_a_retired_revision_is_not_brought_back_by_a_late_put(self, world: World):
        world.retire(world.fact(1, version=1))

        world.put(world.fact(1, version=1))
        assert world.by_both() == [[], []]

        world.put(world.fact(1, version=2))
        assert [hit.version for hit in world.by_words("chess")] == [2]

    def test_archiving_twice_is_archiving_once(self, world: World):
        world.put(world.fact(1))

        world.archive(world.fact(1), world.fact(1))
        world.archive(world.fact(1))

        assert world.by_both() == [[], []]
        assert [hit.version for hit in world.by_words("chess", with_history=True)] == [1]
        assert [hit.version for hit in world.by_meaning(unit(1), with_history=True)] == [1]

    def test_what_was_retired_before_stays_beside_it(self, world: World):
        world.retire(world.fact(1, version=1))
        world.put(world.fact(1, version=2))

        world.archive(world.fact(1, version=2))

        assert world.by_both(with_history=True) == [numbered(1, 1)] * 2

    def test_remove_takes_what_is_archived(self, world: World):
        world.put(world.fact(1))
        world.archive(world.fact(1), world.fact(2))

        world.remove(1)

        assert world.by_both(with_history=True) == [numbered(2)] * 2

    def test_a_fact_that_was_removed_can_be_put_again(self, world: World):
        world.archive(world.fact(1))
        world.remove(1)

        world.put(world.fact(1))

        assert world.by_both() == [numbered(1)] * 2

    def test_a_fact_of_the_same_id_in_another_tenant_stays(self, world: World):
        other = world.under_test.other_tenant_id
        world.put(world.fact(1), world.fact(1, scope=build_scope(other)))

        world.archive(world.fact(1))
        world.put(world.fact(1, scope=build_scope(other)))

        assert world.by_both(world.everything(tenant_id=other)) == [numbered(1)] * 2
        assert world.by_both() == [[], []]

    def test_many_facts_are_archived_at_once(self, world: World):
        facts = [world.fact(n) for n in range(300)]
        world.put(*facts)

        world.archive(*facts[1:])

        assert world.by_both() == [numbered(0)] * 2
        assert world.by_both(with_history=True, limit=300) == [numbered(*range(300))] * 2

    def test_nothing_archived_is_no_trouble(self, world: World):
        world.archive()

        assert world.under_test.index.find_archived(world.tenant_id, []) == {}

    def test_of_the_history_it_is_told_by_what_it_is_found(self, world: World):
        topic = Label(LabelKind.CONCEPT, "sports car")
        retired = world.fact(1, "Ana plays go", version=1, labels=frozenset({topic}))
        archived = world.fact(2, version=3)
        world.put(world.fact(1, version=2), archived)
        world.retire(retired)
        world.archive(archived)
        asked = [(fact_id(1), 1), (fact_id(1), 2), (fact_id(2), 3), (fact_id(2), 1), ("no", 1)]

        found = world.under_test.index.find_archived(world.tenant_id, asked)
        theirs = world.under_test.index.find_archived(world.under_test.other_tenant_id, asked)

        assert found == {
            (fact_id(1), 1): retired.indexed_as,
            (fact_id(2), 3): archived.indexed_as,
        }
        assert theirs == {}
