from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from palimpsest.domain.erasures import OpenErasure
from palimpsest.domain.errors import TooLargeError, WriteConflictError
from palimpsest.domain.facts import Fact
from palimpsest.domain.filters import FactFilter, matches
from palimpsest.domain.json_text import JsonValue
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import delete
from palimpsest.domain.sight import may_see
from palimpsest.ports.facts import FactQuery

from tests.builders import (
    OTHER_TENANT,
    TENANT,
    build_act,
    build_admin,
    build_caller,
    build_fact,
    build_scope,
    build_step,
)
from tests.contract.stores import SERIES, Store
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.ids import FakeIds

MILLISECOND = timedelta(milliseconds=1)
SECOND = timedelta(seconds=1)
PEOPLE = (Person(PersonKind.EXTERNAL, "ben"), Person(PersonKind.USER, "ana"))
HOSTILE = ["", "#", "a#HEAD", "../..", "\x00", "😀" * 128, "%23", "x" * 5000, "R#0000000001"]


def added(store: Store, ids: FakeIds, **fields) -> Fact:
    fact = build_fact(ids=ids, **fields)
    store.facts.add(fact)
    return fact


def superseded(store: Store, fact: Fact, ids: FakeIds, **fields) -> Fact:
    step = build_step(fact, ids=ids, **fields)
    store.facts.replace(fact, step.closed, step.fact)
    return step.fact


def deleted(store: Store, fact: Fact, ids: FakeIds) -> Fact:
    gone = delete(fact, build_act(ids=ids, now=fact.revision.created_at + SECOND))
    store.facts.close(fact, gone)
    return gone


def seen(walk, caller, wanted: FactFilter = FactFilter()) -> list[Fact]:  # noqa: B008 - frozen
    return [
        fact
        for fact in walk
        if may_see(caller, fact.revision.scope) and matches(wanted, fact.revision, caller)
    ]


def paged(store: Store, query: FactQuery, limit: int) -> list[str]:
    """Read a whole list page by page, as the use case does."""
    found: list[str] = []
    position: str | None = query.before
    while True:
        walk = store.facts.walk(replace(query, before=position, page_size=limit))
        page: list[str] = []
        for fact in walk:
            if may_see(query.caller, fact.revision.scope):
                page.append(fact.id)
            if len(page) == limit:
                position = fact.id if walk.has_unread else None
                break
        else:
            position = walk.resume_before
        found += page
        if position is None:
            return found


class TestLoad:
    @pytest.mark.parametrize("fact_id", HOSTILE)
    def test_any_text_that_is_no_fact_finds_nothing(self, store, fact_id):
        loaded = store.facts.load(TENANT, fact_id, version=1)

        assert (loaded.fact, loaded.revision, loaded.open_erasures) == (None, None, ())

    @pytest.mark.parametrize("version", [0, -1, 3, 10**10, 10**400])
    def test_a_version_that_never_was_is_not_found(self, store, ids, version):
        fact = superseded(store, added(store, ids), ids)

        loaded = store.facts.load(TENANT, fact.id, version=version)

        assert (loaded.fact, loaded.revision) == (fact, None)

    def test_every_version_is_found_as_it_was(self, store, ids):
        first = added(store, ids)
        second = build_step(first, ids=ids)
        store.facts.replace(first, second.closed, second.fact)

        loaded = [store.facts.load(TENANT, first.id, version=v).revision for v in (1, 2)]

        assert loaded == [second.closed, second.fact.revision]

    def test_a_fact_of_another_tenant_is_not_found(self, store, ids):
        fact = added(store, ids)

        assert store.facts.load(OTHER_TENANT, fact.id).fact is None

    def test_hostile_values_come_back_as_they_were(self, store, ids):
        scope = build_scope(projectId="a#b/\x00😀", threadId="%", userId="../" * 80)
        content: JsonValue = {"": "\x00😀", "#": [10**40, 0.1, None, {}]}
        fact = added(store, ids, scope=scope, content=content, type="#", subjects=PEOPLE)

        assert store.facts.load(TENANT, fact.id).fact == fact

    def test_open_erasures_come_along(self, store, ids):
        fact = added(store, ids)
        erasures = (
            OpenErasure(erasure_id="e-1", fact_id=fact.id),
            OpenErasure(erasure_id="e-2", pseudonyms=frozenset({"k1.a", "none.b"})),
        )
        store.put_open_erasures(TENANT, erasures)

        found = [
            store.facts.load(TENANT, fact.id).open_erasures,
            store.facts.load(TENANT, "nothing").open_erasures,
            store.facts.get_open_erasures(TENANT),
            store.facts.walk(FactQuery(caller=build_admin())).open_erasures,
        ]

        assert found == [erasures] * 4
        assert store.facts.get_open_erasures(OTHER_TENANT) == ()


