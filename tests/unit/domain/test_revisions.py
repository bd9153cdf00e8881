import hashlib
import itertools
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from palimpsest.domain.callers import CallerKind
from palimpsest.domain.errors import BadInputError
from palimpsest.domain.facts import (
    Author,
    InvalidationReason,
    Retention,
    Review,
    RunStep,
    Trust,
)
from palimpsest.domain.instants import MILLISECOND
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import (
    Act,
    Change,
    Draft,
    delete,
    first_revision,
    replaced_by,
    supersede,
    verify,
    was_current_at,
)

from tests.builders import build_admin, build_caller, build_scope
from tests.fakes.clock import NOON

DAY = timedelta(days=1)
MAY = NOON.replace(day=1)
ANA = Person(PersonKind.EXTERNAL, "ana")
STEP = RunStep(run_id="run-1", step_id="step-2", tool_call_id="call-3")
WRITERS = {kind: build_caller("ana", kind=kind, agent_version="7") for kind in CallerKind}


def build_act(name="a", *, caller=None, now=NOON, **fields):
    return Act(
        caller=caller or WRITERS[CallerKind.USER],
        now=now,
        operation_id=f"operation-{name}",
        new_id=f"id-{name}",
        **fields,
    )


def write(act=None, content="Ana plays chess.", **said):
    draft = Draft(type="note", scope=build_scope(projectId="acme"), content=content, **said)
    return first_revision(draft, act or build_act())


def test_a_new_fact_is_version_1_under_one_id():
    fact = write(build_act("a"), subjects=(ANA,), observed_at=NOON - DAY)

    revision = fact.revision
    assert (revision.fact_id, revision.revision_id, revision.version) == ("id-a", "id-a", 1)
    assert (revision.operation_id, revision.supersedes) == ("operation-a", None)
    assert (revision.created_at, fact.first_written_at) == (NOON, NOON)
    assert (revision.closing, revision.expires_at, fact.outlived_at) == (None, None, None)
    assert revision.people == {ANA}
    assert not fact.is_closed


@pytest.mark.parametrize(
    ("content", "canonical"),
    [
        (None, b"null"),
        ({"b": 1.0, "a": "\u00e9"}, '{"a":"\u00e9","b":1}'.encode()),
        (10**40, b"1" + b"0" * 40),
        ("", b'""'),
    ],
)
def test_hash_and_size_are_those_of_the_canonical_content(content, canonical):
    revision = write(content=content).revision

    assert revision.content_hash == "sha256:" + hashlib.sha256(canonical).hexdigest()
    assert revision.size == len(canonical)


def test_content_is_kept_as_it_came_and_not_in_its_canonical_form():
    assert write(content={"b": 1.0, "a": 2}).revision.content == '{"b":1.0,"a":2}'


@pytest.mark.parametrize(
    ("kind", "trust"),
    [
        (CallerKind.USER, Trust.ASSERTED),
        (CallerKind.SERVICE, Trust.ASSERTED),
        (CallerKind.AGENT, Trust.UNVERIFIED),
    ],
)
def test_trust_and_author_follow_the_writer_on_every_revision(kind, trust):
    admin_wrote = write(build_act(caller=build_admin()))
    act = build_act("b", caller=WRITERS[kind], now=NOON + DAY)

    revisions = [write(act).revision, supersede(admin_wrote, Change(content=2), act).fact.revision]

    for revision in revisions:
        assert revision.trust is trust
        assert revision.attributed_to == Author(kind=kind, id="ana", agent_version="7")


@pytest.mark.parametrize("kind", CallerKind)
def test_only_an_agents_run_is_recorded(kind):
    act = build_act(caller=WRITERS[kind], step=STEP)

    assert write(act).revision.generated_by == (STEP if kind is CallerKind.AGENT else None)


def test_a_supersede_keeps_what_it_does_not_name():
    fact = write(
        subjects=(ANA,),
        retention=Retention(keep_days=3),
        valid_from=MAY,
        valid_until=MAY + DAY,
        observed_at=MAY,
        content_ref="blob://s3/b/k",
        caused_by_log_ids=("log-1",),
    )

    after = supersede(fact, Change(content="Ana plays go."), build_act("b", now=NOON + DAY))

    assert after.fact.revision == replace(
        fact.revision,
        revision_id="id-b",
        version=2,
        operation_id="operation-b",
        supersedes="id-a",
        created_at=NOON + DAY,
        content='"Ana plays go."',
        content_hash=after.fact.revision.content_hash,
        size=15,
    )


