"""What a request costs the store: calls, items read and capacity, of each row of docs/data-model.md's table.

    python -m benchmarks.request_cost              # the table; --json FILE writes it too

The use cases, the adapter, its client and the engine are the real ones; capacity is what dynoxide reports, which counts as
DynamoDB does. `tests/integration/dynamodb/test_costs.py` holds the figures that matter.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from palimpsest.adapters.dynamodb.items import fact_to_item
from palimpsest.adapters.dynamodb.keys import ShardCounts
from palimpsest.domain.api_keys import ApiKey
from palimpsest.domain.callers import Caller, CallerKind
from palimpsest.domain.facts import Fact
from palimpsest.domain.filters import FactFilter
from palimpsest.domain.people import Person, PersonKind
from palimpsest.domain.revisions import Act, Change, Draft, delete
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.changes import FactChanges, Target
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.get_fact import GetFact
from palimpsest.use_cases.list_facts import ListFacts, ListRequest
from palimpsest.use_cases.supersede_fact import SupersedeFact
from palimpsest.use_cases.verify_fact import VerifyFact
from palimpsest.use_cases.write_fact import WriteFact
from rich.console import Console
from rich.table import Table

from benchmarks.association_cost import AssociationCosts
from benchmarks.atom_cost import AtomCosts
from benchmarks.bulk_load import loaded_dynoxide
from benchmarks.entity_cost import EntityCosts
from benchmarks.memory_cost import MemoryCosts
from benchmarks.memory_write_cost import MemoryWriteCosts
from benchmarks.metering import Meter, Row
from local.dynoxide import Engine, dynamodb_client
from local.dynoxide_binary import find_binary
from tests.builders import build_act, build_admin, build_caller, build_fact, build_scope
from tests.dynamodb import Tables
from tests.fakes.clock import NOON, FakeClock
from tests.fakes.cursors import FakeCursors
from tests.fakes.ids import FakeIds
from tests.fakes.pauses import FakePauses
from tests.fakes.pseudonyms import FakePseudonyms
from tests.wire import Wire

SMALL_TENANT = "01890a5d-ac96-774b-bcce-000000000001"
LARGE_TENANT = "01890a5d-ac96-774b-bcce-000000000002"
FEW, MANY = 1_000, 20_000
PAGE = 25
SHARDS = ShardCounts(container=1, tenant=8)
DAY = timedelta(days=1)
BEN = Person(PersonKind.EXTERNAL, "ben")
EVE = Person(PersonKind.EXTERNAL, "eve")


def stored_items() -> Iterator[dict[str, Any]]:
    """Yield the items that lists are measured over.

    The small tenant holds 1,000 facts of the project ``mine``. The large one holds in each of its thousand rounds one fact of
    ``mine``, 20 of ``many``, and 19 of ``mine`` that were deleted.
    """
    ids = FakeIds(FakeClock(NOON - DAY))
    patterns = {
        (tenant_id, project_id): build_fact(
            ids=ids, scope=build_scope(tenant_id, projectId=project_id)
        )
        for tenant_id in (SMALL_TENANT, LARGE_TENANT)
        for project_id in ("mine", "many")
    }
    gone = delete(patterns[LARGE_TENANT, "mine"], build_act(ids=ids, now=NOON - DAY / 2))
    for _ in range(FEW):
        yield _copy(patterns[SMALL_TENANT, "mine"], ids)
        yield _copy(patterns[LARGE_TENANT, "mine"], ids)
        for _ in range(MANY // FEW):
            yield _copy(patterns[LARGE_TENANT, "many"], ids)
        for _ in range(MANY // FEW - 1):
            yield _copy(gone, ids)


def _copy(pattern: Fact, ids: FakeIds) -> dict[str, Any]:
    fact_id = ids.new_id()
    revision = replace(pattern.revision, fact_id=fact_id, revision_id=fact_id)
    return dict(fact_to_item(replace(pattern, revision=revision), SHARDS))


class FactMeter(Meter):
    """Measures what the facts' door does."""

    def rows(self) -> list[Row]:
        """Return every row about facts."""
        return [*self.reads(), *self.lists(), *self.writes(), self.key_check()]

    def lists(self) -> list[Row]:
        """Return the rows of lists of 25."""
        project = FactFilter(project_id="mine")
        admin = build_admin(tenant_id=LARGE_TENANT)
        of_many, of_mine = reader(LARGE_TENANT, "many"), reader(LARGE_TENANT, "mine")
        crowded = reader(LARGE_TENANT, *(f"p{number}" for number in range(200)))
        return [
            self._list("list, from 1,000", reader(SMALL_TENANT, "mine")),
            self._list("list, from 20,000", of_many),
            self._list("list, from 1,000 among 20,000 of strangers and 19,000 deleted", of_mine),
            self._list("list, one project", of_mine, project),
            self._list("list, a user who may write the project", writer(LARGE_TENANT, "mine")),
            self._list("list, a caller with 200 project grants", crowded),
            self._list("list, asOf", of_many, as_of=self.clock.now()),
            self._list("list, a tenant admin, one project", admin, project),
            self._list("list, a tenant admin", admin),
        ]

    def reads(self) -> list[Row]:
        """Return the rows of gets, of a fact that was superseded once and names one person."""
        caller = writer(SMALL_TENANT, "fresh")
        written = self._write(caller, subjects=(BEN,))
        self.clock.advance(DAY)
        target = Target(fact_id=written)
        self._supersede()(self._act(caller), target, Change(content="changed"))
        get = GetFact(facts=self.tables.fact_repository(shards=SHARDS), clock=self.clock)
        then = self.clock.now() - DAY / 2
        return [
            self.cost("get", lambda: get(caller, written)),
            self.cost("get, version", lambda: get(caller, written, version=1)),
            self.cost(
                "get, asOf before the current revision", lambda: get(caller, written, as_of=then)
            ),
        ]

    def writes(self) -> list[Row]:
        """Return the rows of everything that changes a fact."""
        caller = writer(SMALL_TENANT, "fresh")
        facts = [Target(fact_id=self._write(caller, subjects=(BEN,))) for _ in range(4)]
        supersede, changes = self._supersede(), self._changes()
        verify, end = VerifyFact(changes=changes), DeleteFact(changes=changes)
        act = partial(self._act, caller)
        same, other = Change(content="changed"), Change(content="changed", subjects=(BEN, EVE))
        return [
            self.cost("write, nobody named", lambda: self._write(caller)),
            self.cost("write, one person named", lambda: self._write(caller, subjects=(BEN,))),
            self.cost("write, in every index, three named", lambda: self._write_everywhere(caller)),
            self.cost("supersede", lambda: supersede(act(), facts[0], same)),
            self.cost("supersede, one newly named", lambda: supersede(act(), facts[1], other)),
            self.cost("verify", lambda: verify(act(), facts[2])),
            self.cost("delete", lambda: end(act(), facts[3])),
        ]

    def key_check(self) -> Row:
        """Return the row of the check of an API key that a function does not know yet."""
        keys = self.tables.api_key_repository()
        caller = build_admin(tenant_id=SMALL_TENANT)
        key = ApiKey(
            id=self.ids.new_id(), name="k", secret_hash="0" * 64, caller=caller, created_at=NOON
        )
        keys.add(key)
        return self.cost("API key check", lambda: keys.find(SMALL_TENANT, key.id))

    def _list(
        self, name: str, caller: Caller, wanted: FactFilter | None = None, **request: Any
    ) -> Row:
        facts = self.tables.fact_repository(shards=SHARDS)
        list_facts = ListFacts(
            facts=facts, cursors=FakeCursors(), clock=self.clock, measure=lambda r: r.size
        )
        asked = ListRequest(wanted=wanted or FactFilter(), limit=PAGE, list_name="cost", **request)
        return self.cost(name, lambda: list_facts(caller, asked))

    def _write(self, caller: Caller, **draft: Any) -> str:
        scope = build_scope(caller.tenant_id, projectId="fresh")
        drafted = Draft(**{"type": "note", "scope": scope, "content": "Ana plays chess.", **draft})
        write = WriteFact(
            facts=self.tables.fact_repository(shards=SHARDS),
            pseudonyms=FakePseudonyms(),
            pauses=FakePauses(),
        )
        return write(self._act(caller), drafted).fact_id

    def _write_everywhere(self, caller: Caller) -> str:
        scope = build_scope(
            caller.tenant_id,
            projectId="fresh",
            orgId="o",
            threadId="t",
            participantId="x",
            userId=caller.id,
        )
        return self._write(caller, scope=scope, subjects=(BEN,))

    def _act(self, caller: Caller) -> Act:
        return Acts(clock=self.clock, ids=self.ids).begin(caller)

    def _changes(self) -> FactChanges:
        facts = self.tables.fact_repository(shards=SHARDS)
        return FactChanges(facts=facts, pseudonyms=FakePseudonyms(), pauses=FakePauses())

    def _supersede(self) -> SupersedeFact:
        return SupersedeFact(changes=self._changes())