class TestLoadMany:
    def test_every_fact_is_found_by_its_id_as_it_stands(self, store, ids):
        kept, changed, gone = (added(store, ids) for _ in range(3))
        changed = superseded(store, changed, ids)
        gone = deleted(store, gone, ids)

        facts, open_erasures = store.facts.load_many(TENANT, [gone.id, kept.id, changed.id])

        assert facts == {fact.id: fact for fact in (kept, changed, gone)}
        assert open_erasures == ()

    def test_what_is_not_there_is_left_out_and_repeats_count_once(self, store, ids):
        fact = added(store, ids)

        facts, _ = store.facts.load_many(TENANT, [fact.id, *HOSTILE, fact.id])

        assert facts == {fact.id: fact}

    def test_another_tenants_fact_is_not_found(self, store, ids):
        fact = added(store, ids)

        assert store.facts.load_many(OTHER_TENANT, [fact.id]) == ({}, ())

    def test_more_facts_than_one_call_takes_are_all_found(self, store, ids):
        facts = [added(store, ids) for _ in range(205)]

        found, _ = store.facts.load_many(TENANT, [fact.id for fact in facts])

        assert found == {fact.id: fact for fact in facts}

    @pytest.mark.parametrize("count", [0, 1, 100])
    def test_open_erasures_come_with_them(self, store, ids, count):
        fact_ids = [added(store, ids).id for _ in range(count)]
        erasures = (OpenErasure(erasure_id="e", pseudonyms=frozenset({"none.x"})),)
        store.put_open_erasures(TENANT, erasures)

        facts, open_erasures = store.facts.load_many(TENANT, fact_ids)

        assert facts.keys() == set(fact_ids)
        assert open_erasures == erasures


class TestLoadRevisions:
    def test_every_earlier_revision_that_is_asked_for_is_found_as_it_was(self, store, ids):
        first, other = added(store, ids), added(store, ids)
        second = build_step(first, ids=ids)
        store.facts.replace(first, second.closed, second.fact)
        third = build_step(second.fact, ids=ids)
        store.facts.replace(second.fact, third.closed, third.fact)
        changed = build_step(other, ids=ids)
        store.facts.replace(other, changed.closed, changed.fact)

        found = store.facts.load_revisions(TENANT, [(first.id, 2), (other.id, 1)])

        assert found == {(first.id, 2): third.closed, (other.id, 1): changed.closed}

    def test_the_revision_that_stands_is_not_an_earlier_one(self, store, ids):
        fact = superseded(store, added(store, ids), ids)

        assert store.facts.load_revisions(TENANT, [(fact.id, 2)]) == {}

    @pytest.mark.parametrize("version", [0, -1, 3, 10**10, 10**400])
    def test_what_never_was_is_left_out_and_repeats_count_once(self, store, ids, version):
        fact = superseded(store, added(store, ids), ids)
        unknown = [(fact.id, version), *((text, 1) for text in HOSTILE)]

        found = store.facts.load_revisions(TENANT, [(fact.id, 1), *unknown, (fact.id, 1)])

        assert found.keys() == {(fact.id, 1)}

    def test_another_tenants_revision_is_not_found(self, store, ids):
        fact = superseded(store, added(store, ids), ids)

        assert store.facts.load_revisions(OTHER_TENANT, [(fact.id, 1)]) == {}

    # Not over moto, which copies its tables for each of a hundred transactions.
    @pytest.mark.parametrize("stores", ["fake", "dynoxide"], indirect=True)
    def test_more_revisions_than_one_call_takes_are_all_found(self, store, ids):
        facts = [superseded(store, added(store, ids), ids) for _ in range(105)]
        wanted = [(fact.id, 1) for fact in facts]

        assert store.facts.load_revisions(TENANT, wanted).keys() == set(wanted)

    def test_nothing_is_nothing(self, store):
        assert store.facts.load_revisions(TENANT, []) == {}