def test_a_supersede_replaces_what_it_names_also_by_nothing():
    fact = write(subjects=(ANA,), retention=Retention(keep_days=3), valid_from=MAY)
    change = Change(
        content=1,
        subjects=(),
        retention=Retention(),
        valid_from=MAY - DAY,
        valid_until=MAY,
        observed_at=MAY - DAY,
    )

    revision = supersede(fact, change, build_act("b")).fact.revision

    assert (revision.subjects, revision.retention, revision.expires_at) == ((), Retention(), None)
    assert (revision.valid_from, revision.valid_until) == (MAY - DAY, MAY)
    assert revision.observed_at == MAY - DAY


def test_every_revision_names_the_model_that_the_deployment_embeds_with_by_then():
    fact = write(build_act("a", embedding_model="small"))

    superseded = supersede(fact, Change(content="x"), build_act("b", embedding_model="large")).fact
    verified = verify(superseded, build_act("c", embedding_model=None)).fact

    models = [each.revision.embedding_model for each in (fact, superseded, verified)]
    assert models == ["small", "large", None]


def test_a_supersede_drops_verification():
    verified = verify(write(), build_act("b", caller=build_admin())).fact

    revision = supersede(verified, Change(content=2), build_act("c")).fact.revision

    assert verified.revision.trust is Trust.VERIFIED
    assert revision.trust is Trust.ASSERTED
    assert (revision.verified_by, revision.verified_at) == (None, None)


def test_a_verify_confirms_the_same_content_and_says_who_and_when():
    fact = write(build_act(caller=WRITERS[CallerKind.AGENT], step=STEP))
    act = build_act("b", caller=WRITERS[CallerKind.SERVICE], now=NOON + DAY)

    revision = verify(fact, act).fact.revision

    assert (revision.content, revision.content_hash) == (
        fact.revision.content,
        fact.revision.content_hash,
    )
    assert (revision.version, revision.trust) == (2, Trust.VERIFIED)
    assert (revision.verified_by, revision.verified_at) == ("service:ana", revision.created_at)
    assert revision.attributed_to.kind is CallerKind.SERVICE
    assert revision.generated_by is None


def test_a_verify_releases_a_pending_fact_and_leaves_its_history_pending():
    fact = write()
    pending = replace(fact, revision=replace(fact.revision, review=Review.PENDING))

    step = verify(pending, build_act("b", caller=build_admin()))

    assert step.fact.revision.review is None
    assert step.closed.review is Review.PENDING


def test_a_supersede_does_not_release_a_pending_fact():
    fact = write()
    pending = replace(fact, revision=replace(fact.revision, review=Review.PENDING))

    step = supersede(pending, Change(content=2), build_act("b", caller=build_admin()))

    assert step.fact.revision.review is Review.PENDING


@pytest.mark.parametrize(
    ("kind", "signature"),
    [
        (CallerKind.USER, "user:ana"),
        (CallerKind.SERVICE, "service:ana"),
        (CallerKind.AGENT, "service:ana"),
    ],
)
def test_an_agent_signs_a_closing_as_a_service(kind, signature):
    act = build_act("b", caller=WRITERS[kind], now=NOON + DAY)
    fact = write()

    closings = [
        supersede(fact, Change(content=2), act).closed.closing,
        delete(fact, act).revision.closing,
    ]

    assert [closing.by for closing in closings if closing] == [signature, signature]


def test_a_delete_closes_the_revision_and_changes_nothing_else_of_it():
    fact = write()

    deleted = delete(fact, build_act("b", now=NOON + DAY))

    closing = deleted.revision.closing
    assert deleted.is_closed
    assert closing is not None
    assert (closing.at, closing.reason) == (NOON + DAY, InvalidationReason.DELETED)
    assert closing.operation_id == "operation-b"
    assert replace(deleted.revision, closing=None) == fact.revision


def test_a_fact_that_another_one_replaced_is_closed_and_names_it():
    fact = write()

    after = replaced_by(fact, "id-b", build_act("b", now=NOON + DAY))

    closing = after.revision.closing
    assert after.is_closed
    assert after.is_replaced
    assert closing is not None
    assert (closing.at, closing.by) == (NOON + DAY, "user:ana")
    assert (closing.reason, closing.superseded_by) == (InvalidationReason.SUPERSEDED, "id-b")
    assert closing.operation_id == "operation-b"
    assert replace(after.revision, closing=None) == fact.revision
    assert not delete(fact, build_act("b")).is_replaced


