"""What every index of facts promises: what a filter lets through."""

from dataclasses import replace

import pytest
from palimpsest.domain.audiences import Audience, Root
from palimpsest.domain.labels import Label, LabelKind

from tests.builders import build_scope
from tests.index_world import World, fact_id, ids, numbered, unit

ALL_IDS = (
    "john-doe",
    "john_doe",
    "johnXdoe",
    "john%",
    "john*",
    "john",
    "JOHN",
    "acme",
    "acme-corp",
    "a b",
    'a"b',
    "a'b",
    "a\\b",
    "a\0b",
    "a:b/c#d",
    "(a) OR b",
    "AND",
    "*",
    "😀",
    "ana\u202e",
    "é",
    "e\u0301",
    "x" * 256,
)


@pytest.fixture
def world(index_world: World) -> World:
    return index_world


class TestFilters:
    def test_a_filter_without_audiences_finds_nothing(self, world: World):
        world.put(world.fact(1))

        assert world.by_both(world.everything(audiences=())) == [[], []]

    def test_only_what_lies_in_one_of_the_audiences_is_found(self, world: World):
        world.put(
            world.scoped(1, projectId="p"),
            world.scoped(2, projectId="p", userId="ana"),
            world.scoped(3, projectId="p", threadId="t"),
            world.scoped(4, orgId="p"),
            world.scoped(5, userId="ana"),
            world.scoped(6),
        )
        public = Audience(root=Root.PROJECT, root_id="p")
        own = replace(public, user_id="ana")

        assert world.by_both(world.everything(audiences=(public,))) == [numbered(1)] * 2
        assert world.by_both(world.everything(audiences=(public, own))) == [numbered(1, 2)] * 2

    def test_hundreds_of_audiences_are_searched_at_once(self, world: World):
        world.put(*(world.scoped(n, projectId=f"p{n}") for n in range(1, 4)))
        many = tuple(Audience(root=Root.PROJECT, root_id=f"p{n}") for n in range(2, 600))

        assert world.by_both(world.everything(audiences=many)) == [numbered(2, 3)] * 2

    def test_tenants_stand_apart(self, world: World):
        theirs = world.fact(2, scope=build_scope(world.under_test.other_tenant_id, projectId="p"))
        world.put(world.fact(1), theirs)

        assert world.by_both() == [numbered(1)] * 2
        assert (
            world.by_both(world.everything(tenant_id=world.under_test.other_tenant_id))
            == [numbered(2)] * 2
        )

    def test_two_tenants_may_have_a_fact_of_the_same_id(self, world: World):
        other = world.under_test.other_tenant_id
        world.put(world.fact(1), world.fact(1, scope=build_scope(other), version=9))

        world.remove(1)

        assert world.by_both() == [[], []]
        assert world.by_both(world.everything(tenant_id=other)) == [numbered(1)] * 2
        assert world.under_test.index.find_indexed(other, numbered(1))[fact_id(1)].version == 9

    def test_a_type_is_met_exactly(self, world: World):
        world.put(
            *(world.fact(n, type=t) for n, t in enumerate(("note", "note.x", "note_x", "notes")))
        )

        assert world.by_both(world.everything(type="note")) == [numbered(0)] * 2

    @pytest.mark.parametrize("key", ["userId", "projectId", "threadId", "sessionId"])
    def test_an_id_is_met_exactly_whatever_it_holds(self, world: World, key: str):
        world.put(*(world.scoped(n, **{key: name}) for n, name in enumerate(ALL_IDS)))

        found = {name: world.by_both(world.everything(named=((key, name),))) for name in ALL_IDS}

        assert found == {name: [numbered(n)] * 2 for n, name in enumerate(ALL_IDS)}

    def test_all_named_keys_must_be_met(self, world: World):
        world.put(
            world.scoped(1, projectId="p", threadId="t"),
            world.scoped(2, projectId="p", threadId="u"),
            world.scoped(3, projectId="q", threadId="t"),
        )
        wanted = world.everything(named=(("projectId", "p"), ("threadId", "t")))

        assert world.by_both(wanted) == [numbered(1)] * 2

    def test_two_values_for_one_key_are_met_by_none(self, world: World):
        world.put(world.scoped(1, projectId="p"), world.scoped(2, projectId="q"))
        wanted = world.everything(named=(("projectId", "p"), ("projectId", "q")))

        assert world.by_both(wanted) == [[], []]

    def test_an_org_is_its_own_facts_and_those_of_its_projects(self, world: World):
        world.put(
            world.scoped(1, orgId="o"),
            world.scoped(2, projectId="p"),
            world.scoped(3, projectId="q"),
            world.scoped(4, orgId="p"),
        )
        wanted = world.everything(org_id="o", org_projects=frozenset({"p"}))

        assert world.by_both(wanted) == [numbered(1, 2)] * 2

    def test_a_key_that_is_not_known_here_is_matched_by_its_json(self, world: World):
        world.put(
            world.scoped(1, region="eu"),
            world.scoped(2, region="us"),
            world.scoped(3, zone="eu"),
        )

        assert world.by_both(world.everything(named=(("region", '"eu"'),))) == [numbered(1)] * 2