@pytest.mark.parametrize("subjects", [(), PEOPLE], ids=["nobody named", "people named"])
class TestAdd:
    def test_a_fact_is_found_at_once(self, store, ids, subjects):
        fact = added(store, ids, subjects=subjects)

        assert store.facts.load(TENANT, fact.id).fact == fact

    def test_adding_it_again_changes_nothing(self, store, ids, subjects):
        fact = added(store, ids, subjects=subjects)

        store.facts.add(fact)

        assert store.facts.load(TENANT, fact.id).fact == fact

    def test_adding_it_again_after_it_was_superseded_changes_nothing(self, store, ids, subjects):
        fact = added(store, ids, subjects=subjects)
        second = superseded(store, fact, ids)

        store.facts.add(fact)

        assert store.facts.load(TENANT, fact.id).fact == second

    def test_another_fact_of_this_id_is_a_conflict(self, store, ids, subjects):
        fact = added(store, ids, subjects=subjects)
        other = replace(fact, revision=replace(fact.revision, operation_id="another"))

        with pytest.raises(WriteConflictError):
            store.facts.add(other)

        assert store.facts.load(TENANT, fact.id).fact == fact

    def test_one_over_the_budget_is_refused(self, store, ids, subjects):
        fact = build_fact(ids=ids, content="x" * 300_000, subjects=subjects)

        with pytest.raises(TooLargeError) as refused:
            store.facts.add(fact)

        assert refused.value.max_bytes == 256 * 1024
        assert store.facts.load(TENANT, fact.id).fact is None


class TestReplace:
    def test_a_fact_moves_on_and_its_history_stays(self, store, ids):
        first = added(store, ids, content=1)
        second = superseded(store, first, ids, content=2, subjects=PEOPLE)
        third = superseded(store, second, ids, content=3)

        earlier = list(store.facts.walk_revisions(TENANT, first.id))

        assert store.facts.load(TENANT, first.id).fact == third
        assert [(r.version, r.content) for r in earlier] == [(2, "2"), (1, "1")]
        assert all(revision.closing is not None for revision in earlier)

    def test_a_stale_write_is_a_conflict(self, store, ids):
        first = added(store, ids)
        second = superseded(store, first, ids)
        late = build_step(first, ids=ids)

        with pytest.raises(WriteConflictError):
            store.facts.replace(first, late.closed, late.fact)

        assert store.facts.load(TENANT, first.id).fact == second

    def test_doing_it_again_changes_nothing(self, store, ids):
        first = added(store, ids)
        step = build_step(first, ids=ids)
        store.facts.replace(first, step.closed, step.fact)

        store.facts.replace(first, step.closed, step.fact)

        assert store.facts.load(TENANT, first.id).fact == step.fact

    def test_doing_it_again_after_another_came_on_top_changes_nothing(self, store, ids):
        first = added(store, ids)
        step = build_step(first, ids=ids)
        store.facts.replace(first, step.closed, step.fact)
        third = superseded(store, step.fact, ids)

        store.facts.replace(first, step.closed, step.fact)

        assert store.facts.load(TENANT, first.id).fact == third

    def test_a_fact_that_was_deleted_cannot_move_on(self, store, ids):
        first = added(store, ids)
        gone = deleted(store, first, ids)
        step = build_step(first, ids=ids)

        with pytest.raises(WriteConflictError):
            store.facts.replace(first, step.closed, step.fact)

        assert store.facts.load(TENANT, first.id).fact == gone

    def test_a_fact_that_is_not_there_cannot_move_on(self, store, ids):
        fact = build_fact(ids=ids)
        step = build_step(fact, ids=ids)

        with pytest.raises(WriteConflictError):
            store.facts.replace(fact, step.closed, step.fact)

        assert store.facts.load(TENANT, fact.id).fact is None

    def test_one_over_the_budget_is_refused(self, store, ids):
        first = added(store, ids)
        step = build_step(first, ids=ids, content="x" * 300_000)

        with pytest.raises(TooLargeError):
            store.facts.replace(first, step.closed, step.fact)

        assert store.facts.load(TENANT, first.id).fact == first


