"""The tools over entities."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from palimpsest.api.entity_answers import (
    built_json,
    context_json,
    forgotten_json,
    page_json,
    recalled_json,
    related_json,
    remembered_json,
    totals_json,
)
from palimpsest.api.entity_arguments import (
    BuildKnowledgeArguments,
    ForgetEntityArguments,
    GetEntityContextArguments,
    ListEntitiesArguments,
    RecallMemoriesArguments,
    RelateEntitiesArguments,
    RememberFactArguments,
)
from palimpsest.api.tool_calls import ToolCall, ToolRun
from palimpsest.api.tool_results import ToolAnswer
from palimpsest.domain.callers import Caller
from palimpsest.domain.entities import EntityType, Totals, Window
from palimpsest.domain.errors import EntityNotFoundError
from palimpsest.domain.scopes import Scope
from palimpsest.ports.entities import EntityPage
from palimpsest.use_cases.build_knowledge import Built, KnowledgeRequest
from palimpsest.use_cases.forget_entity import Forgotten
from palimpsest.use_cases.get_entity_context import ContextRequest, EntityContext
from palimpsest.use_cases.recall_memories import Recalled, RecallRequest
from palimpsest.use_cases.relate_entities import Related, RelateRequest
from palimpsest.use_cases.remember_observation import Remembered, RememberRequest


class Forget(Protocol):
    """See ``palimpsest.use_cases.forget_entity.ForgetEntity``."""

    def __call__(self, caller: Caller, scope: Scope, name: str, *, is_confirmed: bool) -> Forgotten:
        """Delete what is known of an entity."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityTools:
    """Runs the tools over entities."""

    list_entities: Callable[[Caller, Scope, frozenset[EntityType], Window], EntityPage]
    remember: Callable[[Caller, Scope, RememberRequest], Remembered]
    recall: Callable[[Caller, Scope, RecallRequest], list[Recalled]]
    relate: Callable[[Caller, Scope, RelateRequest], Related]
    get_context: Callable[[Caller, Scope, ContextRequest], EntityContext]
    forget: Forget
    describe: Callable[[Caller, Scope], Totals]
    build: Callable[[Caller, Scope, KnowledgeRequest], Built]

    def runs(self) -> Mapping[str, ToolRun]:
        """Return what runs each tool, by its name."""
        return {
            "list_entities": self.run_list,
            "remember_fact": self.run_remember,
            "recall_memories": self.run_recall,
            "relate_entities": self.run_relate,
            "get_entity_context": self.run_context,
            "forget_entity": self.run_forget,
            "memory_stats": self.run_stats,
            "build_knowledge": self.run_build,
        }

    def run_list(self, call: ToolCall) -> ToolAnswer:
        """Return a part of the entities."""
        arguments = call.read(ListEntitiesArguments)
        window = Window(limit=arguments.limit, offset=arguments.offset)
        page = self.list_entities(call.caller, call.scope, arguments.types, window)
        return ToolAnswer(value=page_json(page, window.offset))

    def run_remember(self, call: ToolCall) -> ToolAnswer:
        """Remember an observation."""
        request = call.read(RememberFactArguments).to_domain()
        return ToolAnswer(value=remembered_json(self.remember(call.caller, call.scope, request)))

    def run_recall(self, call: ToolCall) -> ToolAnswer:
        """Return the observations that answer a query."""
        request = call.read(RecallMemoriesArguments).to_domain()
        return ToolAnswer(value=recalled_json(self.recall(call.caller, call.scope, request)))

    def run_relate(self, call: ToolCall) -> ToolAnswer:
        """Relate two entities."""
        request = call.read(RelateEntitiesArguments).to_domain()
        return ToolAnswer(value=related_json(self.relate(call.caller, call.scope, request)))

    def run_context(self, call: ToolCall) -> ToolAnswer:
        """Return what is known of an entity; one that is not known is an answer here, and no error."""
        arguments = call.read(GetEntityContextArguments)
        request = ContextRequest(
            entity_name=arguments.entity_name,
            include_related=arguments.include_related,
            max_observations=arguments.max_obs,
        )
        try:
            context = self.get_context(call.caller, call.scope, request)
        except EntityNotFoundError:
            return ToolAnswer(value={"found": False})
        return ToolAnswer(value=context_json(context, with_relations=arguments.include_related))

    def run_forget(self, call: ToolCall) -> ToolAnswer:
        """Delete what is known of an entity."""
        arguments = call.read(ForgetEntityArguments)
        forgotten = self.forget(
            call.caller, call.scope, arguments.entity_name, is_confirmed=arguments.confirm
        )
        return ToolAnswer(value=forgotten_json(forgotten))

    def run_stats(self, call: ToolCall) -> ToolAnswer:
        """Return how much is remembered."""
        return ToolAnswer(value=totals_json(self.describe(call.caller, call.scope)))

    def run_build(self, call: ToolCall) -> ToolAnswer:
        """Remember and relate many at once."""
        arguments = call.read(BuildKnowledgeArguments)
        request = KnowledgeRequest(
            facts=tuple(fact.to_domain() for fact in arguments.facts),
            relations=tuple(relation.to_domain() for relation in arguments.relations),
        )
        return ToolAnswer(value=built_json(self.build(call.caller, call.scope, request)))
