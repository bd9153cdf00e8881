"""Entities over dynoxide: pages while writers write, and over a wire that is cut."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from palimpsest.adapters.system.clock import SystemClock
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.domain.entities import EntityType, Window
from palimpsest.use_cases.remember_observation import RememberRequest

from tests.builders import build_caller, build_scope
from tests.entity_tools import EntityTools

ANA = build_caller("ana")
SCOPE = build_scope(userId="ana")
ALL: frozenset[EntityType] = frozenset()
ENTITIES, PAGE, WRITERS = 1_000, 100, 4


@pytest.fixture
def tools(tables, wire):
    clock = SystemClock()
    return EntityTools(
        facts=tables.fact_repository(pauses=JitteredPauses()),
        entities=tables.entity_directory(),
        clock=clock,
        ids=SystemIds(),
        pauses=JitteredPauses(),
    )


def tell(tools, name: str, text: str = "is there", kind=EntityType.PERSON):
    request = RememberRequest(entity_name=name, entity_type=kind, observation=text)
    return tools.remember(ANA, SCOPE, request)


def counts(tools) -> tuple[int, int, int]:
    totals = tools.describe(ANA, SCOPE)
    return totals.count(ALL), totals.observations, totals.relations


def page(tools, offset: int, types=ALL):
    return tools.list(ANA, SCOPE, types, Window(limit=PAGE, offset=offset))


def test_a_thousand_entities_are_listed_by_pages_with_right_totals_while_four_write(tools):
    kinds = list(EntityType)
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda n: tell(tools, f"e{n}", kind=kinds[n % 7]), range(ENTITIES)))
    over, written = threading.Event(), [0] * WRITERS

    def write(writer: int) -> None:
        """Tell entities something new, until the pages are read; every tenth is an entity that nobody knew."""
        for number in count():
            if over.is_set() and number >= PAGE:
                return
            name = f"new {writer} {number}" if number % 10 == 0 else f"e{number % PAGE}"
            tell(tools, name, f"says {writer} {number}", kinds[number % PAGE % 7])
            written[writer] = number + 1

    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [pool.submit(write, writer) for writer in range(WRITERS)]
        seen = []
        before = counts(tools)[0]
        for offset in range(0, ENTITIES, PAGE):
            read = page(tools, offset)
            after = counts(tools)[0]
            assert before <= read.total <= after
            assert len(read.entities) == PAGE
            seen += [entity.name for entity in read.entities]
            before = read.total
        over.set()
        for one in writing:
            one.result()

    new = sum(-(-number // 10) for number in written)
    whole = [e for offset in range(0, ENTITIES + new, PAGE) for e in page(tools, offset).entities]
    assert counts(tools) == (ENTITIES + new, ENTITIES + sum(written), 0)
    assert len({entity.id for entity in whole}) == len(whole) == ENTITIES + new
    assert sum(entity.observations for entity in whole) == ENTITIES + sum(written)
    assert [e.updated_at for e in whole] == sorted((e.updated_at for e in whole), reverse=True)
    # Whoever was not told anything meanwhile was met while the others moved up.
    assert {f"e{n}" for n in range(PAGE, ENTITIES)} <= set(seen)