class TestClose:
    def test_a_deleted_fact_is_found_closed(self, store, ids):
        gone = deleted(store, superseded(store, added(store, ids), ids), ids)

        loaded = store.facts.load(TENANT, gone.id, version=2)

        assert loaded.fact == gone
        assert loaded.revision == gone.revision

    def test_doing_it_again_changes_nothing(self, store, ids):
        first = added(store, ids)
        gone = deleted(store, first, ids)

        store.facts.close(first, gone)

        assert store.facts.load(TENANT, first.id).fact == gone

    def test_another_delete_is_a_conflict(self, store, ids):
        first = added(store, ids)
        gone = deleted(store, first, ids)
        other = delete(first, build_act(ids=ids))

        with pytest.raises(WriteConflictError):
            store.facts.close(first, other)

        assert store.facts.load(TENANT, first.id).fact == gone

    def test_a_stale_delete_is_a_conflict(self, store, ids):
        first = added(store, ids)
        second = superseded(store, first, ids)

        with pytest.raises(WriteConflictError):
            store.facts.close(first, delete(first, build_act(ids=ids)))

        assert store.facts.load(TENANT, first.id).fact == second

    def test_a_fact_that_is_not_there_cannot_be_deleted(self, store, ids):
        fact = build_fact(ids=ids)

        with pytest.raises(WriteConflictError):
            store.facts.close(fact, delete(fact, build_act(ids=ids)))

    def test_a_fact_as_large_as_the_budget_can_be_deleted(self, store, ids):
        fact = added(store, ids, content="x" * 255_000)

        gone = deleted(store, fact, ids)

        assert store.facts.load(TENANT, fact.id).fact == gone


class TestHistory:
    def test_the_revision_at_an_instant_is_the_newest_that_was_made_by_then(self, store, ids):
        first = added(store, ids)
        second = superseded(store, first, ids, now=NOON + SECOND)
        deleted(store, second, ids)

        def version_at(instant):
            revision = store.facts.find_revision_at(TENANT, first.id, instant)
            return revision and revision.version

        assert version_at(NOON - MILLISECOND) is None
        assert version_at(NOON) == 1
        assert version_at(NOON + SECOND - MILLISECOND) == 1
        assert version_at(NOON + SECOND) == 2
        assert version_at(NOON + 9 * SECOND) == 2
        assert version_at(datetime(1, 1, 1, tzinfo=UTC)) is None

    def test_many_are_looked_up_at_once(self, store, ids):
        facts = [added(store, ids, content=number) for number in range(3)]
        superseded(store, facts[1], ids, now=NOON + SECOND)
        asked_for = [*(fact.id for fact in facts), "nothing"]

        found = store.facts.find_revisions_at(TENANT, asked_for, NOON)

        assert {i: r.content for i, r in found.items()} == {
            fact.id: fact.revision.content for fact in facts
        }
        assert store.facts.find_revisions_at(TENANT, [], NOON) == {}

    def test_earlier_revisions_come_newest_first_beyond_nine(self, store, ids):
        fact = added(store, ids)
        for _ in range(11):
            fact = superseded(store, fact, ids)

        versions = [r.version for r in store.facts.walk_revisions(TENANT, fact.id)]

        assert versions == list(range(11, 0, -1))

    @pytest.mark.parametrize("fact_id", HOSTILE)
    def test_nothing_has_no_history(self, store, fact_id):
        assert list(store.facts.walk_revisions(TENANT, fact_id)) == []
        assert store.facts.find_revision_at(TENANT, fact_id, NOON) is None


