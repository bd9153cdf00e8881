"""Builds the function ``serve_tools``."""

import logging
from collections.abc import Mapping
from datetime import timedelta

from palimpsest.adapters.sealing.cursors import SealedCursors
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.api.application import Application
from palimpsest.api.entity_operations import MCP
from palimpsest.api.entity_routes import EntityApi
from palimpsest.api.entity_tools import EntityTools
from palimpsest.api.fact_tools import FactTools, listed_bytes
from palimpsest.api.mcp_server import McpServer
from palimpsest.api.retrieve import found_bytes
from palimpsest.api.tool_calls import ToolCalls
from palimpsest.api.tool_results import MAX_RESULT_BYTES
from palimpsest.bootstrap.parts import (
    CLOCK,
    build_answer_once,
    build_application,
    build_entities,
    build_facts,
    build_key_lists,
    build_logger,
    build_pseudonyms,
)
from palimpsest.bootstrap.search import build_embeddings, build_index, embedding_model_of
from palimpsest.bootstrap.settings import ServeToolsSettings, read_settings
from palimpsest.bootstrap.version import VERSION
from palimpsest.ports.entities import EntityDirectory
from palimpsest.ports.facts import FactRepository
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.build_knowledge import BuildKnowledge
from palimpsest.use_cases.changes import FactChanges
from palimpsest.use_cases.check_place import CheckPlace
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.describe_entities import DescribeEntities
from palimpsest.use_cases.entity_facts import EntityFacts
from palimpsest.use_cases.forget_entity import ForgetEntity
from palimpsest.use_cases.get_entity_context import GetEntityContext
from palimpsest.use_cases.get_fact import GetFact
from palimpsest.use_cases.keep_once import KeepOnce
from palimpsest.use_cases.list_entities import ListEntities
from palimpsest.use_cases.list_facts import ListFacts
from palimpsest.use_cases.read_entity_graph import ReadEntityGraph
from palimpsest.use_cases.recall_memories import RecallMemories
from palimpsest.use_cases.relate_entities import RelateEntities
from palimpsest.use_cases.remember_observation import RememberObservation
from palimpsest.use_cases.retrieve_facts import RetrieveFacts
from palimpsest.use_cases.supersede_fact import SupersedeFact
from palimpsest.use_cases.verify_fact import VerifyFact
from palimpsest.use_cases.write_fact import WriteFact

# Of a page, beside its facts: `{"data":[],"hasMore":true,"nextCursor":""}` with a sealed cursor of at most 600 characters.
_PAGE_BYTES = 1000

# Under the function's 28 seconds, with room for the fact that is being deleted and for the answer.
_FORGETTING_TIME = timedelta(seconds=20)


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(ServeToolsSettings, environ)
    _hush_sdk()
    facts = build_facts(settings, settings, settings)
    acts = Acts(
        clock=CLOCK,
        ids=SystemIds(),
        unverified_window=settings.unverified_window,
        embedding_model=embedding_model_of(settings.embeddings_uri),
    )
    retrieve_facts = _build_retrieve_facts(settings, facts)
    entities = build_entities(settings)
    entity_tools = _build_entity_tools(settings, facts, entities, acts, retrieve_facts)
    fact_tools = _build_fact_tools(settings, facts, acts, retrieve_facts)
    calls = ToolCalls(
        runs={**entity_tools.runs(), **fact_tools.runs()},
        answer_once=build_answer_once(settings, facts),
        logger=build_logger(),
        is_enabled=settings.enable_memory,
        is_compact=settings.compact_responses,
    )
    routes = EntityApi(
        list_entities=entity_tools.list_entities,
        get_context=entity_tools.get_context,
        read_graph=ReadEntityGraph(retrieve=retrieve_facts, clock=CLOCK),
        recall=entity_tools.recall,
        describe=entity_tools.describe,
        is_enabled=settings.enable_memory,
    )
    mcp = McpServer(calls=calls, version=VERSION)
    return build_application(settings, {MCP.route_key: mcp, **routes.endpoints()})


def _build_fact_tools(
    settings: ServeToolsSettings,
    facts: FactRepository,
    acts: Acts,
    retrieve_facts: RetrieveFacts,
) -> FactTools:
    pseudonyms, pauses = build_pseudonyms(settings.ledger_keys_uri), JitteredPauses()
    changes = FactChanges(facts=facts, pseudonyms=pseudonyms, pauses=pauses)
    return FactTools(
        acts=acts,
        write_fact=WriteFact(facts=facts, pseudonyms=pseudonyms, pauses=pauses),
        supersede_fact=SupersedeFact(changes=changes),
        verify_fact=VerifyFact(changes=changes),
        delete_fact=DeleteFact(changes=changes),
        get_fact=GetFact(facts=facts, clock=CLOCK),
        list_facts=ListFacts(
            facts=facts,
            cursors=SealedCursors(key_lists=build_key_lists(settings.cursor_keys_uri), clock=CLOCK),
            clock=CLOCK,
            measure=listed_bytes,
            room=MAX_RESULT_BYTES - _PAGE_BYTES,
        ),
        retrieve_facts=retrieve_facts,
        check_place=CheckPlace(facts=facts),
    )


def _build_entity_tools(
    settings: ServeToolsSettings,
    facts: FactRepository,
    entities: EntityDirectory,
    acts: Acts,
    retrieve_facts: RetrieveFacts,
) -> EntityTools:
    pseudonyms, pauses = build_pseudonyms(settings.ledger_keys_uri), JitteredPauses()
    entity_facts = EntityFacts(facts=facts, clock=CLOCK)
    keep_once = KeepOnce(
        facts=facts, pseudonyms=pseudonyms, pauses=pauses, entity_facts=entity_facts
    )
    remember = RememberObservation(keep_once=keep_once, entities=entities, acts=acts)
    relate = RelateEntities(keep_once=keep_once, entities=entities, acts=acts)
    return EntityTools(
        list_entities=ListEntities(entities=entities, facts=facts, entity_facts=entity_facts),
        remember=remember,
        recall=RecallMemories(retrieve=retrieve_facts, clock=CLOCK),
        relate=relate,
        get_context=GetEntityContext(entities=entities, entity_facts=entity_facts),
        forget=ForgetEntity(
            entities=entities,
            facts=facts,
            acts=acts,
            pauses=pauses,
            clock=CLOCK,
            time_budget=_FORGETTING_TIME,
        ),
        describe=DescribeEntities(entities=entities),
        build=BuildKnowledge(remember=remember, relate=relate),
    )


def _build_retrieve_facts(settings: ServeToolsSettings, facts: FactRepository) -> RetrieveFacts:
    embeddings = build_embeddings(settings.embeddings_uri)
    return RetrieveFacts(
        facts=facts,
        index=build_index(settings.index_uri, embeddings),
        embeddings=embeddings,
        parallel=ThreadParallel(),
        clock=CLOCK,
        measure=found_bytes,
        time_budget=settings.search_time,
    )


def _hush_sdk() -> None:
    """Keep the SDK's own lines out of the log: a traceback of it may quote the message that it was reading."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)