def test_a_fact_says_which_facts_it_replaced_on_every_revision():
    fact = first_revision(
        Draft(type="note", scope=build_scope(), content=1, replaces=("id-y", "id-x")), build_act()
    )

    second = supersede(fact, Change(content=2), build_act("b")).fact.revision

    assert (fact.revision.supersedes, fact.revision.replaces) == ("id-y", ("id-y", "id-x"))
    assert (second.supersedes, second.replaces) == ("id-a", ("id-y", "id-x"))


clock_steps = st.lists(
    st.timedeltas(timedelta(days=-2), timedelta(days=2)).map(
        lambda span: span // MILLISECOND * MILLISECOND
    )
    | st.just(timedelta(0)),
    min_size=1,
    max_size=12,
)


def build_history(clock_steps, *, is_deleted=False):
    """Return all revisions, oldest first, of a fact whose writers' clocks step as they please."""
    now, fact, closed = NOON, write(build_act("0")), []
    for number, span in enumerate(clock_steps, start=1):
        now += span
        act = build_act(str(number), now=now)
        is_verify = number % 3 == 0
        step = verify(fact, act) if is_verify else supersede(fact, Change(content=number), act)
        closed.append(step.closed)
        fact = step.fact
    if is_deleted:
        fact = delete(fact, build_act("end", now=now))
    return [*closed, fact.revision]


@given(clock_steps=clock_steps)
def test_a_history_is_a_chain_of_versions_without_gaps(clock_steps):
    history = build_history(clock_steps)

    assert [revision.version for revision in history] == list(range(1, len(history) + 1))
    assert len({revision.revision_id for revision in history}) == len(history)
    for before, after in itertools.pairwise(history):
        assert after.supersedes == before.revision_id
        assert before.closing is not None
        assert before.closing.at == after.created_at
        assert before.closing.reason is InvalidationReason.SUPERSEDED
    assert history[1].supersedes == history[0].fact_id
    assert {r.fact_id for r in history} == {"id-0"}


@given(clock_steps=clock_steps, is_deleted=st.booleans())
def test_times_rise_by_a_millisecond_at_least_even_when_the_clock_steps_back(
    clock_steps, is_deleted
):
    history = build_history(clock_steps, is_deleted=is_deleted)

    times = [r.created_at for r in history]
    last = history[-1].closing
    times += [last.at] if last else []
    assert all(after - before >= MILLISECOND for before, after in itertools.pairwise(times))


@given(clock_steps=clock_steps, is_deleted=st.booleans(), data=st.data())
def test_at_every_instant_exactly_one_revision_is_current(clock_steps, is_deleted, data):
    history = build_history(clock_steps, is_deleted=is_deleted)
    turns = [revision.created_at for revision in history]
    around = data.draw(st.sampled_from(turns))
    last = history[-1].closing

    for instant in (around - MILLISECOND, around, around + MILLISECOND, NOON + 100 * DAY):
        current = [r.version for r in history if was_current_at(r, instant)]
        begun = [r.version for r in history if r.created_at <= instant]
        is_over = last is not None and last.at <= instant
        assert current == ([] if is_over else begun[-1:])


def test_at_the_instant_of_a_supersede_it_is_the_new_one():
    old, new = build_history([DAY])
    instant = new.created_at

    seen = [
        [r.version for r in (old, new) if was_current_at(r, moment)]
        for moment in (instant - MILLISECOND, instant, instant + MILLISECOND)
    ]

    assert seen == [[1], [2], [2]]


def test_before_its_first_write_and_from_its_delete_on_no_revision_is_current():
    only = build_history([DAY], is_deleted=True)
    end = only[-1].closing.at

    assert not any(was_current_at(r, NOON - MILLISECOND) for r in only)
    assert [r.version for r in only if was_current_at(r, end - MILLISECOND)] == [2]
    assert not any(was_current_at(r, end) for r in only)


@pytest.mark.parametrize(
    ("start", "end", "is_taken"),
    [
        (None, None, True),
        (MAY, None, True),
        (None, MAY, True),
        (MAY, MAY, True),
        (MAY, MAY + MILLISECOND, True),
        (MAY + MILLISECOND, MAY, False),
    ],
)
def test_a_fact_may_not_start_being_true_after_it_stops(start, end, is_taken):
    def write_it():
        return write(valid_from=start, valid_until=end).revision

    def supersede_it():
        change = Change(content=2, valid_from=start, valid_until=end)
        return supersede(write(), change, build_act("b")).fact.revision

    for change_it in (write_it, supersede_it):
        if is_taken:
            assert (change_it().valid_from, change_it().valid_until) == (start, end)
        else:
            with pytest.raises(BadInputError) as refused:
                change_it()
            assert refused.value.field == "validFrom"


