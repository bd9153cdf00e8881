"""Walks that need more than one page: over dynoxide."""

import pytest
from palimpsest.adapters.dynamodb.merges import MAX_FURTHER_PAGES
from palimpsest.adapters.dynamodb.requests import closing_of
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.revisions import delete
from palimpsest.ports.facts import FactQuery

from tests.builders import TENANT, build_act, build_admin, build_fact, build_scope, build_step

IN_THREAD = FactFilter(scope={"threadId": "t"})


@pytest.fixture
def facts(tables):
    tables.clear()
    return tables.fact_repository()


def test_a_filter_that_matches_one_old_fact_ends_short_and_goes_on_to_it(facts, ids):
    old = build_fact(ids=ids, scope=build_scope(projectId="p", threadId="t"))
    facts.add(old)
    for _ in range(30):
        facts.add(build_fact(ids=ids, scope=build_scope(projectId="p")))
    caller = build_admin(project_limit="p")
    found, before, walks = [], None, 0

    while walks == 0 or before is not None:
        query = FactQuery(caller=caller, wanted=IN_THREAD, page_size=1, before=before)
        walk = facts.walk(query)
        found += list(walk)
        before, walks = walk.resume_before, walks + 1

    assert found == [old]
    # 31 facts, two a page, each walk a first page and its further ones.
    assert walks == 1 + 31 // (2 * (1 + MAX_FURTHER_PAGES))


def test_a_page_whose_facts_all_left_is_followed_by_the_next(facts, ids):
    written = [build_fact(ids=ids) for _ in range(6)]
    for fact in written:
        facts.add(fact)
    walk = facts.walk(FactQuery(caller=build_admin(), page_size=1))
    for fact in written[2:]:
        facts.close(fact, delete(fact, build_act(ids=ids)))

    assert list(walk) == [written[1], written[0]]


def test_a_history_of_more_than_a_page_comes_whole(facts, ids):
    fact = build_fact(ids=ids)
    facts.add(fact)
    for _ in range(103):
        step = build_step(fact, ids=ids)
        facts.replace(fact, step.closed, step.fact)
        fact = step.fact

    versions = [revision.version for revision in facts.walk_revisions(TENANT, fact.id)]

    assert versions == list(range(103, 0, -1))


def test_an_open_revision_is_never_stored_as_closed(ids):
    with pytest.raises(ValueError, match="open"):
        closing_of(build_fact(ids=ids).revision)