class TestWalk:
    caller = build_caller("ana", reads=("r",), writes=("w",))

    def test_facts_of_all_audiences_come_newest_first(self, store, ids):
        scopes = [
            build_scope(),
            build_scope(userId="ana"),
            build_scope(projectId="r"),
            build_scope(projectId="w", threadId="t"),
            build_scope(projectId="w", userId="ana", participantId="x"),
        ]
        facts = [added(store, ids, scope=scope) for scope in scopes * 3]
        added(store, ids, scope=build_scope(projectId="strange"))
        added(store, ids, scope=build_scope(projectId="r", threadId="t"))

        found = seen(store.facts.walk(FactQuery(caller=self.caller)), self.caller)

        assert found == facts[::-1]

    def test_a_superseded_fact_keeps_its_place_and_comes_as_it_stands(self, store, ids):
        facts = [added(store, ids) for _ in range(3)]
        second = superseded(store, facts[0], ids)

        found = seen(store.facts.walk(FactQuery(caller=self.caller)), self.caller)

        assert found == [facts[2], facts[1], second]

    def test_a_deleted_fact_comes_only_when_an_earlier_time_is_asked_for(self, store, ids):
        kept, gone = added(store, ids), deleted(store, added(store, ids), ids)

        present = seen(store.facts.walk(FactQuery(caller=self.caller)), self.caller)
        then = seen(store.facts.walk(FactQuery(caller=self.caller, as_of=NOON)), self.caller)

        assert present == [kept]
        assert then == [gone, kept]

    def test_a_closed_fact_comes_in_its_place_when_closed_ones_are_wanted(self, store, ids):
        first, gone = added(store, ids), deleted(store, added(store, ids), ids)
        last = added(store, ids)

        found = seen(store.facts.walk(FactQuery(caller=self.caller, with_closed=True)), self.caller)

        assert found == [last, gone, first]

    @pytest.mark.parametrize("caller", [caller, build_admin()], ids=["member", "admin"])
    def test_what_was_first_written_later_was_not_there_then(self, store, caller):
        clock = FakeClock()
        ids = FakeIds(clock, series=next(SERIES))
        early = added(store, ids)
        clock.advance(MILLISECOND)
        added(store, ids)

        found = list(store.facts.walk(FactQuery(caller=caller, as_of=NOON)))
        before_time = FactQuery(caller=caller, as_of=datetime(1, 1, 1, tzinfo=UTC))
        at_its_end = FactQuery(caller=caller, as_of=datetime.max.replace(tzinfo=UTC))

        assert found == [early]
        assert list(store.facts.walk(before_time)) == []
        assert len(list(store.facts.walk(at_its_end))) == 2

    def test_a_walk_goes_on_below_an_id(self, store, ids):
        facts = [added(store, ids) for _ in range(4)]

        query = FactQuery(caller=self.caller, before=facts[2].id)

        assert seen(store.facts.walk(query), self.caller) == [facts[1], facts[0]]

    def test_another_tenants_facts_never_come(self, store, ids):
        added(store, ids, scope=build_scope(OTHER_TENANT))

        assert list(store.facts.walk(FactQuery(caller=build_admin()))) == []

    def test_the_end_is_told(self, store, ids):
        added(store, ids)
        walk = store.facts.walk(FactQuery(caller=self.caller))

        assert walk.has_unread
        assert len(list(walk)) == 1
        assert not walk.has_unread
        assert walk.resume_before is None

    @pytest.mark.parametrize("limit", [1, 3, 100])
    @pytest.mark.parametrize("caller", [caller, build_admin()], ids=["member", "admin"])
    def test_paging_meets_every_fact_once(self, store, ids, caller, limit):
        scopes = [build_scope(), build_scope(projectId="w"), build_scope(projectId="r")]
        facts = [added(store, ids, scope=scopes[number % 3]) for number in range(20)]

        found = paged(store, FactQuery(caller=caller), limit)

        assert found == [fact.id for fact in reversed(facts)]

    @pytest.mark.parametrize(
        ("caller", "wanted", "expected"),
        [
            (caller, FactFilter(project_id="w"), [4, 3, 2]),
            (caller, FactFilter(scope={"threadId": "t"}), [4, 3]),
            (caller, FactFilter(scope={"participantId": "x"}), [4]),
            (caller, FactFilter(scope={"userId": "ana"}), [1]),
            (caller, FactFilter(scope={"userId": "ben"}), []),
            (caller, FactFilter(type="rule"), [0]),
            (caller, FactFilter(project_id="w", scope={"projectId": "r"}), []),
            (build_admin(), FactFilter(project_id="w"), [4, 3, 2]),
            (build_admin(), FactFilter(scope={"threadId": "t"}), [5, 4, 3]),
            (build_admin(), FactFilter(scope={"userId": "ben"}), [6]),
            (build_admin(), FactFilter(scope={"teamId": "red"}), [7]),
            (build_admin(), FactFilter(scope={"orgId": "o"}), [5]),
            (build_admin(), FactFilter(org_id="o"), [5]),
            (build_admin(project_limit="w"), FactFilter(), [4, 3, 2]),
        ],
    )
    def test_all_that_a_filter_wants_comes(self, store, ids, caller, wanted, expected):
        facts = [
            added(store, ids, type="rule"),
            added(store, ids, scope=build_scope(userId="ana")),
            added(store, ids, scope=build_scope(projectId="w")),
            added(store, ids, scope=build_scope(projectId="w", threadId="t")),
            added(store, ids, scope=build_scope(projectId="w", threadId="t", participantId="x")),
            added(store, ids, scope=build_scope(threadId="t", orgId="o")),
            added(store, ids, scope=build_scope(userId="ben")),
            added(store, ids, scope=build_scope(teamId="red")),
        ]

        walk = store.facts.walk(FactQuery(caller=caller, wanted=wanted))

        assert seen(walk, caller, wanted) == [facts[number] for number in expected]

    def test_an_admin_gets_facts_as_they_stand_now(self, store, ids):
        first, gone = added(store, ids), added(store, ids)
        second = superseded(store, first, ids)
        deleted(store, gone, ids)

        assert list(store.facts.walk(FactQuery(caller=build_admin()))) == [second]