def test_a_senders_own_interval_is_refused_before_anybody_asks_who_may_write():
    start, end = MAY + MILLISECOND, MAY

    with pytest.raises(BadInputError):
        Draft(type="note", scope=build_scope(), content=1, valid_from=start, valid_until=end)
    with pytest.raises(BadInputError):
        Change(content=1, valid_from=start, valid_until=end)


def test_an_interval_is_checked_together_with_what_stood_before():
    fact = write(valid_until=MAY)

    with pytest.raises(BadInputError, match="validFrom"):
        supersede(fact, Change(content=2, valid_from=MAY + DAY), build_act("b"))


def test_keep_days_count_from_the_first_write():
    fact = write(retention=Retention(keep_days=3))

    revision = supersede(fact, Change(content=2), build_act("b", now=NOON + 2 * DAY)).fact.revision

    assert (fact.revision.expires_at, revision.expires_at) == (NOON + 3 * DAY, NOON + 3 * DAY)


def test_the_earliest_end_counts():
    retention = Retention(keep_days=3, keep_until=NOON + 2 * DAY)
    agent = build_act(caller=WRITERS[CallerKind.AGENT], unverified_window=DAY)

    assert write(retention=retention).revision.expires_at == NOON + 2 * DAY
    assert write(agent, retention=retention).revision.expires_at == NOON + DAY


@pytest.mark.parametrize(
    "retention",
    [Retention(keep_until=NOON), Retention(keep_until=NOON - DAY)],
)
def test_a_fact_that_would_have_expired_already_is_refused(retention):
    with pytest.raises(BadInputError) as refused:
        write(retention=retention)

    assert refused.value.field == "retention"


@pytest.mark.parametrize("days", [4_000_000, 10**9, 10**12])
def test_days_beyond_the_calendar_are_the_senders_fault(days):
    with pytest.raises(BadInputError) as refused:
        write(retention=Retention(keep_days=days))

    assert refused.value.field == "retention.keepDays"


def test_a_supersede_with_an_end_in_the_past_is_refused():
    fact = write(retention=Retention(keep_days=1))

    with pytest.raises(BadInputError):
        supersede(fact, Change(content=2), build_act("b", now=NOON + DAY))


def test_the_window_of_the_unverified_starts_anew_with_each_revision_and_ends_with_a_verify():
    agent = WRITERS[CallerKind.AGENT]
    fact = write(build_act(caller=agent, unverified_window=2 * DAY))
    later = build_act("b", caller=agent, now=NOON + DAY, unverified_window=2 * DAY)
    verifier = build_act("c", caller=build_admin(), now=NOON + DAY, unverified_window=2 * DAY)

    assert fact.revision.expires_at == NOON + 2 * DAY
    assert supersede(fact, Change(content=2), later).fact.revision.expires_at == NOON + 3 * DAY
    assert verify(fact, verifier).fact.revision.expires_at is None


def test_a_verify_lifts_the_window_and_no_other_end():
    agent = build_act(caller=WRITERS[CallerKind.AGENT], unverified_window=DAY)
    fact = write(agent, retention=Retention(keep_days=9))
    verifier = build_act("b", caller=build_admin(), unverified_window=DAY)

    assert verify(fact, verifier).fact.revision.expires_at == NOON + 9 * DAY


@given(ends=st.lists(st.none() | st.integers(min_value=100, max_value=200), min_size=1, max_size=6))
def test_a_fact_is_outlived_when_the_last_of_its_revisions_is(ends):
    def kept(days):
        return Retention() if days is None else Retention(keep_days=days)

    fact = write(retention=kept(ends[0]))
    for number, days in enumerate(ends[1:]):
        change = Change(content=number, retention=kept(days))
        fact = supersede(fact, change, build_act(str(number))).fact

    assert delete(fact, build_act("end")).outlived_at == fact.outlived_at
    if None in ends:
        assert fact.outlived_at is None
    else:
        assert fact.outlived_at == NOON + timedelta(days=max(d for d in ends if d is not None))
