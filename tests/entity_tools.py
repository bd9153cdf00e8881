"""The use cases about entities over one store, as the function that serves them wires them."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from palimpsest.ports.clock import Clock
from palimpsest.ports.entities import EntityDirectory
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.ids import Ids
from palimpsest.ports.pauses import Pauses
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.build_knowledge import BuildKnowledge
from palimpsest.use_cases.describe_entities import DescribeEntities
from palimpsest.use_cases.entity_facts import EntityFacts
from palimpsest.use_cases.forget_entity import ForgetEntity
from palimpsest.use_cases.get_entity_context import GetEntityContext
from palimpsest.use_cases.keep_once import KeepOnce
from palimpsest.use_cases.list_entities import ListEntities
from palimpsest.use_cases.relate_entities import RelateEntities
from palimpsest.use_cases.remember_observation import RememberObservation

from tests.fakes.facts import FakeFactRepository
from tests.fakes.ids import FakeIds
from tests.fakes.pauses import FakePauses
from tests.fakes.pseudonyms import FakePseudonyms


@dataclass(frozen=True)
class EntityTools:
    """Every use case but the search.

    Attributes:
        facts: The store.
        entities: The directory that follows it.
        clock: The time of day.
        ids: New ids.
        pauses: Between attempts.
        time_budget: Of forgetting.
    """

    facts: FactRepository
    entities: EntityDirectory
    clock: Clock
    ids: Ids
    pauses: Pauses = field(default_factory=FakePauses)
    time_budget: timedelta = timedelta(seconds=20)

    @property
    def acts(self) -> Acts:
        return Acts(clock=self.clock, ids=self.ids)

    @property
    def entity_facts(self) -> EntityFacts:
        return EntityFacts(facts=self.facts, clock=self.clock)

    @property
    def keep_once(self) -> KeepOnce:
        return KeepOnce(
            facts=self.facts,
            pseudonyms=FakePseudonyms(),
            pauses=self.pauses,
            entity_facts=self.entity_facts,
        )

    @property
    def remember(self) -> RememberObservation:
        return RememberObservation(keep_once=self.keep_once, entities=self.entities, acts=self.acts)

    @property
    def relate(self) -> RelateEntities:
        return RelateEntities(keep_once=self.keep_once, entities=self.entities, acts=self.acts)

    @property
    def list(self) -> ListEntities:
        return ListEntities(
            entities=self.entities, facts=self.facts, entity_facts=self.entity_facts
        )

    @property
    def describe(self) -> DescribeEntities:
        return DescribeEntities(entities=self.entities)

    @property
    def get_context(self) -> GetEntityContext:
        return GetEntityContext(entities=self.entities, entity_facts=self.entity_facts)

    @property
    def forget(self) -> ForgetEntity:
        return ForgetEntity(
            entities=self.entities,
            facts=self.facts,
            acts=self.acts,
            pauses=self.pauses,
            clock=self.clock,
            time_budget=self.time_budget,
        )

    @property
    def build(self) -> BuildKnowledge:
        return BuildKnowledge(remember=self.remember, relate=self.relate)


def build_tools(facts: FakeFactRepository, ids: FakeIds, **changes: Any) -> EntityTools:
    """Return the use cases over a fake store, with the clock of the ids."""
    fields = {"entities": facts.entities, "clock": ids.clock, "ids": ids, **changes}
    return EntityTools(facts=facts, **fields)