def reader(tenant_id: str, *projects: str) -> Caller:
    """Return a service that may read these projects."""
    return build_caller("app", kind=CallerKind.SERVICE, tenant_id=tenant_id, reads=projects)


def writer(tenant_id: str, *projects: str) -> Caller:
    """Return a user who may write these projects."""
    return build_caller("ana", tenant_id=tenant_id, writes=projects)


def meter_over(engine: Engine) -> FactMeter:
    """Return a meter over an engine that was loaded with ``stored_items``."""
    client = dynamodb_client(engine.endpoint)
    clock = FakeClock(NOON)
    tables = Tables(client, "FactsTable", "StateTable", "ConceptsTable")
    return FactMeter(tables, Wire(client), clock, FakeIds(clock, series=1))


def all_rows(meter: FactMeter) -> list[Row]:
    """Return every row of the table."""
    beside = (
        AtomCosts(meter),
        AssociationCosts(meter),
        EntityCosts(meter),
        MemoryCosts(meter),
        MemoryWriteCosts(meter),
    )
    return [*meter.rows(), *(row for costs in beside for row in costs.rows())]


def show(rows: list[Row]) -> None:
    """Print the table."""
    table = Table("operation", "store calls", "items read", "read units", "write units")
    for row in rows:
        calls = " + ".join(f"{count} {name}" for name, count in row.calls.items())
        figures = (row.items_read, row.read_units, row.write_units)
        table.add_row(row.operation, calls, *(f"{figure:g}" for figure in figures))
    Console(width=150).print(table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the rows here too")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        binary = find_binary(os.environ, say=print)
        with loaded_dynoxide(Path(folder), binary=binary, items=stored_items()) as engine:
            rows = all_rows(meter_over(engine))
    show(rows)
    if wanted.json:
        wanted.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    main()
