"""What entities cost the store: rows of docs/data-model.md's table, beside those of ``request_cost``."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any

from palimpsest.adapters.dynamodb.attributes import number, text
from palimpsest.adapters.dynamodb.entity_items import EntityPlace, entity_to_item
from palimpsest.domain.entities import Entity, EntityKey, EntityType, Window
from palimpsest.domain.scopes import Scope
from palimpsest.use_cases.changes import FactChanges, Target
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.get_entity_context import ContextRequest
from palimpsest.use_cases.relate_entities import RelateRequest
from palimpsest.use_cases.remember_observation import RememberRequest

from benchmarks.metering import Meter, Row
from tests.builders import build_caller, build_scope
from tests.entity_tools import EntityTools
from tests.fakes.entity_ids import FakeEntityIds
from tests.fakes.pauses import FakePauses
from tests.fakes.pseudonyms import FakePseudonyms

ANA = build_caller("ana", writes=("few", "many", "fresh"))
FRESH = build_scope(projectId="fresh")
FEW, MANY = 700, 7_000
TOLD_FEW, TOLD_MUCH = 20, 200
ALL: frozenset[EntityType] = frozenset()
PEOPLE = frozenset({EntityType.PERSON})
# BatchWriteItem takes no more (developer guide, "Quotas").
_MAX_WRITES = 25


@dataclass(frozen=True)
class EntityCosts:
    """Fills scopes with entities and measures over them."""

    meter: Meter

    def rows(self) -> list[Row]:
        """Return every row about entities."""
        return [*self.telling(), *self.listing(), *self.reading()]

    def telling(self) -> Iterator[Row]:
        """Yield the rows of everything that tells something of an entity."""
        yield self._remember("remember, of a new entity", "sings")
        yield self._remember("remember, of one that is known", "hums")
        yield self._remember("remember, the very same again", "hums")
        yield self._relate("relate, two that are known", "knows", "Ana")
        yield self._relate("relate, one of them new", "leads", "Apollo")
        told = self._told("whistles")
        changes = FactChanges(
            facts=self._tools.facts, pseudonyms=FakePseudonyms(), pauses=FakePauses()
        )
        act = self._tools.acts.begin(ANA)
        yield self.meter.cost(
            "delete, an observation",
            lambda: DeleteFact(changes=changes)(act, Target(fact_id=told)),
        )

    def listing(self) -> Iterator[Row]:
        """Yield the rows of lists of 50."""
        few, many = build_scope(projectId="few"), build_scope(projectId="many")
        self._load(few, FEW)
        self._load(many, MANY)
        yield self._list("list entities, from 700", few, ALL)
        yield self._list("list entities, from 7,000", many, ALL)
        yield self._list("list entities, of one type from 700", few, PEOPLE)
        yield self._list("list entities, of one type from 7,000", many, PEOPLE)
        yield self._list("list entities, of one type from 7,000, offset 900", many, PEOPLE, 900)
        yield self.meter.cost(
            "count what is remembered, of 700", lambda: self._tools.describe(ANA, few)
        )
        yield self.meter.cost(
            "count what is remembered, of 7,000", lambda: self._tools.describe(ANA, many)
        )

    def reading(self) -> Iterator[Row]:
        """Yield the rows of an entity's context."""
        for number_told, name in ((TOLD_FEW, "Ben"), (TOLD_MUCH, "Eve")):
            for one in range(number_told):
                self._told(f"sings song {one}", name)
            yield self._context(f"entity context, 20 of {number_told} observations", name)

    @property
    def _tools(self) -> EntityTools:
        tables = self.meter.tables
        return EntityTools(
            facts=tables.fact_repository(),
            entities=tables.entity_directory(),
            clock=self.meter.clock,
            ids=self.meter.ids,
        )

    def _remember(self, operation: str, observation: str) -> Row:
        return self.meter.cost(operation, lambda: self._told(observation))

    def _told(self, observation: str, name: str = "Jeff") -> str:
        self.meter.clock.advance(timedelta(seconds=1))
        request = RememberRequest(
            entity_name=name, entity_type=EntityType.PERSON, observation=observation
        )
        return self._tools.remember(ANA, FRESH, request).fact_id

    def _relate(self, operation: str, relation: str, target: str) -> Row:
        if relation == "knows":
            self._told("dances", target)
        request = RelateRequest(
            from_entity="Jeff",
            from_type=EntityType.PERSON,
            relation=relation,
            to_entity=target,
            to_type=EntityType.PERSON,
        )
        return self.meter.cost(operation, lambda: self._tools.relate(ANA, FRESH, request))

    def _list(
        self, operation: str, scope: Scope, types: frozenset[EntityType], offset: int = 0
    ) -> Row:
        window = Window(limit=50, offset=offset)
        return self.meter.cost(operation, lambda: self._tools.list(ANA, scope, types, window))

    def _context(self, operation: str, name: str) -> Row:
        request = ContextRequest(entity_name=name)
        return self.meter.cost(operation, lambda: self._tools.get_context(ANA, FRESH, request))

    def _load(self, scope: Scope, size: int) -> None:
        """Write so many entities of seven types, as they lie once each was told one thing."""
        items = iter(list(_entities(scope, size, self.meter)))
        client, table = self.meter.tables.client, self.meter.tables.concepts
        while chunk := list(islice(items, _MAX_WRITES)):
            requests: list[Any] = [{"PutRequest": {"Item": item}} for item in chunk]
            client.batch_write_item(RequestItems={table: requests})


def _entities(scope: Scope, size: int, meter: Meter) -> Iterator[dict[str, Any]]:
    ids, totals = FakeEntityIds(), dict[str, dict[str, Any]]()
    for position in range(size):
        kind = list(EntityType)[position % len(EntityType)]
        place = EntityPlace(scope, EntityKey(kind, f"entity {position}"))
        entity = Entity(
            id=ids.id_of(scope, place.key),
            name=f"Entity {position}",
            type=kind,
            updated_at=meter.clock.now() + timedelta(seconds=position),
            observations=1,
            relations=0,
        )
        yield dict(entity_to_item(place, entity))
        counted = totals.setdefault(place.total["sk"]["S"], {**place.total, "count": 0})
        counted["count"] += 1
    for total in totals.values():
        count, kind = total.pop("count"), total["sk"]["S"].partition("#")[0]
        counters = {"entities": count, "observations": count, "relations": 0}
        yield {**total, "type": text(kind), **{k: number(n) for k, n in counters.items()}}