# Not over moto, which takes a lock around each call: there is no race to lose.
@pytest.mark.parametrize("stores", ["fake", "dynoxide"], indirect=True)
class TestRaces:
    writers = 20

    def race(self, attempts) -> list[bool]:
        def won(attempt) -> bool:
            try:
                attempt()
            except WriteConflictError:
                return False
            return True

        with ThreadPoolExecutor(max_workers=self.writers) as pool:
            return list(pool.map(won, attempts))

    def test_of_many_writers_with_one_version_one_wins(self, store, ids):
        fact = added(store, ids, subjects=PEOPLE)
        steps = [build_step(fact, ids=ids, content=number) for number in range(self.writers)]

        won = self.race([partial(store.facts.replace, fact, s.closed, s.fact) for s in steps])

        (winner,) = [step for step, is_winner in zip(steps, won, strict=True) if is_winner]
        assert store.facts.load(TENANT, fact.id).fact == winner.fact
        assert list(store.facts.walk_revisions(TENANT, fact.id)) == [winner.closed]

    def test_of_deletes_and_supersedes_at_once_one_wins(self, store, ids):
        fact = added(store, ids)
        half = self.writers // 2
        steps = [build_step(fact, ids=ids) for _ in range(half)]
        ends = [delete(fact, build_act(ids=ids)) for _ in range(half)]

        won = self.race(
            [
                *(partial(store.facts.replace, fact, s.closed, s.fact) for s in steps),
                *(partial(store.facts.close, fact, end) for end in ends),
            ]
        )

        assert won.count(True) == 1

    def test_of_many_adds_of_one_id_one_wins(self, store, ids):
        fact = build_fact(ids=ids)
        rivals = [
            replace(fact, revision=replace(fact.revision, operation_id=str(number)))
            for number in range(self.writers)
        ]

        won = self.race([partial(store.facts.add, rival) for rival in rivals])

        assert won.count(True) == 1