def concepts(*values: str) -> frozenset[Label]:
    return frozenset(Label(LabelKind.CONCEPT, value) for value in values)


class TestLabels:
    def test_one_label_of_a_group_is_enough(self, world: World):
        world.put(
            world.fact(1, labels=concepts("chess", "opening")),
            world.fact(2, labels=concepts("go")),
            world.fact(3, labels=concepts("bridge")),
            world.fact(4),
        )

        wanted = world.everything(labels=(concepts("opening", "go", "nothing's"),))

        assert world.by_both(wanted) == [numbered(1, 2)] * 2

    def test_every_group_must_be_met(self, world: World):
        work = frozenset({Label(LabelKind.DOMAIN, "work")})
        world.put(
            world.fact(1, labels=work | concepts("chess")),
            world.fact(2, labels=work),
            world.fact(3, labels=concepts("chess")),
        )

        wanted = world.everything(labels=(work, concepts("chess", "go")))

        assert world.by_both(wanted) == [numbered(1)] * 2

    def test_a_group_without_labels_is_met_by_nothing(self, world: World):
        world.put(world.fact(1, labels=concepts("chess")), world.fact(2))

        assert world.by_both(world.everything(labels=(frozenset(),))) == [[], []]
        assert world.by_both(world.everything(labels=(concepts("chess"), frozenset()))) == [[], []]

    def test_a_label_is_met_exactly_whatever_it_holds(self, world: World):
        world.put(*(world.fact(n, labels=concepts(v)) for n, v in enumerate(ALL_IDS)))

        found = {v: world.by_both(world.everything(labels=(concepts(v),))) for v in ALL_IDS}

        assert found == {v: [numbered(n)] * 2 for n, v in enumerate(ALL_IDS)}

    def test_kinds_of_labels_are_not_mixed_up(self, world: World):
        world.put(*(world.fact(n, labels={Label(k, "x")}) for n, k in enumerate(LabelKind)))

        found = [
            world.by_both(world.everything(labels=(frozenset({Label(kind, "x")}),)))
            for kind in LabelKind
        ]

        assert found == [[numbered(n)] * 2 for n in range(len(LabelKind))]

    def test_a_label_of_another_tenant_is_not_found(self, world: World):
        theirs = build_scope(world.under_test.other_tenant_id, projectId="p")
        world.put(world.fact(1, scope=theirs, labels=concepts("chess")))

        assert world.by_both(world.everything(labels=(concepts("chess"),))) == [[], []]

    def test_a_document_may_have_hundreds_of_labels(self, world: World):
        world.put(
            world.fact(1, labels=concepts(*(f"concept {n}" for n in range(256)))), world.fact(2)
        )

        wanted = world.everything(labels=(concepts("concept 0"), concepts("concept 255", "other")))

        assert world.by_both(wanted) == [numbered(1)] * 2

    def test_labels_that_changed_are_found_by_what_they_are_now(self, world: World):
        world.put(world.fact(1, labels=concepts("chess")))

        world.put(world.fact(1, labels=concepts("go")))

        assert world.by_both(world.everything(labels=(concepts("chess"),))) == [[], []]
        assert world.by_both(world.everything(labels=(concepts("go"),))) == [numbered(1)] * 2

    def test_history_is_narrowed_by_labels_too(self, world: World):
        world.retire(world.fact(1, labels=concepts("chess")), world.fact(2, labels=concepts("go")))

        wanted = world.everything(labels=(concepts("go"),))

        assert world.by_both(wanted, with_history=True) == [numbered(2)] * 2

    def test_labels_make_no_fact_a_better_or_worse_hit(self, world: World):
        many = concepts(*(f"concept {n}" for n in range(200)))
        world.put(
            world.fact(1, "Ana plays chess in the park.", labels=many),
            world.fact(2, "Ana plays chess in the park."),
            world.fact(3, "Ana plays chess in the park.", labels=concepts("chess")),
            *(world.fact(n, "Bob sings.", vector=unit(0, 1)) for n in range(4, 24)),
        )

        by_words, by_meaning = world.by_words("chess park"), world.by_meaning(unit(1), limit=3)

        assert ids(by_words) == ids(by_meaning) == numbered(3, 2, 1)
        assert len({hit.score for hit in by_words}) == 1
