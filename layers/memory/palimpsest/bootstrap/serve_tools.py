"""Builds the function ``serve_tools``."""

import logging
from collections.abc import Mapping

from palimpsest.adapters.sealing.cursors import SealedCursors
from palimpsest.adapters.system.ids import SystemIds
from palimpsest.adapters.system.parallel import ThreadParallel
from palimpsest.adapters.system.pauses import JitteredPauses
from palimpsest.api import operations
from palimpsest.api.application import Application
from palimpsest.api.fact_tools import FactTools, listed_bytes
from palimpsest.api.mcp_server import McpServer
from palimpsest.api.retrieve import found_bytes
from palimpsest.api.tool_calls import ToolCalls
from palimpsest.api.tool_results import MAX_RESULT_BYTES
from palimpsest.bootstrap.parts import (
    CLOCK,
    build_answer_once,
    build_application,
    build_facts,
    build_key_lists,
    build_logger,
    build_pseudonyms,
)
from palimpsest.bootstrap.search import build_embeddings, build_index, embedding_model_of
from palimpsest.bootstrap.settings import ServeToolsSettings, read_settings
from palimpsest.bootstrap.version import VERSION
from palimpsest.ports.facts import FactRepository
from palimpsest.use_cases.acts import Acts
from palimpsest.use_cases.changes import FactChanges
from palimpsest.use_cases.check_place import CheckPlace
from palimpsest.use_cases.delete_fact import DeleteFact
from palimpsest.use_cases.get_fact import GetFact
from palimpsest.use_cases.list_facts import ListFacts
from palimpsest.use_cases.retrieve_facts import RetrieveFacts
from palimpsest.use_cases.supersede_fact import SupersedeFact
from palimpsest.use_cases.verify_fact import VerifyFact
from palimpsest.use_cases.write_fact import WriteFact

# Of a page, beside its facts: `{"data":[],"hasMore":true,"nextCursor":""}` with a sealed cursor of at most 600 characters.
_PAGE_BYTES = 1000


def build(environ: Mapping[str, str]) -> Application:
    """Return the function's application.

    Raises:
        SettingsError: If the environment is not fit.
    """
    settings = read_settings(ServeToolsSettings, environ)
    _hush_sdk()
    facts = build_facts(settings, settings, settings)
    calls = ToolCalls(
        runs=_build_fact_tools(settings, facts).runs(),
        answer_once=build_answer_once(settings, facts),
        logger=build_logger(),
        is_enabled=settings.enable_memory,
        is_compact=settings.compact_responses,
    )
    endpoints = {operations.MCP.route_key: McpServer(calls=calls, version=VERSION)}
    return build_application(settings, endpoints)


def _build_fact_tools(settings: ServeToolsSettings, facts: FactRepository) -> FactTools:
    pseudonyms, pauses = build_pseudonyms(settings.ledger_keys_uri), JitteredPauses()
    changes = FactChanges(facts=facts, pseudonyms=pseudonyms, pauses=pauses)
    return FactTools(
        acts=Acts(
            clock=CLOCK,
            ids=SystemIds(),
            unverified_window=settings.unverified_window,
            embedding_model=embedding_model_of(settings.embeddings_uri),
        ),
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
        retrieve_facts=_build_retrieve_facts(settings, facts),
        check_place=CheckPlace(facts=facts),
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
